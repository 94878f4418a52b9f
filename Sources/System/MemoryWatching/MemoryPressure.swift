internal import Basics

/// How scarce memory is, in three levels that the system or a limit reports.
@frozen
public enum MemoryPressure: Int, CaseIterable, Comparable, Codable, Sendable {
    /// There is enough memory: caches may fill up to their limits.
    case normal
    /// Memory becomes scarce: caches release what is not on screen.
    case warning
    /// The system may end the process soon: caches release everything that can be made again.
    case critical

    /// Returns whether the first level is less severe.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A cache that releases memory when it becomes scarce.
public protocol MemoryReleasing: AnyObject, Sendable {
    /// The size of the contents that could be released, in bytes; an estimate.
    var releasableByteCount: Int { get }

    /// Releases contents: at `warning` what is not on screen, at `critical` everything that can be made again.
    ///
    /// Called on any thread. Must not block for long, and must not call the ``MemoryWatch``.
    func releaseMemory(under pressure: MemoryPressure)
}

/// The most memory that the process can use.
public struct MemoryLimit: Hashable, Codable, Sendable {
    /// What sets a limit.
    public enum Origin: String, Codable, Sendable {
        /// The memory of the machine.
        case machine
        /// A control group of Linux, for example that of a container or a systemd service.
        case controlGroup
    }

    /// The limit in bytes.
    public let byteCount: Int
    /// Whether the machine or a control group sets the limit.
    public let origin: Origin

    package init(byteCount: Int, origin: Origin) {
        self.byteCount = byteCount
        self.origin = origin
    }

    /// The smaller of the machine's memory and the limits of the process's control groups, version 1 or 2.
    ///
    /// Read from the system on each call; nil if neither can be read.
    public static var current: Self? { SystemFiles().memoryLimit }
}

extension MemoryLimit: CustomStringConvertible {
    /// The limit and what sets it: "8.6 GB of the machine".
    public var description: String {
        "\(byteCount.readableBytes) of the \(origin == .machine ? "machine" : "control group")"
    }
}

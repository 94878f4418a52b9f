internal import Files
internal import Foundation
public import ImageMetadata
internal import Synchronization

extension PhotoLibrary {
    /// Brings the catalog up to date with the files.
    ///
    /// Files whose size, time and inode are as they were are not read. A file that was moved or renamed keeps its
    /// asset. Hidden files and folders are skipped, symbolic links not followed. What was done when the task is
    /// cancelled, or the process killed, stays; the next run goes on from there.
    ///
    /// - Parameters:
    ///   - paths: the folders and files to look at, absolute or below the root; everything unless given. What is
    ///     gone at a path is removed.
    ///   - zone: the zone of dates that name none; files without one are read again for it.
    ///   - undatedBy: what dates assets that say nothing of a date; nil leaves new ones undated and others as they are.
    ///   - progress: is called from a thread of the library's own, a few times a second.
    /// - Throws: `LibraryError.indexing` while another process or task indexes the same library.
    @discardableResult
    public func index(
        _ paths: [String] = [""], assuming zone: AssumedZone? = nil, undatedBy: UndatedRule? = nil,
        progress: @escaping @Sendable (IndexProgress) -> Void = { _ in }
    ) async throws(LibraryError) -> IndexReport {
        let flag = CancellationFlag()
        let dating = Dating(zone: zone, undatedBy: undatedBy)
        let result = await withTaskCancellationHandler {
            await BackgroundQueue.result { () throws(LibraryError) in
                let lock = try Self.lockIndexing(self.catalogPath)
                defer { withExtendedLifetime(lock) {} }
                let run = IndexRun(library: self, dating: dating, flag: flag, progress: progress)
                return try run.index(paths)
            }
        } onCancel: {
            flag.raise()
        }
        return try result.get()
    }

    /// Keeps other processes and tasks from indexing or repairing the same library.
    static func lockIndexing(_ catalogPath: String) throws(LibraryError) -> FileLock {
        do {
            if let lock = try FileLock(catalogPath + lockSuffix, .alone) { return lock }
        } catch {
            throw .inaccessible(catalog: catalogPath, reason: error.description)
        }
        throw .indexing(catalog: catalogPath)
    }

    /// What the name of the locked file has behind that of the catalog.
    static let lockSuffix = ".lock"
}

/// Tells a thread that nobody waits for its work any more.
final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    func raise() { flag.store(true, ordering: .relaxed) }
    var isRaised: Bool { flag.load(ordering: .relaxed) }
}

/// What indexing has found.
public struct IndexReport: Equatable, Sendable {
    /// A file that could not be read, and why; it is not tried again until it changes.
    public struct Failure: Equatable, Sendable {
        /// Below the library's root.
        public var path: String
        public var reason: String

        public init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    public var inserted = 0
    public var updated = 0
    /// Files that were found at another place and kept their asset.
    public var moved = 0
    public var removed = 0
    public var unchanged = 0
    /// Files that are no photos or videos and do not claim to be, below the library's root.
    public var others: [String] = []
    public var failures: [Failure] = []

    /// How many of the others have each ending, in small letters; that of names without one is empty.
    public var otherKinds: [String: Int] {
        others.reduce(into: [:]) { $0[FileEnding.of($1), default: 0] += 1 }
    }

    public init(
        inserted: Int = 0, updated: Int = 0, moved: Int = 0, removed: Int = 0, unchanged: Int = 0,
        others: [String] = [], failures: [Failure] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.moved = moved
        self.removed = removed
        self.unchanged = unchanged
        self.others = others
        self.failures = failures
    }
}

/// How far indexing is.
public struct IndexProgress: Equatable, Sendable {
    /// Files that were looked at.
    public var files: Int
    /// The folder that is being read, below the root.
    public var folder: String
}

/// What dates assets that say nothing of a date: neither in themselves nor by their names.
public enum UndatedRule: String, CaseIterable, Sendable {
    /// Nothing: they are undated, also those that `fileTime` has dated before.
    case nothing
    /// The time of the file's last change; the date's source says so.
    case fileTime = "file-time"
}

/// How the dates of files are completed when they are read.
struct Dating: Sendable {
    /// The zone of dates that name none.
    var zone: AssumedZone?
    /// Nil leaves assets as they were dated before.
    var undatedBy: UndatedRule?

    /// The date of a file that has none; nil where it stays undated.
    func date(fileTime nanoseconds: Int) -> CaptureDate? {
        // The least and the greatest stand for times beyond them.
        guard undatedBy == .fileTime, nanoseconds > .min, nanoseconds < .max else { return nil }
        return CaptureDate(fileTime: nanoseconds / 1_000_000_000)
    }
}

/// The processors of the machine.
enum Processors {
    static let count = max(1, ProcessInfo.processInfo.activeProcessorCount)
}

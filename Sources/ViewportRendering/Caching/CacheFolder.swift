internal import Files

/// A folder of things that can be made again: bounded, shared by processes, and never half-written.
///
/// An entry is two files: its bytes, and a stamp that says what they were made from and what they must look
/// like. The stamp comes last and is compared whole, so that an entry which is cut, written over, stale or of
/// another version is as good as none. The time of the stamp is the time of the last use.
public struct CacheFolder: Sendable {
    /// Where it is; made when the first entry is.
    public let path: String
    /// The bytes that all entries together may have, without one that is being made.
    public let capacity: Int

    public init(path: String = Self.usualPath, capacity: Int = Self.usualCapacity) {
        self.path = path
        self.capacity = capacity
    }

    /// The folder `viewport` in XDG_CACHE_HOME, or else in the home folder's `.cache`.
    ///
    /// Source: XDG Base Directory Specification 0.8.
    public static var usualPath: String {
        // A path that is not absolute has to be ignored, says the specification.
        if let home = ProcessEnvironment.variable("XDG_CACHE_HOME"), home.hasPrefix("/") {
            return home + "/viewport"
        }
        return (ProcessEnvironment.variable("HOME") ?? "/tmp") + "/.cache/viewport"
    }

    /// Ten gibibytes.
    public static let usualCapacity = 10 << 30

    /// The files of an entry.
    func files(of key: CacheKey, _ kind: CacheKind) -> EntryFiles {
        EntryFiles(path: "\(path)/\(key.name).\(kind.ending)")
    }
}

/// The files that belong to one entry.
struct EntryFiles: Hashable {
    /// Its bytes.
    let path: String

    /// Says what the bytes must be.
    var stamp: String { path + ".stamp" }
    /// Held by whoever makes or removes the entry.
    var lock: String { path + ".lock" }
    /// What is being made; only who holds the lock writes it, so one name is enough.
    var part: String { path + ".part" }
    /// Pixels of what is being made.
    var rows: String { part + ".rows" }

    /// Removes the entry; call it under the lock.
    ///
    /// The stamp goes first: without it nothing is trusted.
    func remove() {
        Folder.remove(stamp)
        Folder.remove(part)
        Folder.remove(rows)
        Folder.remove(path)
    }
}

/// An entry that is whole and up to date; nobody removes it while this lives.
package final class CacheEntry: Sendable {
    /// The file with its bytes.
    package let path: String
    let files: EntryFiles
    private let pin: FileLock

    init(_ files: EntryFiles, pin: FileLock) {
        path = files.path
        self.files = files
        self.pin = pin
    }

    /// Removes an entry that proved to be damaged; whoever reads it now may go on.
    package func discard() { files.remove() }
}

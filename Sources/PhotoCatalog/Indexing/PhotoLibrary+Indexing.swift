internal import Files
internal import Foundation
public import ImageMetadata
internal import Synchronization

extension PhotoLibrary {
    /// Updates the catalog from the files.
    ///
    /// Files whose size, time and inode have not changed are not read. A file that was moved or renamed keeps its
    /// asset. Hidden files and folders are skipped, and symbolic links are not followed. Work that was done when the
    /// task is cancelled or the process killed stays; the next run continues from there.
    ///
    /// - Parameters:
    ///   - paths: folders and files, absolute or below the root; by default the whole library. Assets whose files are
    ///     gone at a path are removed.
    ///   - zone: the time zone of dates without one; such files are read again for it.
    ///   - undatedBy: what dates assets without a date; nil leaves new ones undated and others as they are.
    ///   - progress: is called on a background thread, a few times a second.
    /// - Throws: `LibraryError.indexing` while another process or task indexes the same library, `.cancelled` where
    ///   the task was cancelled.
    @discardableResult
    public func index(
        _ paths: [String] = [""], assuming zone: AssumedZone? = nil, undatedBy: UndatedRule? = nil,
        progress: @escaping @Sendable (IndexProgress) -> Void = { _ in }
    ) async throws(LibraryError) -> IndexReport {
        let flag = CancellationFlag()
        let dateCompletion = DateCompletion(zone: zone, undatedBy: undatedBy)
        let result = await withTaskCancellationHandler {
            await BackgroundQueue.result { () throws(LibraryError) in
                let lock = try Self.lockIndexing(self.catalogPath)
                defer { withExtendedLifetime(lock) {} }
                let run = IndexRun(
                    library: self, dateCompletion: dateCompletion, flag: flag, progress: progress)
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

/// The result of indexing.
public struct IndexReport: Equatable, Sendable {
    /// A file that could not be read, and why; it is not tried again until it changes.
    public struct Failure: Equatable, Sendable {
        /// Below the library's root.
        public var path: String
        /// What is wrong with it.
        public var reason: String
        /// Whether the catalog is behind the file, so that indexing it helps.
        public var needsIndexing = false

        package init(path: String, reason: String, needsIndexing: Bool = false) {
            self.path = path
            self.reason = reason
            self.needsIndexing = needsIndexing
        }
    }

    /// The number of new assets.
    public var inserted = 0
    /// The number of assets whose files have changed.
    public var updated = 0
    /// The number of files that were moved or renamed and kept their asset.
    public var moved = 0
    /// The number of assets whose files are gone.
    public var removed = 0
    /// The number of assets whose files were not read, because they are as they were.
    public var unchanged = 0
    /// The paths below the root of files that are no photos or videos and do not claim to be.
    public var others: [String] = []
    /// The photos and videos that could not be read.
    public var failures: [Failure] = []

    /// The number of others by file extension in lower case; empty for names without one.
    package var otherKinds: [String: Int] {
        others.reduce(into: [:]) { $0[FileExtension.of($1), default: 0] += 1 }
    }

    package init(
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

/// The progress of indexing.
public struct IndexProgress: Equatable, Sendable {
    /// The number of files that were compared with the catalog.
    public var files: Int
    /// The path below the root of the folder that is being read.
    public var folder: String
}

/// What dates assets that have no date in their files or names.
public enum UndatedRule: String, CaseIterable, Sendable {
    /// Nothing: they are undated, also where `fileTime` has dated them before.
    case nothing
    /// The time of the file's last change; `CaptureDate.source` says so.
    case fileTime = "file-time"
}

/// How the dates of files are completed where the files say too little.
struct DateCompletion: Sendable {
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

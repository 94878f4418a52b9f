internal import Files
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

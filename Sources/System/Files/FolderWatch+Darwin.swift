#if canImport(Darwin)
private import Dispatch
private import Platform
private import Synchronization

/// Watches the files of folders with dispatch sources.
///
/// The system reports only that a folder's entries have changed; a comparison with the previous entries finds the
/// changes. A changed file is checked again until it stays the same for a while, so that a slow copy is reported when
/// it is complete. Files that are written in place long after their creation are not detected. Use from one thread at
/// a time.
///
/// Source: kqueue(2), EVFILT_VNODE.
package final class FolderWatch {
    private struct Watched {
        let source: any DispatchSourceFileSystemObject
        var entries: [FilePath: Folder.Entry.Kind] = [:]
    }

    /// A file that changed recently.
    private struct Recent {
        var status: FileStatus?
        var lastChange: ContinuousClock.Instant
    }

    /// Reported folders that were not compared yet.
    private final class Notices: Sendable {
        private let folders = Mutex<Set<FilePath>>([])
        private let arrival = DispatchSemaphore(value: 0)

        func add(_ folder: FilePath) {
            if folders.withLock({ $0.insert(folder).inserted }) { arrival.signal() }
        }

        func next(within milliseconds: Int) -> Set<FilePath> {
            guard arrival.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else {
                return []
            }
            return folders.withLock { folders in
                // The other signals are for folders that are taken here, too.
                for _ in folders.dropFirst() { _ = arrival.wait(timeout: .now()) }
                defer { folders = [] }
                return folders
            }
        }
    }

    private let notices = Notices()
    private let queue = DispatchQueue(label: "swift-viewport.folders")
    private var folders: [FilePath: Watched] = [:]
    private var recent: [FilePath: Recent] = [:]

    private static let pause = 100
    private static let settlingTime = Duration.seconds(5)

    /// - Throws: Nothing on this system.
    package init() throws(FileError) {}

    deinit { for watched in folders.values { watched.source.cancel() } }

    /// Watches a folder; does nothing if it is watched already or no longer exists.
    ///
    /// - Throws: `FileError` if the process cannot open more folders.
    package func add(_ folder: String) throws(FileError) {
        let folder = FilePath(folder)
        guard folders[folder] == nil else { return }
        let descriptor = unsafe open(folder.text, O_EVTONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            if [ENOENT, ENOTDIR, EACCES, ELOOP].contains(errno) { return }
            let cure = "; raise the limit of open files"
            throw .unreadable(errno == EMFILE ? "too many folders to watch\(cure)" : systemReason())
        }
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: [.write, .delete, .rename, .revoke], queue: queue)
        source.setEventHandler { [notices] in notices.add(folder) }
        source.setCancelHandler { close(descriptor) }
        // Active before the folder is read, so that no change is missed.
        source.activate()
        folders[folder] = Watched(source: source, entries: Self.entries(of: folder) ?? [:])
    }

    /// Stops watching a folder and those below it.
    package func remove(below folder: String) { remove(below: FilePath(folder)) }

    private func remove(below folder: FilePath) {
        for (path, watched) in folders where path.isIn(folder) {
            watched.source.cancel()
            folders[path] = nil
        }
        for path in recent.keys where path.below(folder) != nil { recent[path] = nil }
    }

    /// Waits for changes; empty if none occurred in that time.
    package func events(within milliseconds: Int) -> [FolderEvent] {
        let changed = notices.next(
            within: recent.isEmpty ? milliseconds : min(milliseconds, Self.pause))
        let repeated = repeatedChanges()
        return changed.sorted().flatMap { events(of: $0) } + repeated
    }

    private func events(of folder: FilePath) -> [FolderEvent] {
        guard let before = folders[folder]?.entries else { return [] }
        guard let now = Self.entries(of: folder) else {
            remove(below: folder)
            return []
        }
        folders[folder]?.entries = now
        var events: [FolderEvent] = []
        for (name, kind) in before where now[name] == nil {
            let path = folder.appending(name)
            recent[path] = nil
            if kind == .folder { remove(below: path) }
            events.append(kind == .folder ? .folderRemoved(path.text) : .removed(path.text))
        }
        for (name, kind) in now where before[name] != kind {
            let path = folder.appending(name)
            switch kind {
            case .folder: events.append(.folderAppeared(path.text))
            case .file(let status):
                recent[path] = Recent(status: status, lastChange: .now)
                events.append(.changed(path.text))
            case .link, .other: break
            }
        }
        return events
    }

    /// Changes of recently changed files; files that have settled are removed from the list.
    private func repeatedChanges() -> [FolderEvent] {
        var events: [FolderEvent] = []
        for (path, file) in recent {
            let status = FileStatus(path.text)
            if status != file.status {
                recent[path] = Recent(status: status, lastChange: .now)
                if status != nil { events.append(.changed(path.text)) }
            } else if .now - file.lastChange > Self.settlingTime {
                recent[path] = nil
            }
        }
        return events
    }

    /// Returns nil if the folder cannot be read.
    private static func entries(of folder: FilePath) -> [FilePath: Folder.Entry.Kind]? {
        guard let entries = try? Folder.entries(in: folder.text) else { return nil }
        return Dictionary(entries.map { (FilePath($0.name), $0.kind) }) { $1 }
    }
}
#endif

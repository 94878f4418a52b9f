internal import Dispatch
internal import Files
internal import GRDB
internal import ImageMetadata
internal import Synchronization

/// One run of indexing, which blocks its thread.
///
/// Walks the folders, compares files with their records in the catalog, and reads changed files on all processors;
/// `IndexStore` writes them in batches.
final class IndexRun {
    private let library: PhotoLibrary
    private let dateCompletion: DateCompletion
    private let flag: CancellationFlag
    private let progress: @Sendable (Int) -> Void
    private let thumbnails: ThumbnailRun?

    private var store: IndexStore
    /// The files to read.
    private var waiting: [ScannedFile] = []
    /// The folders that were listed.
    private var visited: Set<[UInt8]> = []
    /// The folders that could not be listed: assets in them and below are kept unchanged.
    private var unreadable: [String] = []
    private var files = 0

    /// The number of files that are read before they are written: what a process that is killed reads again.
    private var batch: Int { thumbnails == nil ? 512 : 64 }

    init(
        library: PhotoLibrary, dateCompletion: DateCompletion, thumbnails: ThumbnailRun?,
        flag: CancellationFlag, progress: @escaping @Sendable (Int) -> Void
    ) {
        self.library = library
        self.dateCompletion = dateCompletion
        self.thumbnails = thumbnails
        self.flag = flag
        self.progress = progress
        store = IndexStore(library: library, dateCompletion: dateCompletion)
    }

    func index(_ paths: [String]) throws(LibraryError) -> IndexReport {
        try PhotoLibrary.checkRoot(library.root)
        try store.begin()
        let paths = try paths.map { path throws(LibraryError) in try below(path) }
        for path in paths { try scan(path) }
        try flush()
        try store.removeMissing(batch) { () throws(LibraryError) in try advance(0) }
        try store.finish()
        var report = store.report
        report.thumbnails = try thumbnails?.finish(paths, of: library)
        return report
    }

    /// Returns a path below the root; empty for the root itself.
    private func below(_ path: String) throws(LibraryError) -> String {
        var relative = path
        if path.hasPrefix("/") {
            let absolute = ProcessEnvironment.absolutePath(path)
            guard absolute == library.root || absolute.hasPrefix(library.root + "/") else {
                throw .outside(path: path, root: library.root)
            }
            relative = String(absolute.dropFirst(library.root.count + 1))
        }
        let parts = relative.split(separator: "/").filter { $0 != "." }
        guard !parts.contains("..") else { throw .outside(path: path, root: library.root) }
        return parts.joined(separator: "/")
    }

    private func absolute(_ path: String) -> String {
        path.isEmpty ? library.root : "\(library.root)/\(path)"
    }

    /// Reports progress, and throws if the task was cancelled.
    private func advance(_ count: Int) throws(LibraryError) {
        files += count
        progress(files)
        if flag.isRaised { throw .cancelled }
    }

    /// Reads and writes the waiting files.
    private func flush() throws(LibraryError) {
        guard !waiting.isEmpty else { return }
        let files = try store.recall(waiting)
        waiting = []
        let readings = read(files)
        try store.write(zip(files, readings))
        try thumbnails?.check()
    }

    private func read(_ files: [ScannedFile]) -> [FileReading] {
        let (root, dateCompletion, thumbnails, flag) = (library.root, dateCompletion, thumbnails, flag)
        let next = Atomic(0)
        let readings = Mutex([FileReading?](repeating: nil, count: files.count))
        DispatchQueue.concurrentPerform(iterations: Processors.count) { _ in
            while !flag.isRaised {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < files.count else { return }
                let reading = FileReading(files[index], root: root, dateCompletion)
                // Now, while the system still has the bytes in memory.
                if case .asset(let asset, _) = reading {
                    thumbnails?.make(asset, at: "\(root)/\(asset.path)")
                }
                readings.withLock { $0[index] = reading }
            }
        }
        // After cancellation the rest is unread and left to the next run.
        return readings.withLock { $0.prefix { $0 != nil }.compactMap(\.self) }
    }
}

extension IndexRun {
    /// Scans a folder and all below it, or a file; either may be gone.
    private func scan(_ path: String) throws(LibraryError) {
        let isHidden = path.split(separator: "/").contains { $0.hasPrefix(".") }
        guard !isHidden else { return }
        if FileStatus(absolute(path)) != nil {
            // Lists the file's folder, which has its sidecars, too.
            try walk([parent(of: path)], isDeep: false)
        } else {
            try walk([path], isDeep: true)
            // The path may have been a file.
            if !visited.contains(Array(path.utf8)) { try walk([parent(of: path)], isDeep: false) }
            try missUnvisited(below: path)
        }
    }

    private func parent(of path: String) -> String {
        path.contains("/") ? OutputFile.folder(of: path) : ""
    }

    private func walk(_ folders: [String], isDeep: Bool) throws(LibraryError) {
        var folders = folders
        while let folder = folders.popLast() {
            guard visited.insert(Array(folder.utf8)).inserted || isDeep else { continue }
            let below = try list(folder)
            if isDeep { folders += below }
        }
    }

    /// Compares the files of a folder with the catalog and returns the folders in it.
    ///
    /// A folder may have millions of files: their listing is compact, and the records of the catalog pass one by one.
    private func list(_ folder: String) throws(LibraryError) -> [String] {
        let listing: FolderListing
        do {
            listing = try FolderListing(absolute(folder))
        } catch .missing {
            visited.remove(Array(folder.utf8))
            return []
        } catch {
            store.noteFailure(folder, error.description)
            unreadable.append(folder)
            return []
        }
        let prefix = folder.isEmpty ? "" : folder + "/"
        let sidecars = Sidecars(listing, prefix)
        var isDone = [Bool](repeating: false, count: listing.count)
        var missing: [CatalogedFile] = []
        let (flag, dateCompletion) = (flag, dateCompletion)
        var unchanged: [CatalogedFile] = []
        var count = 0
        try library.readAndWait { database in
            try CatalogedFile.forEach(in: folder, database) { known in
                if flag.isRaised { throw LibraryError.cancelled }
                guard let index = listing.index(of: Substring(known.path.utf8.dropFirst(prefix.utf8.count))),
                    !sidecars.isSidecar(index)
                else { return missing.append(known) }
                if known.isSame(sidecars.file(index)), !known.takes(dateCompletion) {
                    isDone[index] = true
                    if known.asset == nil { unchanged.append(known) } else { count += 1 }
                }
            }
        }
        store.noteUnchanged(count)
        for known in unchanged { noteUnread(known) }
        for index in 0..<listing.count where !isDone[index] && !sidecars.isSidecar(index) {
            waiting.append(sidecars.file(index))
            if waiting.count >= batch {
                try flush()
                progress(files + index)
            }
        }
        for gone in missing { store.noteMissing(gone) }
        for _ in 0..<sidecars.sidecarCount { store.noteSidecar() }
        try advance(listing.count - sidecars.sidecarCount)
        return listing.folders.map { prefix + $0 }.sorted().reversed()
    }

    /// Records a file that is unchanged and no asset.
    private func noteUnread(_ known: CatalogedFile) {
        if let reason = known.reason ?? (FileExtension.isMedia(known.path) ? FileExtension.fault : nil) {
            store.noteFailure(known.path, reason)
        } else {
            store.noteOther(known.path)
        }
    }

    /// Records the files of folders that are gone as missing.
    private func missUnvisited(below path: String) throws(LibraryError) {
        let folders = try library.readAndWait { database in
            let isBelow = "?1 = '' OR path = ?1 OR substr(path, 1, ?2) = ?3"
            return try String.fetchAll(
                database,
                sql: """
                    SELECT path FROM folder WHERE \(isBelow)
                    UNION SELECT folder AS path FROM other WHERE \(isBelow.replacing("path", with: "folder"))
                    """, arguments: [path, path.unicodeScalars.count + 1, path + "/"])
        }
        for folder in folders {
            guard !visited.contains(Array(folder.utf8)),
                !unreadable.contains(where: { $0.isEmpty || folder == $0 || folder.hasPrefix($0 + "/") })
            else { continue }
            for file in try library.readAndWait({ try CatalogedFile.all(in: folder, $0) }) {
                store.noteMissing(file)
            }
        }
    }
}

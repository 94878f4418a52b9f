internal import Basics
internal import CatalogStorage
internal import Files

/// One run of indexing, which blocks its thread.
///
/// Walks the folders, compares files with their records in the catalog, and reads changed files on all processors;
/// `IndexStore` writes them in batches.
///
/// - A file with the size, the time in nanoseconds and the sidecar of its record is not read. The inode was compared,
///   too, until a copy of a library was read as a whole for it. Now other inodes only raise doubts (`Renumbering`).
/// - No list of work is stored. A killed run loses the batch that it was reading, and the next run compares again.
/// - What is gone is noted, and removed only after all folders were read: its bytes may have moved to another folder,
///   where they keep the asset with its albums.
/// - In doubt nothing is removed: a folder that cannot be listed and a link that leads nowhere keep their assets.
/// - Folders are compared one by one, since one may have millions of files. A listing of the root before the run, only
///   to see whether it can be read, was dropped: it read the status of all its files once more.
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
    private var visited: Set<FilePath> = []
    /// The folders that could not be listed: assets in them and below are kept unchanged.
    private var unreadable: [FilePath] = []
    private var files = 0
    /// Which files the library has.
    private var scope = EntryScope.visible
    private var renumbering = Renumbering()

    /// The number of files that are read before they are written: what a process that is killed reads again.
    private var batch: Int { thumbnails == nil ? 512 : 64 }

    /// - Parameter digests: those of files that were just read.
    init(
        library: PhotoLibrary, dateCompletion: DateCompletion, digests: [FilePath: KnownDigest] = [:],
        thumbnails: ThumbnailRun?, flag: CancellationFlag, progress: @escaping @Sendable (Int) -> Void
    ) {
        self.library = library
        self.dateCompletion = dateCompletion
        self.thumbnails = thumbnails
        self.flag = flag
        self.progress = progress
        store = IndexStore(library: library, dateCompletion: dateCompletion, digests: digests)
    }

    func index(_ paths: [String]) throws -> IndexReport {
        try PhotoLibrary.checkRoot(library.root)
        try library.checkSidecars()
        scope = try library.scope()
        try store.begin()
        let paths = try paths.map { path in try below(path) }
        for path in paths { try scan(path) }
        try flush()
        // After the walk, which has found those that have moved.
        try store.removeMissing(batch) { try advance(0) }
        try store.finish()
        var report = store.report
        report.thumbnails = try thumbnails?.finish(paths, of: library)
        return report
    }

    /// Returns a path below the root; empty for the root itself.
    private func below(_ path: String) throws -> FilePath {
        var relative = FilePath(path)
        if relative.hasPrefix("/") {
            let absolute = FilePath(ProcessEnvironment.absolutePath(path))
            let root = FilePath(library.root)
            guard let below = absolute == root ? "" : absolute.below(root) else {
                throw LibraryError(.outside(path: path, root: library.root))
            }
            relative = below
        }
        let parts = relative.names.filter { $0 != "." }
        guard !parts.contains("..") else { throw LibraryError(.outside(path: path, root: library.root)) }
        return parts.reduce("") { $0.appending($1) }
    }

    private func absolute(_ path: FilePath) -> String {
        path == "" ? library.root : library.path(of: path)
    }

    /// Reports progress, and throws if the task was cancelled.
    private func advance(_ count: Int) throws {
        files += count
        progress(files)
        if flag.isRaised { throw CancellationError() }
    }

    /// Reads and writes the waiting files.
    private func flush() throws {
        guard !waiting.isEmpty else { return }
        let files = try store.recall(waiting)
        waiting = []
        let readings = read(files)
        try store.write(zip(files, readings))
        try thumbnails?.check()
    }

    private func read(_ files: [ScannedFile]) -> [FileReading] {
        let (places, dateCompletion, thumbnails, flag) = (library.places, dateCompletion, thumbnails, flag)
        // After cancellation the rest is unread and left to the next run.
        return Processors.map(below: files.count, until: flag) { index in
            let reading = FileReading(files[index], in: places, dateCompletion)
            // Now, while the system still has the bytes in memory.
            if case .asset(let asset, _) = reading {
                thumbnails?.make(asset, at: "\(places.root)/\(asset.path)")
            }
            return reading
        }
    }
}

extension IndexRun {
    /// Scans a folder and all below it, or a file; either may be gone.
    private func scan(_ path: FilePath) throws {
        guard scope.includes(path) else { return }
        if FileStatus(absolute(path)) != nil {
            // Lists the file's folder, which has its sidecars, too.
            try walk([path.parent ?? ""], isDeep: false)
        } else {
            try walk([path], isDeep: true)
            // The path may have been a file.
            var gone = path
            if !visited.contains(path) {
                var folder = path.parent ?? ""
                while true {
                    try walk([folder], isDeep: false)
                    // Its folder may be gone, too.
                    guard folder != "", !visited.contains(folder), !unreadable.contains(folder) else { break }
                    gone = folder
                    folder = folder.parent ?? ""
                }
            }
            try missUnvisited(below: gone)
        }
    }

    private func walk(_ folders: [FilePath], isDeep: Bool) throws {
        var folders = folders
        while let folder = folders.popLast() {
            guard visited.insert(folder).inserted || isDeep else { continue }
            let below = try list(folder)
            if isDeep { folders += below }
        }
    }

    /// Compares the files of a folder with the catalog and returns the folders in it.
    ///
    /// A folder may have millions of files: their listing is compact, and the records of the catalog pass one by one.
    private func list(_ folder: FilePath) throws -> [FilePath] {
        let (listing, elsewhere): (FolderListing, FolderListing?)
        do throws(FileError) {
            listing = try LinkedFiles(root: library.root, scope).listing(of: folder)
            elsewhere = try library.places.listing(of: folder, scope)
        } catch .missing {
            // Not visited, so that `missUnvisited` notes its files.
            visited.remove(folder)
            return []
        } catch {
            store.noteFailure(folder, error.description)
            unreadable.append(folder)
            return []
        }
        store.noteSystemEntries(listing.systemEntries)
        let sidecars = Sidecars(listing, in: folder, elsewhere)
        var isDone = [Bool](repeating: false, count: listing.count)
        var missing: [CatalogedFile] = []
        let (flag, dateCompletion) = (flag, dateCompletion)
        var unchanged: [CatalogedFile] = []
        var renumbered: [Renumbering.File] = []
        var count = 0
        try library.readAndWait { catalog in
            try catalog.forEachFile(in: folder) { known in
                if flag.isRaised { throw CancellationError() }
                guard let index = known.path.below(folder).flatMap({ listing.index(of: $0.text) }),
                    !sidecars.isSidecar(index)
                else { return missing.append(known) }
                let file = sidecars.file(index)
                guard known.isSame(file), !known.takes(dateCompletion) else { return }
                guard known.hasInode(of: file) else { return renumbered.append((known, file)) }
                isDone[index] = true
                if known.asset == nil || known.sidecarFault != nil { unchanged.append(known) }
                if known.asset != nil { count += 1 }
            }
        }
        let (same, doubtful) = try renumbering.split(
            renumbered, isPartial: count + unchanged.count > 0, library)
        try Renumbering.store(same, library)
        for (known, file) in same {
            if let index = file.path.below(folder).flatMap({ listing.index(of: $0.text) }) {
                isDone[index] = true
            }
            if known.asset == nil || known.sidecarFault != nil { unchanged.append(known) }
            if known.asset != nil { count += 1 }
        }
        let doubts = Set(doubtful.map(\.file.path))
        store.noteUnchanged(count)
        for known in unchanged {
            if let fault = known.sidecarFault {
                store.noteSidecarFault(known.path, fault)
            } else {
                noteUnread(known)
            }
        }
        for index in 0..<listing.count where !isDone[index] && !sidecars.isSidecar(index) {
            var file = sidecars.file(index)
            file.isDoubtful = doubts.contains(file.path)
            waiting.append(file)
            if waiting.count >= batch {
                try flush()
                progress(files + index)
            }
        }
        let broken = noteLinks(listing.links, in: folder, known: Set(missing.map(\.path)))
        // A link that is broken for a while does not cost a photo its albums.
        for gone in missing where !broken.contains(gone.path) { store.noteMissing(gone) }
        for _ in 0..<(sidecars.sidecarCount + sidecars.elsewhereCount) { store.noteSidecar() }
        try advance(listing.count - sidecars.sidecarCount)
        // `walk` takes the last one first.
        return listing.folders.map { folder.appending(FilePath($0)) }.sorted().reversed()
    }

    /// Records the links of a folder that are not followed; returns the paths of broken ones.
    ///
    /// - Parameter known: the paths of the folder's records without a file.
    private func noteLinks(
        _ links: [FolderListing.Link], in folder: FilePath, known: Set<FilePath>
    ) -> Set<FilePath> {
        var broken: Set<FilePath> = []
        for link in links.sorted(by: { FilePath($0.name) < FilePath($1.name) }) {
            let path = folder.appending(FilePath(link.name))
            if link.target == .nothing { broken.insert(path) }
            // As files of these names, links that lead nowhere are photos that cannot be read.
            if link.target == .nothing, FileExtension.isMedia(path) || known.contains(path) {
                store.noteFailure(path, link.reason)
            } else {
                store.noteLink(path, link.reason)
            }
        }
        return broken
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
    private func missUnvisited(below path: FilePath) throws {
        for folder in try library.readAndWait({ try $0.folders(below: path) }) {
            guard !visited.contains(folder), !unreadable.contains(where: { folder.isIn($0) }) else {
                continue
            }
            for file in try library.readAndWait({ try $0.files(in: folder) }) {
                store.noteMissing(file)
            }
        }
    }
}

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

    private var store: IndexStore
    /// The files to read.
    private var waiting: [ScannedFile] = []
    /// The folders that were listed.
    private var visited: Set<[UInt8]> = []
    /// The folders that could not be listed: assets in them and below are kept unchanged.
    private var unreadable: [String] = []
    private var files = 0

    /// The number of files that are read before they are written.
    private static let batch = 512

    init(
        library: PhotoLibrary, dateCompletion: DateCompletion = DateCompletion(), flag: CancellationFlag,
        progress: @escaping @Sendable (Int) -> Void
    ) {
        self.library = library
        self.dateCompletion = dateCompletion
        self.flag = flag
        self.progress = progress
        store = IndexStore(library: library, dateCompletion: dateCompletion)
    }

    func index(_ paths: [String]) throws(LibraryError) -> IndexReport {
        try PhotoLibrary.checkRoot(library.root)
        try store.begin()
        for path in paths { try scan(try below(path)) }
        try flush()
        try store.removeMissing(Self.batch) { () throws(LibraryError) in try advance(0) }
        try store.finish()
        return store.report
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
    }

    private func read(_ files: [ScannedFile]) -> [FileReading] {
        let (root, dateCompletion, flag) = (library.root, dateCompletion, flag)
        let next = Atomic(0)
        let readings = Mutex([FileReading?](repeating: nil, count: files.count))
        DispatchQueue.concurrentPerform(iterations: Processors.count) { _ in
            while !flag.isRaised {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < files.count else { return }
                let reading = FileReading(files[index], root: root, dateCompletion)
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
    private func list(_ folder: String) throws(LibraryError) -> [String] {
        let entries: [Folder.Entry]
        do {
            entries = try Folder.entries(in: absolute(folder))
        } catch .missing {
            visited.remove(Array(folder.utf8))
            return []
        } catch {
            store.noteFailure(folder, error.description)
            unreadable.append(folder)
            return []
        }
        let prefix = folder.isEmpty ? "" : folder + "/"
        let seen = entries.filter { !$0.name.hasPrefix(".") }
        let known = try library.readAndWait { try CatalogedFile.all(in: folder, $0) }
        var knownByPath = Dictionary(known.map { (Array($0.path.utf8), $0) }) { $1 }
        let sidecars = Sidecars(seen, prefix)
        var count = 0
        for entry in seen {
            guard case .file(let status) = entry.kind, !Sidecars.isSidecar(entry.name) else { continue }
            let path = prefix + entry.name
            let file = ScannedFile(path: path, status: status, sidecar: sidecars.sidecar(of: entry.name))
            try compare(file, knownByPath.removeValue(forKey: Array(path.utf8)))
            count += 1
        }
        for gone in knownByPath.values {
            store.noteMissing(gone)
        }
        try advance(count)
        return seen.filter { $0.kind == .folder }.map { prefix + $0.name }.sorted().reversed()
    }

    private func compare(_ file: ScannedFile, _ known: CatalogedFile?) throws(LibraryError) {
        guard let known, known.isSame(file), !known.takes(dateCompletion) else {
            waiting.append(file)
            if waiting.count >= Self.batch { try flush() }
            return
        }
        if known.asset != nil {
            store.noteUnchanged()
        } else if let reason = known.reason ?? (FileExtension.isMedia(known.path) ? FileExtension.fault : nil)
        {
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

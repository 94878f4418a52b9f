internal import Dispatch
internal import Files
internal import GRDB
internal import ImageMetadata
internal import Synchronization

/// One run of indexing, on a thread of its own: folders are walked, files compared with what the catalog
/// remembers, those that changed read by all processors and written in batches.
final class IndexRun {
    let library: PhotoLibrary
    let dating: Dating
    private let flag: CancellationFlag
    private let progress: @Sendable (IndexProgress) -> Void

    var report = IndexReport()
    /// Files that have to be read.
    var waiting: [FoundFile] = []
    /// Assets whose files are not there any more, with the paths that they had.
    var missing: [Asset.ID: String] = [:]
    /// Files that are no assets and are not there any more.
    var forgotten: [String] = []
    /// Folders that were read to their end.
    var visited: Set<[UInt8]> = []
    /// Folders that could not be read: what lies in them and below is left as it was.
    var unreadable: [String] = []
    /// Folders in which an asset has changed.
    var touched: Set<Int64> = []
    /// The last asset before this run.
    private(set) var newest: Asset.ID = 0
    private var files = 0

    /// Files that are read before they are written together.
    static let batch = 512

    init(
        library: PhotoLibrary, dating: Dating = Dating(), flag: CancellationFlag,
        progress: @escaping @Sendable (IndexProgress) -> Void
    ) {
        self.library = library
        self.dating = dating
        self.flag = flag
        self.progress = progress
    }

    func index(_ paths: [String]) throws(LibraryError) -> IndexReport {
        do {
            _ = try Folder.entries(in: library.root)
        } catch {
            throw .noRoot(library.root, reason: error.description)
        }
        newest = try library.catalog.readAndWait { database in
            try Int64.fetchOne(database, sql: "SELECT max(id) FROM asset") ?? 0
        }
        for path in paths { try scan(try below(path)) }
        try flush()
        try removeMissing()
        try finish()
        return report
    }

    /// A path below the root; empty for the root itself.
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

    func absolute(_ path: String) -> String { path.isEmpty ? library.root : "\(library.root)/\(path)" }

    /// Tells how far it is, and ends the run where nobody waits for it.
    func advance(_ count: Int, in folder: String) throws(LibraryError) {
        files += count
        progress(IndexProgress(files: files, folder: folder))
        if flag.isRaised { throw .cancelled }
    }

    /// Reads and writes the files that wait.
    func flush() throws(LibraryError) {
        guard !waiting.isEmpty else { return }
        let files = try recall(waiting)
        waiting = []
        let readings = read(files)
        try store(zip(files, readings))
    }

    private func read(_ files: [FoundFile]) -> [FileReading] {
        let (root, dating, flag) = (library.root, dating, flag)
        let next = Atomic(0)
        let readings = Mutex([FileReading?](repeating: nil, count: files.count))
        DispatchQueue.concurrentPerform(iterations: Processors.count) { _ in
            while !flag.isRaised {
                let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard index < files.count else { return }
                let reading = FileReading(files[index], root: root, dating)
                readings.withLock { $0[index] = reading }
            }
        }
        // A raised flag leaves the rest unread: they are not written, and found again by the next run.
        return readings.withLock { $0.prefix { $0 != nil }.compactMap(\.self) }
    }
}

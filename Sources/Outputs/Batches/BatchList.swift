internal import Basics
internal import Containers
package import Files

/// The input of a batch: the lines of a manifest, or files and folders.
package struct BatchList {
    private enum Source {
        case manifest(LineReader, name: String)
        case walk(FileWalk)
    }

    /// The next line of a manifest or path of a walk, before it is parsed.
    enum Raw {
        case line(LineReader.Line)
        case path(String)
    }

    /// The next entry.
    enum Entry {
        case item(BatchItem)
        case bad(
            line: Int, bytes: [UInt8], id: JSONValue?, path: JSONValue?, rest: [JSONValue.Member],
            reason: String)
    }

    private var source: Source
    let root: BatchRoot
    private(set) var line = 0

    /// Creates the list of a manifest; "-" is standard input.
    package init(manifest path: String, root: BatchRoot) throws(BatchError) {
        self.root = root
        do throws(FileError) {
            source = .manifest(try LineReader(path), name: path)
        } catch {
            throw .listUnreadable(path, error)
        }
    }

    /// Creates a list of files and, with `isRecursive`, of all pictures below folders.
    ///
    /// - Parameters:
    ///   - takesVideos: whether folders give their videos, too.
    ///   - leavingOut: a folder to skip: that of the outputs.
    package init(
        _ paths: [String], isRecursive: Bool, takesVideos: Bool = true, leavingOut: String? = nil,
        root: BatchRoot
    ) {
        self.root = root
        source = .walk(
            FileWalk(paths, isRecursive: isRecursive, takesVideos: takesVideos, leavingOut: leavingOut))
    }

    /// Whether the entries are lines of a manifest.
    var isManifest: Bool { if case .manifest = source { true } else { false } }

    /// The fraction of the list that was returned, from 0 to 1; nil if its length is unknown.
    package var share: Double? {
        switch source {
        case .manifest(let reader, _): reader.size.map { Double(reader.offset) / Double(max(1, $0)) }
        case .walk(let walk): walk.share
        }
    }

    /// Whether the rest can be read without waiting for another process.
    var isAtHand: Bool {
        switch source {
        case .manifest(let reader, _): reader.size != nil
        case .walk: true
        }
    }

    /// Returns the next entry; nil at the end or when the batch was stopped while waiting.
    mutating func next(isStopped: () -> Bool) throws(BatchError) -> Entry? {
        while let raw = try nextRaw(isStopped: isStopped) {
            if let entry = entry(raw) { return entry }
        }
        return nil
    }

    /// Returns the next line or path; nil at the end or when the batch was stopped while waiting.
    mutating func nextRaw(isStopped: () -> Bool) throws(BatchError) -> Raw? {
        switch source {
        case .walk(var walk):
            guard let path = walk.next() else { return nil }
            source = .walk(walk)
            line += 1
            return .path(path)
        case .manifest(let reader, let name):
            do throws(FileError) {
                guard let text = try reader.next(isStopped: isStopped) else { return nil }
                line += 1
                return .line(text)
            } catch {
                throw .listUnreadable(name, error)
            }
        }
    }

    /// Parses what `nextRaw` returned last; nil for a blank line.
    func entry(_ raw: Raw) -> Entry? {
        switch raw {
        case .path(let path): .item(root.item(line: line, path: path))
        case .line(let text):
            switch ManifestLine(text, number: line, root: root) {
            case nil: nil
            case .item(let item): .item(item)
            case .bad(let id, let path, let rest, let reason):
                .bad(line: line, bytes: text.bytes, id: id, path: path, rest: rest, reason: reason)
            }
        }
    }
}

extension BatchList {
    /// Returns all remaining items, and a sentence for each line that is none.
    package mutating func items() throws(BatchError) -> (items: [BatchItem], faults: [String]) {
        var (items, faults): ([BatchItem], [String]) = ([], [])
        while let entry = try next(isStopped: { false }) {
            switch entry {
            case .item(let item): items.append(item)
            case .bad(let line, _, _, _, _, let reason): faults.append("line \(line): \(reason)")
            }
        }
        return (items, faults)
    }

    /// Returns the files of all remaining items.
    package mutating func files() -> Set<FileIdentity> {
        var files: Set<FileIdentity> = []
        while let entry = (try? next(isStopped: { false })) ?? nil {
            if case .item(let item) = entry, let file = FileIdentity(item.file) { files.insert(file) }
        }
        return files
    }
}

/// The given files, and the pictures in the given folders in byte order of their paths.
struct FileWalk {
    private let isRecursive: Bool
    private let extensions: Set<String>
    private let leavingOut: FilePath?
    /// The remaining paths, the next one last; a folder ends in "/" and divides its share of the whole among its
    /// contents.
    private var waiting: [(path: String, part: Double)]
    /// The sum of the remaining shares.
    private var left = 1.0
    /// The number of paths in `waiting` that were given, not found.
    private var named: Int

    init(_ paths: [String], isRecursive: Bool, takesVideos: Bool = true, leavingOut: String?) {
        self.isRecursive = isRecursive
        extensions = takesVideos ? FileType.scannedExtensions : FileType.pictureExtensions
        self.leavingOut = leavingOut.map { FilePath(ProcessEnvironment.absolutePath($0)) }
        named = paths.count
        waiting = paths.reversed().map { ($0, 1 / Double(paths.count)) }
    }

    /// The fraction that was returned, estimated for folders that were not read yet.
    var share: Double? { left < 1 ? min(1 - left, 1) : nil }

    mutating func next() -> String? {
        while let (path, part) = waiting.popLast() {
            left -= part
            let isNamed = waiting.count < named
            if isNamed { named = waiting.count }
            guard isRecursive, isNamed ? Folder.isFolder(path, followingLinks: true) : path.hasSuffix("/")
            else {
                return path
            }
            let folder = path.hasSuffix("/") && path != "/" ? String(path.dropLast()) : path
            guard leavingOut == nil || FilePath(ProcessEnvironment.absolutePath(folder)) != leavingOut
            else { continue }
            guard let names = try? Folder.listing(of: folder) else {
                // Returned as it is, so that its result reports that it cannot be read.
                return folder
            }
            let prefix = folder == "/" ? "/" : folder == "." ? "" : folder + "/"
            let found = names.reversed().filter { $0.hasSuffix("/") || isPicture($0) }
            if !found.isEmpty { left += part }
            waiting += found.map { (prefix + $0, part / Double(found.count)) }
        }
        return nil
    }

    /// Whether a file name has an extension that folders are searched for.
    private func isPicture(_ name: String) -> Bool {
        FilePath(name).fileExtension.map { extensions.contains($0.text.lowercased()) } ?? false
    }
}

package import Basics
package import Files
internal import Foundation

/// The input of a batch: the lines of a manifest, or files and folders.
package struct BatchList {
    private enum Source {
        case manifest(LineReader, name: String)
        case walk(FileWalk)
    }

    /// The next entry.
    enum Entry {
        case item(BatchItem)
        case bad(
            line: Int, bytes: [UInt8], id: JSONValue?, path: JSONValue?, rest: [JSONValue.Member],
            reason: String)
    }

    private var source: Source
    private let root: BatchRoot
    private var line = 0

    /// Creates the list of a manifest; "-" is standard input.
    package init(manifest path: String, root: BatchRoot) throws(BatchError) {
        self.root = root
        do throws(FileError) {
            source = .manifest(try LineReader(path), name: path)
        } catch {
            throw .listUnreadable(path, error)
        }
    }

    /// Creates a list of files and, with `isRecursive`, of all pictures and videos below folders.
    ///
    /// - Parameter leavingOut: a folder to skip: that of the outputs.
    package init(_ paths: [String], isRecursive: Bool, leavingOut: String? = nil, root: BatchRoot) {
        self.root = root
        source = .walk(FileWalk(paths, isRecursive: isRecursive, leavingOut: leavingOut))
    }

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
        switch source {
        case .walk(var walk):
            guard let path = walk.next() else { return nil }
            source = .walk(walk)
            line += 1
            return .item(
                BatchItem(
                    line: line, path: path, file: root.file(path), relativePath: root.relative(path)))
        case .manifest(let reader, let name):
            do throws(FileError) {
                while let text = try reader.next(isStopped: isStopped) {
                    line += 1
                    switch ManifestLine(text, number: line, root: root) {
                    case nil: continue
                    case .item(let item): return .item(item)
                    case .bad(let id, let path, let rest, let reason):
                        return .bad(
                            line: line, bytes: text.bytes, id: id, path: path, rest: rest, reason: reason)
                    }
                }
                return nil
            } catch {
                throw .listUnreadable(name, error)
            }
        }
    }
}

extension BatchList {
    /// Returns the files of all remaining items.
    package mutating func files() -> Set<FileIdentity> {
        var files: Set<FileIdentity> = []
        while let entry = (try? next(isStopped: { false })) ?? nil {
            if case .item(let item) = entry, let file = FileIdentity(item.file) { files.insert(file) }
        }
        return files
    }
}

/// An item of a batch: a file, as the list names it.
package struct BatchItem: Sendable {
    /// The line in the list, from 1; blank lines count.
    package var line: Int
    /// The given id: a string or an integer.
    package var id: JSONValue?
    /// The given path.
    package var path: String
    /// The path to open.
    package var file: String
    /// The path relative to the root, normalized.
    package var relativePath: String
    /// The other members of the line; they are copied to the result.
    package var rest: [JSONValue.Member] = []

    /// The identity of the item in every run and on every machine: the id, else the path relative to the root.
    package var key: String { (idText ?? relativePath).precomposedStringWithCanonicalMapping }

    /// The id as a string.
    var idText: String? {
        switch id {
        case .string(let text): text
        case .int(let number): "\(number)"
        default: nil
        }
    }
}

/// The folder that paths are relative to.
package struct BatchRoot: Sendable {
    private let folder: String
    /// The base of relative paths.
    private let start: String
    private let absoluteParts: [Substring]

    /// - Parameter isForManifest: whether relative paths start at the root; else at the current folder, as on a
    ///   command line.
    package init(_ folder: String = ".", isForManifest: Bool = true) {
        self.folder = folder
        start = isForManifest || folder == "." ? folder : "."
        absoluteParts = Self.parts(ProcessEnvironment.absolutePath(folder))
    }

    /// Returns the path to open.
    package func file(_ path: String) -> String {
        path.hasPrefix("/") || start == "." ? path : "\(start)/\(path)"
    }

    /// Returns the path relative to the root, without `.` and `..`; an absolute one outside of it stays absolute.
    func relative(_ path: String) -> String {
        let isSeenFromRoot = !path.hasPrefix("/") && start == folder
        guard !isSeenFromRoot else { return Self.parts(path).joined(separator: "/") }
        let parts = Self.parts(path.hasPrefix("/") ? path : ProcessEnvironment.absolutePath(".") + "/" + path)
        guard parts.starts(with: absoluteParts) else { return "/" + parts.joined(separator: "/") }
        return parts.dropFirst(absoluteParts.count).joined(separator: "/")
    }

    private static func parts(_ path: String) -> [Substring] {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." {
                parts.removeLast()
            } else {
                parts.append(part)
            }
        }
        return parts
    }
}

/// A parsed line of a manifest.
enum ManifestLine {
    case item(BatchItem)
    /// A line that names no file, and the reason.
    case bad(id: JSONValue?, path: JSONValue?, rest: [JSONValue.Member], reason: String)

    /// Parses a line; nil for a blank line.
    init?(_ line: LineReader.Line, number: Int, root: BatchRoot) {
        guard !line.bytes.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) else { return nil }
        guard !line.isCut else {
            self = .bad(
                id: nil, path: nil, rest: [], reason: "longer than \(LineReader.longestLine) bytes")
            return
        }
        do throws(JSONSyntaxError) {
            self.init(try JSONValue(parsing: line.bytes), number: number, root: root)
        } catch {
            self = .bad(id: nil, path: nil, rest: [], reason: "not JSON at byte \(error.offset)")
        }
    }

    private init(_ json: JSONValue, number: Int, root: BatchRoot) {
        guard let members = json.members else {
            self = .bad(
                id: nil, path: nil, rest: [], reason: "not an object; write {\"path\":\"photo.jpg\"}")
            return
        }
        let rest = members.filter { !BatchResult.members.contains($0.name) }
        let id = json["id"] == .null ? nil : json["id"]
        let reason: String? =
            switch (id, json["path"]) {
            case (.string(""), _): "the id is empty; omit it to use the path"
            case (nil, let path), (.string, let path), (.int, let path): Self.problem(ofPath: path)
            default: "the id is neither a string nor an integer"
            }
        guard reason == nil, let path = json["path"]?.string else {
            self = .bad(id: id, path: json["path"], rest: rest, reason: reason ?? "")
            return
        }
        self = .item(
            BatchItem(
                line: number, id: id, path: path, file: root.file(path), relativePath: root.relative(path),
                rest: rest))
    }

    private static func problem(ofPath path: JSONValue?) -> String? {
        switch path {
        case nil: "no path; write {\"path\":\"photo.jpg\"}"
        case .string(""): "the path is empty"
        case .string(let path) where path.utf8.contains(0): "the path contains a zero byte"
        case .string: nil
        default: "the path is not a string"
        }
    }
}

/// The given files, and the pictures in the given folders in byte order of their paths.
struct FileWalk {
    private let isRecursive: Bool
    private let leavingOut: String?
    /// The remaining paths, the next one last; a folder ends in "/" and divides its share of the whole among its
    /// contents.
    private var waiting: [(path: String, part: Double)]
    /// The sum of the remaining shares.
    private var left = 1.0
    /// The number of paths in `waiting` that were given, not found.
    private var named: Int

    init(_ paths: [String], isRecursive: Bool, leavingOut: String?) {
        self.isRecursive = isRecursive
        self.leavingOut = leavingOut.map(ProcessEnvironment.absolutePath)
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
            guard leavingOut == nil || ProcessEnvironment.absolutePath(folder) != leavingOut else { continue }
            guard let names = try? Folder.listing(of: folder) else {
                // Returned as it is, so that its result reports that it cannot be read.
                return folder
            }
            let prefix = folder == "/" ? "/" : folder == "." ? "" : folder + "/"
            let found = names.reversed().filter { $0.hasSuffix("/") || Self.isPicture($0) }
            if !found.isEmpty { left += part }
            waiting += found.map { (prefix + $0, part / Double(found.count)) }
        }
        return nil
    }

    /// Whether a file name has the extension of a picture or video.
    private static func isPicture(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return false }
        return endings.contains(name[name.index(after: dot)...].lowercased())
    }

    private static let endings: Set<String> = [
        "jpg", "jpeg", "jpe", "jfif", "png", "apng", "gif", "webp", "avif", "heic", "heif", "hif", "tif",
        "tiff",
        "bmp", "ico", "svg", "svgz", "pdf", "jp2", "j2k", "jpx", "jxl", "ppm", "pgm", "pbm", "pnm", "pfm",
        "hdr",
        "exr", "psd", "tga", "fits", "fit", "v", "svs", "ndpi", "scn", "mrxs", "vms", "bif",
        "dng", "cr2", "cr3", "nef", "nrw", "arw", "srf", "sr2", "raf", "orf", "rw2", "pef", "srw", "x3f",
        "3fr",
        "mp4", "m4v", "mov", "avi", "mkv", "webm", "mts", "m2ts", "3gp", "mpg", "mpeg", "wmv",
    ]
}

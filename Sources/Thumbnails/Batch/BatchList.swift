package import Basics
package import Files
internal import Foundation

/// What a batch is made of: the lines of a manifest, or files and folders that were named.
package struct BatchList {
    private enum Source {
        case manifest(LineReader, name: String)
        case walk(FileWalk)
    }

    /// What comes next.
    enum Entry {
        case item(BatchItem)
        case bad(
            line: Int, bytes: [UInt8], id: JSONValue?, path: JSONValue?, rest: [JSONValue.Member],
            reason: String)
    }

    private var source: Source
    private let root: BatchRoot
    private var line = 0

    /// The lines of a file, or of standard input for "-".
    package init(manifest path: String, root: BatchRoot) throws(BatchError) {
        self.root = root
        do throws(FileError) {
            source = .manifest(try LineReader(path), name: path)
        } catch {
            throw .listUnreadable(path, error)
        }
    }

    /// Files, and with `isRecursive` all pictures below folders.
    ///
    /// - Parameter leavingOut: a folder that is not gone into: that of the outputs.
    package init(_ paths: [String], isRecursive: Bool, leavingOut: String? = nil, root: BatchRoot) {
        self.root = root
        source = .walk(FileWalk(paths, isRecursive: isRecursive, leavingOut: leavingOut))
    }

    /// How much of the list was handed out, from 0 to 1; nil where its length is not known.
    package var share: Double? {
        switch source {
        case .manifest(let reader, _): reader.size.map { Double(reader.offset) / Double(max(1, $0)) }
        case .walk(let walk): walk.share
        }
    }

    /// Whether the rest can be looked through without waiting for anybody.
    var isAtHand: Bool {
        switch source {
        case .manifest(let reader, _): reader.size != nil
        case .walk: true
        }
    }

    /// Nil at the end, and when waiting was given up.
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
    /// The files of all items that are left in the list.
    package mutating func files() -> Set<FileIdentity> {
        var files: Set<FileIdentity> = []
        while let entry = (try? next(isStopped: { false })) ?? nil {
            if case .item(let item) = entry, let file = FileIdentity(item.file) { files.insert(file) }
        }
        return files
    }
}

/// One file of a batch, as its list names it.
package struct BatchItem: Sendable {
    /// Where it stands in the list, from 1; blank lines are counted.
    package var line: Int
    /// The id as it was given: a text or a whole number.
    package var id: JSONValue?
    /// The path as it was given.
    package var path: String
    /// The path to open.
    var file: String
    /// The path seen from the root, without detours.
    var relativePath: String
    /// What else stood in the line; it comes back in the result.
    var rest: [JSONValue.Member] = []

    /// What the item is known by in every run and on every machine: the id, else the path seen from the root.
    package var key: String { (idText ?? relativePath).precomposedStringWithCanonicalMapping }

    /// The id as a text.
    var idText: String? {
        switch id {
        case .string(let text): text
        case .int(let number): "\(number)"
        default: nil
        }
    }
}

/// The folder that paths are seen from.
package struct BatchRoot: Sendable {
    private let folder: String
    /// Where a path that does not begin with "/" begins.
    private let start: String
    private let absoluteParts: [Substring]

    /// - Parameter isForManifest: whether paths begin at the root too; else at the current folder, as paths of a
    ///   command line do.
    package init(_ folder: String = ".", isForManifest: Bool = true) {
        self.folder = folder
        start = isForManifest || folder == "." ? folder : "."
        absoluteParts = Self.parts(ProcessEnvironment.absolutePath(folder))
    }

    /// The path to open.
    func file(_ path: String) -> String {
        path.hasPrefix("/") || start == "." ? path : "\(start)/\(path)"
    }

    /// The path seen from the root, without `.` and `..`; an absolute one outside of it stays absolute.
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

/// A line of a manifest as it was understood.
enum ManifestLine {
    case item(BatchItem)
    /// What is known of a line that names no file, and what is wrong with it.
    case bad(id: JSONValue?, path: JSONValue?, rest: [JSONValue.Member], reason: String)

    /// Nil for a blank line.
    init?(_ line: LineReader.Line, number: Int, root: BatchRoot) {
        guard !line.bytes.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) else { return nil }
        guard !line.isCut else {
            self = .bad(
                id: nil, path: nil, rest: [], reason: "it is longer than \(LineReader.longestLine) bytes")
            return
        }
        do throws(JSONSyntaxError) {
            self.init(try JSONValue(parsing: line.bytes), number: number, root: root)
        } catch {
            self = .bad(id: nil, path: nil, rest: [], reason: "it is no JSON from byte \(error.offset) on")
        }
    }

    private init(_ json: JSONValue, number: Int, root: BatchRoot) {
        guard let members = json.members else {
            self = .bad(
                id: nil, path: nil, rest: [], reason: "it is no object; write {\"path\":\"photo.jpg\"}")
            return
        }
        let rest = members.filter { !BatchResult.members.contains($0.name) }
        let id = json["id"] == .null ? nil : json["id"]
        let reason: String? =
            switch (id, json["path"]) {
            case (.string(""), _): "its id is empty; leave it out to use the path"
            case (nil, let path), (.string, let path), (.int, let path): Self.problem(ofPath: path)
            default: "its id is neither a text nor a whole number"
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
        case nil: "it has no path; write {\"path\":\"photo.jpg\"}"
        case .string(""): "its path is empty"
        case .string(let path) where path.utf8.contains(0): "its path has a zero in it"
        case .string: nil
        default: "its path is no text"
        }
    }
}

/// The files that were named, and the pictures in the folders that were: in the order of the paths' bytes.
struct FileWalk {
    private let isRecursive: Bool
    private let leavingOut: String?
    /// What is still to be looked at, the next one last; a folder has a "/" at its end and passes its part of the
    /// whole on to what is in it.
    private var waiting: [(path: String, part: Double)]
    /// The sum of the parts that wait.
    private var left = 1.0
    /// Those of `waiting` that were named, not found.
    private var named: Int

    init(_ paths: [String], isRecursive: Bool, leavingOut: String?) {
        self.isRecursive = isRecursive
        self.leavingOut = leavingOut.map(ProcessEnvironment.absolutePath)
        named = paths.count
        waiting = paths.reversed().map { ($0, 1 / Double(paths.count)) }
    }

    /// How much of the whole was handed out, as far as the folders that were not looked into yet let it be known.
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
                // Named as it is, so that its result says that it cannot be read.
                return folder
            }
            let prefix = folder == "/" ? "/" : folder == "." ? "" : folder + "/"
            let found = names.reversed().filter { $0.hasSuffix("/") || Self.isPicture($0) }
            if !found.isEmpty { left += part }
            waiting += found.map { (prefix + $0, part / Double(found.count)) }
        }
        return nil
    }

    /// Whether a file's name is that of a picture or a film: other files of a folder are not asked for.
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

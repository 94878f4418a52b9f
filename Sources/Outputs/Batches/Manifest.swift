package import Basics
internal import Files
internal import Foundation
internal import RemoteFiles

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
    /// Whether the other members tell items of one file apart.
    package var isOfLine = false

    package init(
        line: Int, id: JSONValue? = nil, path: String, file: String, relativePath: String,
        rest: [JSONValue.Member] = [], isOfLine: Bool = false
    ) {
        self.line = line
        self.id = id
        self.path = path
        self.file = file
        self.relativePath = relativePath
        self.rest = rest
        self.isOfLine = isOfLine
    }

    /// The identity of the item in every run and on every machine, by its bytes: the id, else the path relative to the
    /// root, with the other members if these tell items of one file apart.
    package var key: String {
        idText ?? (isOfLine ? "\(relativePath) \(JSONValue.object(rest))" : relativePath)
    }

    /// The key in Unicode NFC, which decides the shard.
    var shardKey: String { key.precomposedStringWithCanonicalMapping }

    /// Whether the line has one of some members.
    package func hasMember(of names: [StaticString]) -> Bool {
        rest.contains { member in names.contains { $0.description == member.name } }
    }

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
    private let absoluteParts: [FilePath]
    /// Whether the other members of lines tell items of one file apart.
    let hasItemsOfLines: Bool

    /// - Parameters:
    ///   - isForManifest: whether relative paths start at the root; else at the current folder, as on a command line.
    ///   - hasItemsOfLines: whether the other members of lines tell items of one file apart.
    package init(_ folder: String = ".", isForManifest: Bool = true, hasItemsOfLines: Bool = false) {
        self.folder = folder
        self.hasItemsOfLines = hasItemsOfLines
        start = isForManifest || folder == "." ? folder : "."
        absoluteParts = Self.parts(FilePath(ProcessEnvironment.absolutePath(folder)))
    }

    /// Creates an item.
    ///
    /// - Parameter isOfLine: whether the other members tell items of one file apart; nil for the root's choice.
    func item(
        line: Int, id: JSONValue? = nil, path: String, rest: [JSONValue.Member] = [], isOfLine: Bool? = nil
    ) -> BatchItem {
        BatchItem(
            line: line, id: id, path: path, file: file(path), relativePath: relative(path), rest: rest,
            isOfLine: isOfLine ?? hasItemsOfLines)
    }

    /// The root as a prefix of absolute paths, ending in "/".
    var absolutePrefix: String { "/" + absoluteParts.map { $0.text + "/" }.joined() }

    /// Whether relative paths start at the root.
    var isForManifest: Bool { start == folder }

    /// Returns the path to open.
    package func file(_ path: String) -> String {
        FilePath(path).isAbsolute || start == "." || RemoteAddress.isRemote(path) ? path : "\(start)/\(path)"
    }

    /// Returns the path relative to the root, without `.` and `..`; an absolute one outside of it stays absolute.
    package func relative(_ path: String) -> String {
        let path = FilePath(path)
        if !path.isAbsolute, isForManifest { return Self.joined(Self.parts(path)) }
        let parts = Self.parts(
            path.isAbsolute ? path : FilePath(ProcessEnvironment.absolutePath(".")).appending(path))
        guard parts.starts(with: absoluteParts) else { return "/" + Self.joined(parts) }
        return Self.joined(parts.dropFirst(absoluteParts.count))
    }

    private static func joined(_ parts: some Sequence<FilePath>) -> String {
        parts.map(\.text).joined(separator: "/")
    }

    private static func parts(_ path: FilePath) -> [FilePath] {
        var parts: [FilePath] = []
        for part in path.names where part != "." {
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
            case (.string(let id), _) where id.utf8.contains(0): "the id contains a zero byte"
            case (nil, let path), (.string, let path), (.int, let path): Self.problem(ofPath: path)
            default: "the id is neither a string nor an integer"
            }
        guard reason == nil, let path = json["path"]?.string else {
            self = .bad(id: id, path: json["path"], rest: rest, reason: reason ?? "")
            return
        }
        self = .item(root.item(line: number, id: id, path: path, rest: rest))
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

internal import Basics
internal import Files

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

package import Basics
internal import Digests
package import Files
internal import ImageReading

/// The result of one file of a batch.
public struct BatchResult: Sendable {
    /// The outcome of a file.
    public enum Outcome: Hashable, Codable, Sendable {
        /// The outputs were made and written.
        case made([StoredThumbnail])
        /// The outputs exist and match the file and the recipe.
        case skipped([StoredThumbnail])
        /// The file is in the list twice.
        case duplicate
        /// The file has no outputs; nothing was written.
        case failed(BatchFailure)
    }

    /// The position in the list, from 1.
    package var line: Int
    package var id: JSONValue?
    package var path: JSONValue?
    /// The other members of the manifest's line.
    package var rest: [JSONValue.Member]
    /// Whether these tell items of one file apart.
    private var isOfLine = false
    /// The outcome.
    public package(set) var outcome: Outcome
    /// What the work says of the item beside its outputs.
    package var notes: [JSONValue.Member] = []
    /// The recipe's fingerprint and the state of the file, for comparison in later runs.
    package var origin: Origin?
    /// The time for decoding and writing.
    public package(set) var duration = Duration.zero

    /// The work and the state of the file that a result is of.
    package struct Origin: Sendable {
        package var recipe: String
        package var source: FileStatus
    }

    init(line: Int, id: JSONValue?, path: JSONValue?, rest: [JSONValue.Member], outcome: Outcome) {
        (self.line, self.id, self.path, self.rest, self.outcome) = (line, id, path, rest, outcome)
    }

    init(_ item: BatchItem, outcome: Outcome) {
        self.init(
            line: item.line, id: item.id, path: .string(item.path), rest: item.rest, outcome: outcome)
        isOfLine = item.isOfLine
    }

    /// The file as the list names it; nil for a line of a manifest without a file.
    public var file: String? { path?.string }

    /// Why the file has no outputs; nil if it has.
    public var failure: BatchFailure? {
        if case .failed(let failure) = outcome { failure } else { nil }
    }
}

/// A thumbnail or another output that was written to a file.
public struct StoredThumbnail: Sendable, Hashable, Codable {
    /// The requested size, in the syntax of `ThumbnailSize`.
    public package(set) var size: String
    /// The width in pixels.
    public package(set) var width: Int
    /// The height in pixels.
    public package(set) var height: Int
    package var bytes: Int
    /// The size of the file in bytes; of several files, of all of them.
    public var fileSize: Int { bytes }
    /// The SHA-256 of the file in hexadecimal digits.
    public package(set) var sha256: String
    /// The path of the file.
    public package(set) var path: String {
        get { place.text }
        set { place = FilePath(newValue) }
    }
    /// The number of files if it is a folder or has one; nil for a file.
    package var files: Int?
    private var place: FilePath

    init(size: String, width: Int, height: Int, bytes: Int, sha256: String, path: String) {
        (self.size, self.width, self.height, self.bytes) = (size, width, height, bytes)
        (self.sha256, place) = (sha256, FilePath(path))
    }

    private enum CodingKeys: String, CodingKey {
        case size, width, height, sha256, files
        case bytes = "fileSize"
        case place = "path"
    }
}

extension StoredThumbnail: CustomStringConvertible {
    /// Path, size in pixels and size in bytes: "thumbnails/a.jpg, 256x192, 12.3 kB".
    public var description: String { "\(place), \(width)x\(height), \(bytes.readableBytes)" }
}

// Not `Codable`: lines of the log are its format, with all members of the manifest's line.
extension BatchResult: CustomStringConvertible {
    /// The file and its outcome: "a.jpg: 2 made", or the message of its failure.
    public var description: String {
        let name = file.map(PathText.shown) ?? "line \(line)"
        return switch outcome {
        case .made(let outputs): "\(name): \(outputs.count) made"
        case .skipped: "\(name): skipped"
        case .duplicate: "\(name): in the list twice"
        case .failed(let failure): failure.message
        }
    }
}

extension BatchResult {
    /// Reserved members of a result: members of a manifest's line with these names are not copied.
    static let members: Set<String> = [
        "id", "path", "status", "outputs", "error", "ms", "line", "placeholder", "gainMap", "recipe",
        "source", "identity", "notes",
    ]

    /// The result as one line of JSON.
    package var json: JSONValue {
        let error: JSONValue? = failure.map {
            .object(["code": .string($0.code), "message": .string($0.message)])
        }
        let milliseconds = (duration / .microseconds(100)).rounded() / 10
        let contract: [(String, JSONValue?)] = [
            ("id", id ?? .null), ("path", path ?? .null), ("status", .string(status)),
            ("outputs", .array(outputs.map(\.json))), ("error", error ?? .null),
            ("ms", .number("\(milliseconds)")),
        ]
        let more: [(String, JSONValue?)] = [
            ("recipe", (origin?.recipe).map(JSONValue.string)), ("source", (origin?.source).map(Self.json)),
            ("identity", isOfLine ? .string("line") : nil),
        ]
        func members(_ all: [JSONValue.Member]) -> [(String, JSONValue?)] { all.map { ($0.name, $0.value) } }
        return .object(contract + [("line", .int(line))] + members(notes) + more + members(rest))
    }

    /// Size in bytes and time in microseconds since 1970; nanoseconds do not fit into a double.
    static func json(_ source: FileStatus) -> JSONValue {
        .object(["bytes": .int(source.size), "modified": .int(source.modified / 1000)])
    }

    private var status: String {
        switch outcome {
        case .made: "ok"
        case .skipped: "skipped"
        case .duplicate: "duplicate"
        case .failed: "error"
        }
    }

    /// The existing outputs of the file.
    public var outputs: [StoredThumbnail] {
        switch outcome {
        case .made(let outputs), .skipped(let outputs): outputs
        case .duplicate, .failed: []
        }
    }
}

extension StoredThumbnail {
    /// Whether its file has the right size, or its files together have.
    var isThere: Bool {
        guard let files else { return FileStatus(path)?.size == bytes }
        let tree = StoredTree(path)
        return tree.files.count == files && tree.bytes == bytes
    }

    var json: JSONValue {
        .object([
            "size": .string(size), "width": .int(width), "height": .int(height), "bytes": .int(bytes),
            "sha256": .string(sha256), "path": .string(path), "files": files.map(JSONValue.int),
        ])
    }

    /// Parses a member of a result; nil if it is not a thumbnail.
    package init?(_ json: JSONValue) {
        guard let size = json["size"]?.string, let width = json["width"]?.int,
            let height = json["height"]?.int,
            let bytes = json["bytes"]?.int, let sha256 = json["sha256"]?.string,
            let path = json["path"]?.string, !path.utf8.contains(0)
        else { return nil }
        self.init(size: size, width: width, height: height, bytes: bytes, sha256: sha256, path: path)
        files = json["files"]?.int
    }
}

extension StoredThumbnail {
    package init(
        _ size: some CustomStringConvertible, _ width: Int, _ height: Int, _ file: [UInt8], _ path: String
    ) {
        self.init(
            size: size.description, width: width, height: height, bytes: file.count,
            sha256: SHA256.hash(file.span).hexadecimal, path: path)
    }
}

/// A result of an earlier run, parsed from its line.
package struct PastResult: Sendable {
    package enum Status: String, Sendable {
        case ok, skipped, duplicate, error
    }

    package var json: JSONValue
    package var status: Status
    package var line: Int
    package var outputs: [StoredThumbnail]

    /// The key of the item; nil if the manifest's line was invalid.
    package var key: String?

    /// Parses a result; nil if the line is not one.
    package init?(_ json: JSONValue, _ root: BatchRoot = BatchRoot()) {
        guard let status = json["status"]?.string.flatMap(Status.init(rawValue:)),
            let line = json["line"]?.int,
            let outputs = json["outputs"]?.array
        else { return nil }
        self.json = json
        self.status = status
        self.line = line
        self.outputs = outputs.compactMap(StoredThumbnail.init)
        guard self.outputs.count == outputs.count else { return nil }
        guard let path = json["path"]?.string else { return }
        key = item(path, root).key
    }

    /// Whether the members of the manifest's line tell items of one file apart.
    var isItemOfLine: Bool { json["identity"]?.string == "line" }

    private func item(_ path: String, _ root: BatchRoot) -> BatchItem {
        root.item(line: line, id: json["id"], path: path, rest: rest, isOfLine: isItemOfLine)
    }

    /// The members of the manifest's line.
    private var rest: [JSONValue.Member] {
        json.members?.filter { !BatchResult.members.contains($0.name) } ?? []
    }

    var code: String? { json["error"]?["code"]?.string }

    /// The fingerprint of the work that made it.
    var recipe: String? { json["recipe"]?.string }

    /// Whether it describes a file, not its position in a list.
    package var isLasting: Bool {
        switch status {
        case .ok, .skipped: true
        case .error: BatchFailure(code ?? "", "").isLasting
        case .duplicate: false
        }
    }

    /// Whether the result is still valid: same work, same file, and the outputs exist.
    package func stands(_ work: any BatchWork, _ root: BatchRoot, retriesFailed: Bool) -> Bool {
        guard let path = json["path"]?.string else { return false }
        let item = item(path, root)
        guard recipe == work.fingerprint(of: item), let source = FileStatus(image: item.file),
            json["source"] == BatchResult.json(source), status != .error || !retriesFailed,
            status == .error || work.resultMembers.allSatisfy({ json[$0] != nil })
        else { return false }
        return outputs.allSatisfy(\.isThere)
    }
}

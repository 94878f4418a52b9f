package import Basics
package import Files
internal import ViewportRendering

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The result of one file of a batch.
public struct BatchResult: Sendable {
    /// The outcome of a file.
    public enum Outcome: Sendable {
        /// The thumbnails were made and written.
        case made([StoredThumbnail])
        /// The thumbnails exist and match the file and the recipe.
        case skipped([StoredThumbnail])
        /// The file is in the list twice.
        case duplicate
        /// The file has no thumbnails; nothing was written.
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
    /// A ThumbHash in base64, if the recipe makes one.
    public package(set) var placeholder: String?
    /// What happened to the gain map of the file; nil if it has none.
    public package(set) var gainMap: ThumbnailSet.GainMapOutcome?
    /// The recipe's fingerprint and the state of the file, for comparison in later runs.
    package var origin: Origin?
    /// The time for decoding and writing.
    public package(set) var duration = Duration.zero

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

    /// Why the file has no thumbnails; nil if it has.
    public var failure: BatchFailure? {
        if case .failed(let failure) = outcome { failure } else { nil }
    }
}

/// A thumbnail that was written to a file.
public struct StoredThumbnail: Sendable, Hashable {
    /// The requested size, in the syntax of ``ThumbnailSize``.
    public package(set) var size: String
    /// The width in pixels.
    public package(set) var width: Int
    /// The height in pixels.
    public package(set) var height: Int
    /// The size of the file in bytes.
    public package(set) var bytes: Int
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
}

extension BatchResult {
    /// Reserved members of a result: members of a manifest's line with these names are not copied.
    static let members: Set<String> = [
        "id", "path", "status", "outputs", "error", "ms", "line", "placeholder", "gainMap", "recipe",
        "source", "identity",
    ]

    /// The result as one line of JSON.
    package var json: JSONValue {
        let error: JSONValue? = failure.map {
            .object([("code", .string($0.code)), ("message", .string($0.message))])
        }
        let milliseconds = (duration / .microseconds(100)).rounded() / 10
        let contract: [(String, JSONValue?)] = [
            ("id", id ?? .null), ("path", path ?? .null), ("status", .string(status)),
            ("outputs", .array(outputs.map(\.json))), ("error", error ?? .null),
            ("ms", .number("\(milliseconds)")),
        ]
        let more: [(String, JSONValue?)] = [
            ("line", .int(line)), ("placeholder", placeholder.map(JSONValue.string)),
            ("gainMap", gainMap.map { .string($0.rawValue) }),
            ("recipe", (origin?.recipe).map(JSONValue.string)), ("source", (origin?.source).map(Self.json)),
            ("identity", isOfLine ? .string("line") : nil),
        ]
        return .object(contract + more + rest.map { ($0.name, $0.value) })
    }

    /// Size in bytes and time in microseconds since 1970; nanoseconds do not fit into a double.
    static func json(_ source: FileStatus) -> JSONValue {
        .object([("bytes", .int(source.size)), ("modified", .int(source.modified / 1000))])
    }

    private var status: String {
        switch outcome {
        case .made: "ok"
        case .skipped: "skipped"
        case .duplicate: "duplicate"
        case .failed: "error"
        }
    }

    /// The existing thumbnails of the file.
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
            ("size", .string(size)), ("width", .int(width)), ("height", .int(height)), ("bytes", .int(bytes)),
            ("sha256", .string(sha256)), ("path", .string(path)), ("files", files.map(JSONValue.int)),
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

/// Why a file of a batch has no thumbnails.
public struct BatchFailure: Error, Equatable, Sendable {
    /// The reason as one word for programs: "missing", "damaged", "collision".
    public let code: String
    /// A sentence that names the file and the cause.
    public let message: String
    /// The underlying error, if making the thumbnails failed.
    public let cause: ThumbnailError?

    package init(_ code: String, _ message: String, cause: ThumbnailError? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    static func badLine(_ line: Int, _ reason: String) -> BatchFailure {
        BatchFailure("bad-line", "line \(line) of the manifest is invalid: \(reason)")
    }

    static func collision(_ item: BatchItem, _ reason: String) -> BatchFailure {
        BatchFailure("collision", "\(item.path): \(reason)")
    }

    /// A source that could not be read.
    package init(reading error: ThumbnailError) {
        if case .rendering(.folder(let file)) = error {
            self.init(error.code, "\(file): is a folder", cause: error)
        } else {
            self.init(error.code, "\(error)", cause: error)
        }
    }

    /// An output that could not be written.
    package init(writing error: FileError, _ file: String) {
        let isThere = if case .kept = error { true } else { error == .exists }
        self.init(isThere ? "exists" : Self.cannotWrite, "\(file): \(error)")
    }

    /// The code of outputs that could not be written.
    package static let cannotWrite = "cannot-write"

    /// Whether a later run fails in the same way while the file and the recipe are unchanged.
    var isLasting: Bool {
        ["empty", "damaged", "truncated", "unknown-format", "no-such-page", "outside", "bad-option"].contains(
            code)
    }
}

extension BatchFailure: LocalizedError, CustomStringConvertible {
    public var description: String { message }

    public var errorDescription: String? { message }
}

/// An error that prevents a batch from starting or continuing.
public enum BatchError: Error, Equatable, Sendable {
    /// The template of the outputs is invalid.
    case badTemplate(String, reason: String)
    /// The manifest cannot be read.
    case listUnreadable(file: String, reason: String)
    /// The result file cannot be written.
    case resultsUnwritable(file: String, reason: String)
    /// Another run writes to the same result file.
    case resultsInUse(file: String)

    static func listUnreadable(_ file: String, _ error: FileError) -> BatchError {
        .listUnreadable(file: file == "-" ? "standard input" : file, reason: "\(error)")
    }

    static func resultsUnwritable(_ file: String, _ error: FileError) -> BatchError {
        .resultsUnwritable(file: file, reason: "\(error)")
    }
}

extension BatchError: LocalizedError, CustomStringConvertible {
    public var description: String {
        switch self {
        case .badTemplate(let template, let reason): "\(template): \(reason)"
        case .listUnreadable(let file, let reason), .resultsUnwritable(let file, let reason):
            "\(file): \(reason)"
        case .resultsInUse(let file):
            "\(file): another run writes its results there; wait for it, or choose another file"
        }
    }

    public var errorDescription: String? { description }
}

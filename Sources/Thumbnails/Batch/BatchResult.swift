package import Basics
package import Files
internal import ViewportRendering

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What became of one file of a batch.
public struct BatchResult: Sendable {
    /// What was done with a file.
    public enum Outcome: Sendable {
        /// Its thumbnails were made and written.
        case made([StoredThumbnail])
        /// They were there already, made of this file by this recipe.
        case skipped([StoredThumbnail])
        /// The list has the file before.
        case duplicate
        /// It has no thumbnails; nothing was written for it.
        case failed(BatchFailure)
    }

    /// The position in the list, from 1.
    package var line: Int
    package var id: JSONValue?
    package var path: JSONValue?
    /// What else stood in the manifest's line.
    package var rest: [JSONValue.Member]
    /// What was done with the file.
    public package(set) var outcome: Outcome
    /// A ThumbHash in base64, where the recipe asks for one.
    public package(set) var placeholder: String?
    /// The recipe's fingerprint and the file as it was, which later runs compare.
    package var origin: Origin?
    /// The time the file took, decoding and writing.
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
    }

    /// The file as the list names it; nil where a line of a manifest names none.
    public var file: String? { path?.string }

    /// Why the file has no thumbnails; nil where it has.
    public var failure: BatchFailure? {
        if case .failed(let failure) = outcome { failure } else { nil }
    }
}

/// A thumbnail that was written to a file.
public struct StoredThumbnail: Sendable, Hashable {
    /// The requested size, in the words of ``ThumbnailSize``.
    public package(set) var size: String
    /// The width in pixels.
    public package(set) var width: Int
    /// The height in pixels.
    public package(set) var height: Int
    /// The length of the file in bytes.
    public package(set) var bytes: Int
    /// The SHA-256 of the file in hexadecimal digits.
    public package(set) var sha256: String
    /// The path of the file.
    public package(set) var path: String
}

extension BatchResult {
    /// Members of a result that are the batch's own: those of a manifest's line that bear their names are not
    /// brought back.
    static let members: Set<String> = [
        "id", "path", "status", "outputs", "error", "ms", "line", "placeholder", "recipe", "source",
    ]

    /// The result on one line of JSON, as the contract has it.
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
            ("recipe", (origin?.recipe).map(JSONValue.string)), ("source", (origin?.source).map(Self.json)),
        ]
        return .object(contract + more + rest.map { ($0.name, $0.value) })
    }

    /// Bytes, and microseconds since 1970: nanoseconds would not fit into a double.
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

    /// The thumbnails that the file has now.
    public var outputs: [StoredThumbnail] {
        switch outcome {
        case .made(let outputs), .skipped(let outputs): outputs
        case .duplicate, .failed: []
        }
    }
}

extension StoredThumbnail {
    var json: JSONValue {
        .object([
            ("size", .string(size)), ("width", .int(width)), ("height", .int(height)), ("bytes", .int(bytes)),
            ("sha256", .string(sha256)), ("path", .string(path)),
        ])
    }

    /// From a result's line; nil where it is none.
    package init?(_ json: JSONValue) {
        guard let size = json["size"]?.string, let width = json["width"]?.int,
            let height = json["height"]?.int,
            let bytes = json["bytes"]?.int, let sha256 = json["sha256"]?.string,
            let path = json["path"]?.string
        else { return nil }
        self.init(size: size, width: width, height: height, bytes: bytes, sha256: sha256, path: path)
    }
}

/// A result of an earlier run, as its line tells it.
package struct PastResult: Sendable {
    package enum Status: String, Sendable {
        case ok, skipped, duplicate, error
    }

    package var json: JSONValue
    package var status: Status
    package var line: Int
    package var outputs: [StoredThumbnail]

    /// What its item is known by; nil where its manifest's line was not understood.
    package var key: String?

    /// Nil where a line is no result.
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
        key =
            BatchItem(
                line: line, id: json["id"], path: path, file: root.file(path),
                relativePath: root.relative(path)
            ).key
    }

    var code: String? { json["error"]?["code"]?.string }

    /// Whether it says something of a file, and not of where the file stood in its list.
    package var isLasting: Bool {
        switch status {
        case .ok, .skipped: true
        case .error: BatchFailure(code ?? "", "").isLasting
        case .duplicate: false
        }
    }

    /// Whether the same would come out now: the recipe is the same, the file is as it was, and its thumbnails lie
    /// where they were put.
    package func stands(_ recipe: ThumbnailRecipe, _ root: BatchRoot, retriesFailed: Bool) -> Bool {
        guard json["recipe"]?.string == recipe.shortFingerprint, let path = json["path"]?.string,
            let source = FileStatus(root.file(path)),
            json["source"] == BatchResult.json(source), status != .error || !retriesFailed,
            !recipe.makesPlaceholder || status == .error || json["placeholder"] != nil
        else { return false }
        return outputs.allSatisfy { FileStatus($0.path)?.size == $0.bytes }
    }
}

/// Why a file of a batch has no thumbnails.
public struct BatchFailure: Error, Equatable, Sendable {
    /// One word for programs: "missing", "damaged", "collision".
    public let code: String
    /// One sentence for people that names the file and the cause.
    public let message: String
    /// What making the thumbnails threw, where that is the cause.
    public let cause: ThumbnailError?

    package init(_ code: String, _ message: String, cause: ThumbnailError? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    static func badLine(_ line: Int, _ reason: String) -> BatchFailure {
        BatchFailure("bad-line", "line \(line) of the manifest is not understood: \(reason)")
    }

    static func collision(_ item: BatchItem, _ reason: String) -> BatchFailure {
        BatchFailure("collision", "\(item.path): \(reason)")
    }

    /// A source that could not be read.
    init(reading error: ThumbnailError) {
        if case .rendering(.folder(let file)) = error {
            self.init(error.code, "\(file): is a folder", cause: error)
        } else {
            self.init(error.code, "\(error)", cause: error)
        }
    }

    /// A thumbnail that could not be written.
    init(writing error: FileError, _ file: String) {
        let isThere = if case .kept = error { true } else { error == .exists }
        self.init(isThere ? "exists" : Self.cannotWrite, "\(file): \(error)")
    }

    /// The code of thumbnails that could not be written.
    package static let cannotWrite = "cannot-write"

    /// Whether a later run finds the same again, as long as neither the file nor the recipe changes.
    var isLasting: Bool {
        ["empty", "damaged", "truncated", "unknown-format", "no-such-page"].contains(code)
    }
}

extension BatchFailure: LocalizedError, CustomStringConvertible {
    public var description: String { message }

    public var errorDescription: String? { message }
}

/// Why a batch cannot begin or go on.
public enum BatchError: Error, Equatable, Sendable {
    /// The template of the outputs is not understood.
    case badTemplate(String, reason: String)
    /// The manifest cannot be read.
    case listUnreadable(file: String, reason: String)
    /// The file of results cannot be written.
    case resultsUnwritable(file: String, reason: String)
    /// Another run writes the same file of results.
    case resultsInUse(file: String)

    static func listUnreadable(_ file: String, _ error: FileError) -> BatchError {
        .listUnreadable(file: file, reason: "\(error)")
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
            "\(file): another run writes its results there; wait for it, or name another file"
        }
    }

    public var errorDescription: String? { description }
}

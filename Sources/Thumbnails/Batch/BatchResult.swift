package import Basics
package import Files

/// What became of one entry of a batch.
package struct BatchResult: Sendable {
    package enum Outcome: Sendable {
        case made([StoredThumbnail])
        /// They were there already, made of this file by this recipe.
        case skipped([StoredThumbnail])
        /// The file stands in the list before.
        case duplicate
        case failed(BatchFailure)
    }

    /// Where the entry stands in the list.
    package var line: Int
    package var id: JSONValue?
    package var path: JSONValue?
    /// What else stood in the manifest's line.
    package var rest: [JSONValue.Member]
    package var outcome: Outcome
    /// A tiny blurred picture as a text, where it was asked for.
    package var placeholder: String?
    /// The recipe's fingerprint and the file as it was, which later runs compare.
    package var origin: Origin?
    package var duration = Duration.zero

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

    package var failure: BatchFailure? {
        if case .failed(let failure) = outcome { failure } else { nil }
    }
}

/// A thumbnail that lies where it belongs.
package struct StoredThumbnail: Sendable, Hashable {
    /// The size that was asked for, as it was written.
    package var size: String
    package var width: Int
    package var height: Int
    package var bytes: Int
    /// Of the file, in hexadecimal digits.
    package var sha256: String
    package var path: String
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

    package var outputs: [StoredThumbnail] {
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

package import Basics
package import Files
internal import ViewportRendering

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

/// Why an item has no thumbnails: a code for programs and a sentence for people.
package struct BatchFailure: Error, Equatable, Sendable {
    /// One word: "missing", "damaged", "collision".
    package var code: String
    package var message: String

    package init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    static func badLine(_ line: Int, _ reason: String) -> BatchFailure {
        BatchFailure("bad-line", "line \(line) of the manifest is not understood: \(reason)")
    }

    static func collision(_ item: BatchItem, _ reason: String) -> BatchFailure {
        BatchFailure("collision", "\(item.path): \(reason)")
    }

    /// What was wrong with a file that was to be read.
    init(reading error: ThumbnailError) {
        if case .rendering(.folder(let file)) = error {
            self.init(error.code, "\(file): is a folder; add --recursive to go into it")
        } else {
            self.init(error.code, "\(error)")
        }
    }

    /// What was wrong with a file that was to be written.
    init(writing error: FileError, _ file: String) {
        let isThere = if case .kept = error { true } else { error == .exists }
        self.init(isThere ? "exists" : Self.cannotWrite, "\(file): \(error)")
    }

    /// A thumbnail has no place to go to.
    package static let cannotWrite = "cannot-write"

    /// Whether a later run finds the same again, as long as neither the file nor the recipe changes.
    var isLasting: Bool {
        ["empty", "damaged", "truncated", "unknown-format", "no-such-page"].contains(code)
    }
}

/// Why a batch cannot begin or go on.
package enum BatchError: Error, Equatable, Sendable {
    case listUnreadable(file: String, FileError)
    case resultsUnwritable(file: String, FileError)
    case resultsInUse(file: String)
}

extension BatchError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .listUnreadable(let file, let error): "\(file): \(error)"
        case .resultsUnwritable(let file, let error): "\(file): \(error)"
        case .resultsInUse(let file):
            "\(file): another run writes its results there; wait for it, or name another file"
        }
    }
}

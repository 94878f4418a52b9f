package import Basics
internal import Digests
package import Files
internal import Synchronization

/// The results of a batch as JSON Lines, with the results kept from an earlier run.
package final class ResultLog: Sendable {
    private let file: LineFile
    private let name: String
    private let done: Set<BatchPlan.Digest>
    package let isStandardOutput: Bool
    /// The number of results kept from the earlier run.
    package var kept: Int { done.count }

    /// Creates a log on standard output.
    package init() {
        (file, name, done, isStandardOutput) = (LineFile(), "standard output", [], true)
    }

    /// Creates a log that replaces a result file.
    ///
    /// - Parameter stands: whether to keep a result of the replaced file; nil keeps none.
    package init(
        _ output: Output, _ root: BatchRoot, keeping stands: ((PastResult) -> Bool)? = nil
    ) throws(BatchError) {
        let path = output.path
        (name, isStandardOutput) = (path, false)
        var done: Set<BatchPlan.Digest> = []
        let file: LineFile?
        do throws(FileError) {
            file = try LineFile(replacing: output)
        } catch {
            throw .resultsUnwritable(path, error)
        }
        guard let file else { throw .resultsInUse(file: path) }
        self.file = file
        do throws(FileError) {
            if let stands, file.isReplacing {
                let old = try LineReader(path)
                while let line = try old.next() {
                    // The last line of a killed run can be truncated: its item is processed again.
                    guard !line.isCut, let json = try? JSONValue(parsing: line.bytes),
                        let result = PastResult(json, root), let key = result.key, result.isLasting,
                        stands(result), done.insert(Self.digest(key, result.recipe)).inserted
                    else { continue }
                    try file.append(String(decoding: line.bytes, as: UTF8.self))
                }
            }
            try file.publish()
        } catch {
            throw .resultsUnwritable(path, error)
        }
        self.done = done
    }

    /// Whether the earlier run kept a result of an item and the same fingerprint.
    package func has(_ item: BatchItem, _ fingerprint: String) -> Bool {
        done.contains(Self.digest(item.key, fingerprint))
    }

    private static func digest(_ key: String, _ fingerprint: String?) -> BatchPlan.Digest {
        BatchPlan.Digest("\(fingerprint ?? "") \(key)")
    }

    package func append(_ result: BatchResult) throws(BatchError) {
        do throws(FileError) {
            try file.append(result.json.description)
        } catch {
            throw .resultsUnwritable(name, error)
        }
    }
}

extension ResultLog {
    /// Returns the output for results: a new file or an existing result file, recognized by its lines.
    package static func output(_ path: String, inputs: [String], overwrites: Bool) -> Output {
        Output(path, .lines, inputs: inputs, overwrites: overwrites, isOwn: hasResults)
    }

    /// Whether the first thousand lines of a file are results; the last line may be truncated.
    private static func hasResults(_ path: String) -> Bool {
        guard let lines = try? LineReader(path) else { return false }
        var results = 0
        for _ in 0..<1000 {
            guard let line = try? lines.next() else { break }
            guard !line.bytes.isEmpty else { continue }
            guard (try? JSONValue(parsing: line.bytes)).map({ PastResult($0) != nil }) ?? false else {
                return results > 0 && (try? lines.next()) == nil
            }
            results += 1
        }
        return results > 0
    }
}

/// Joins the results of several runs or shards.
///
/// Each item gets one result: success wins over an error, a later file over an earlier one. A million results take
/// about 300 MB of memory.
package struct ResultMerge {
    private var results: [BatchPlan.Digest: PastResult] = [:]
    private var order: [BatchPlan.Digest] = []
    /// The number of lines that are not results.
    package private(set) var unreadable = 0

    package init() {}

    /// Adds the results of a file; "-" is standard input.
    package mutating func add(_ path: String) throws(BatchError) {
        do throws(FileError) {
            let reader = try LineReader(path)
            while let line = try reader.next() {
                guard !line.bytes.isEmpty else { continue }
                guard !line.isCut, let json = try? JSONValue(parsing: line.bytes),
                    let result = PastResult(json)
                else {
                    unreadable += 1
                    continue
                }
                add(result)
            }
        } catch {
            throw .listUnreadable(path, error)
        }
    }

    private mutating func add(_ result: PastResult) {
        let identity = Self.identity(of: result)
        if let other = results[identity] {
            guard result.isGood || !other.isGood else { return }
        } else {
            order.append(identity)
        }
        results[identity] = result
    }

    /// Returns the identity of a result: its item, or its line if the line is at fault.
    private static func identity(of result: PastResult) -> BatchPlan.Digest {
        guard let key = result.key, !result.isOfLine else { return BatchPlan.Digest("line \(result.line)") }
        return BatchPlan.Digest("item \(key)")
    }

    /// All results, in the order of their lines.
    package var joined: [PastResult] {
        order.compactMap { results[$0] }.enumerated()
            .sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }.map(\.element)
    }

    /// Returns the items of a manifest without a result, as lines of a manifest.
    package func missing(from manifest: String) throws(BatchError) -> [JSONValue] {
        let root = BatchRoot()
        var list = try BatchList(manifest: manifest, root: root)
        var seen: Set<BatchPlan.Digest> = []
        var missing: [JSONValue] = []
        while let entry = try list.next(isStopped: { false }) {
            switch entry {
            case .bad(let line, _, let id, let path, let rest, _):
                if results[BatchPlan.Digest("line \(line)")] == nil {
                    missing.append(Self.line(line, id, path, rest))
                }
            case .item(let item):
                let ofLine = results[BatchPlan.Digest("line \(item.line)")]
                let identity = BatchPlan.Digest("item \(item.key)")
                let isTold = ofLine != nil || seen.insert(identity).inserted && results[identity] != nil
                if !isTold { missing.append(Self.line(item.line, item.id, .string(item.path), item.rest)) }
            }
        }
        return missing
    }

    private static func line(
        _ line: Int, _ id: JSONValue?, _ path: JSONValue?, _ rest: [JSONValue.Member]
    ) -> JSONValue {
        .object([("id", id), ("path", path)] + rest.map { ($0.name, $0.value) })
    }
}

extension PastResult {
    /// Whether the item has its thumbnails.
    package var isGood: Bool { status == .ok || status == .skipped }

    /// Whether it describes a line, not a file.
    var isOfLine: Bool { status == .duplicate || code == "bad-line" || code == "collision" }
}

/// Compares thumbnails with their results.
package struct ResultVerification: Sendable, Hashable {
    /// The number of thumbnails that were read.
    package private(set) var checked = 0
    /// Thumbnails that differ from their results.
    package private(set) var problems: [Problem] = []

    package struct Problem: Sendable, Hashable, CustomStringConvertible {
        package var line: Int
        package var path: String?
        package var reason: String

        package var description: String { path.map { "\($0): \(reason)" } ?? "line \(line): \(reason)" }

        package var json: JSONValue {
            .object([
                ("line", .int(line)), ("path", path.map(JSONValue.string) ?? .null),
                ("problem", .string(reason)),
            ])
        }
    }

    /// - Parameter path: the result file; "-" is standard input.
    package init(_ path: String) throws(BatchError) {
        do throws(FileError) {
            let reader = try LineReader(path)
            var line = 0
            while let text = try reader.next() {
                line += 1
                guard !text.bytes.isEmpty else { continue }
                guard !text.isCut, let json = try? JSONValue(parsing: text.bytes),
                    let result = PastResult(json)
                else {
                    problems.append(Problem(line: line, path: nil, reason: "is not a result"))
                    continue
                }
                for output in result.outputs { check(output, line) }
            }
        } catch {
            throw .listUnreadable(path, error)
        }
    }

    private mutating func check(_ output: StoredThumbnail, _ line: Int) {
        checked += 1
        do throws(FileError) {
            let file = try InputFile.contents(output.path)
            let reason: String? =
                if file.count != output.bytes {
                    "has \(file.count) bytes instead of \(output.bytes); make it again"
                } else if SHA256.hash(file.span).hexadecimal != output.sha256 {
                    "has a different checksum; make it again"
                } else {
                    nil
                }
            if let reason { problems.append(Problem(line: line, path: output.path, reason: reason)) }
        } catch {
            problems.append(Problem(line: line, path: output.path, reason: "\(error)"))
        }
    }
}

package import Basics
internal import Digests
package import Files
internal import Synchronization

/// The results of a batch, line by line on standard output or in a file, and what stands of those of an earlier run.
package final class ResultLog: Sendable {
    private let file: LineFile
    private let name: String
    private let done: Set<BatchPlan.Digest>
    package let isStandardOutput: Bool
    /// How many results of the earlier run stand.
    package var kept: Int { done.count }

    /// Standard output.
    package init() {
        (file, name, done, isStandardOutput) = (LineFile(), "standard output", [], true)
    }

    /// A file that replaces one of results.
    ///
    /// - Parameter stands: which results of the earlier run, whose file is replaced, stay; nil for none.
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
                    // A line that was cut off when the run before ended is made anew.
                    guard !line.isCut, let json = try? JSONValue(parsing: line.bytes),
                        let result = PastResult(json, root), let key = result.key, result.isLasting,
                        stands(result), done.insert(BatchPlan.Digest(key)).inserted
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

    /// Whether an item's result stands from the earlier run.
    package func has(_ key: String) -> Bool { done.contains(BatchPlan.Digest(key)) }

    package func append(_ result: BatchResult) throws(BatchError) {
        do throws(FileError) {
            try file.append(result.json.description)
        } catch {
            throw .resultsUnwritable(name, error)
        }
    }
}

extension ResultLog {
    /// A file that results may be written to: a new one or one of results, told by its lines.
    package static func output(_ path: String, inputs: [String], overwrites: Bool) -> Output {
        Output(path, .lines, inputs: inputs, overwrites: overwrites, isOwn: hasResults)
    }

    /// Whether the lines of a file are results, as far as its first thousand tell; the last may be cut off.
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

/// The results of several runs or shares of a batch as those of one.
///
/// An item has one result: where several runs tell of it, one that made or found its thumbnails wins over one
/// that failed, and a later file over one before. A million results take some 300 MB of memory.
package struct ResultMerge {
    private var results: [BatchPlan.Digest: PastResult] = [:]
    private var order: [BatchPlan.Digest] = []
    /// Lines that are no results.
    package private(set) var unreadable = 0

    package init() {}

    /// Takes the results of a file, "-" for standard input.
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

    /// An item is itself wherever its line stands; what is wrong with a line belongs to the line.
    private static func identity(of result: PastResult) -> BatchPlan.Digest {
        guard let key = result.key, !result.isOfLine else { return BatchPlan.Digest("line \(result.line)") }
        return BatchPlan.Digest("item \(key)")
    }

    /// All results, in the order of their lines.
    package var joined: [PastResult] {
        order.compactMap { results[$0] }.enumerated()
            .sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }.map(\.element)
    }

    /// What a manifest lists and no result tells of, as lines of a manifest that names nothing else.
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

    /// Whether it tells of its line, not of a file.
    var isOfLine: Bool { status == .duplicate || code == "bad-line" || code == "collision" }
}

/// Reads again what results say was written.
package struct ResultVerification: Sendable, Hashable {
    /// Thumbnails that were read.
    package private(set) var checked = 0
    /// What is not as its result says.
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

    /// - Parameter path: the file of results, "-" for standard input.
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
                    problems.append(Problem(line: line, path: nil, reason: "is no result"))
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
                    "has other bytes than were written; make it again"
                } else {
                    nil
                }
            if let reason { problems.append(Problem(line: line, path: output.path, reason: reason)) }
        } catch {
            problems.append(Problem(line: line, path: output.path, reason: "\(error)"))
        }
    }
}

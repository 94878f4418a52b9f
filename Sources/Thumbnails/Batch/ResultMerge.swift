package import Basics
internal import Files

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
            throw .listUnreadable(file: path, error)
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

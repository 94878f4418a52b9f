internal import Basics
internal import Containers
internal import Files

/// Joins the results of several runs or shards, in at most 200 MB of memory.
///
/// Each item gets one result: success wins over an error, a later file over an earlier one. The results are sorted in
/// temporary files below TMPDIR, with about 200 bytes per result.
package struct ResultMerge {
    private typealias Place = StoredLines.Place

    /// A digest of a key, or the number of a line if the line is at fault.
    private struct Identity: Comparable, BitwiseCopyable {
        var isLine: Bool
        var high: UInt64
        var low: UInt64

        init(_ digest: BatchPlan.Digest) { (high, low, isLine) = (digest.high, digest.low, false) }

        init(line: Int) { (high, low, isLine) = (UInt64(truncatingIfNeeded: line), 0, true) }

        /// Lines follow the keys.
        static func < (a: Self, b: Self) -> Bool {
            if a.isLine != b.isLine { return b.isLine }
            return a.high != b.high ? a.high < b.high : a.low < b.low
        }
    }

    /// A result, in the order of the items.
    private struct Candidate: Comparable, BitwiseCopyable {
        var identity: Identity
        var line: Int
        var place: Place
        var isGood: Bool
        var isError: Bool

        static func < (a: Self, b: Self) -> Bool {
            a.identity != b.identity ? a.identity < b.identity : a.place < b.place
        }
    }

    /// The result that an item gets, in the order of the list.
    private struct Chosen: Comparable, BitwiseCopyable {
        var line: Int
        /// The first result of the item.
        var first: Place
        var place: Place

        static func < (a: Self, b: Self) -> Bool { a.line != b.line ? a.line < b.line : a.first < b.first }
    }

    /// A line of the manifest, in the order of the items.
    private struct Listed: Comparable, BitwiseCopyable {
        var identity: Identity
        /// A digest of the path.
        var path: UInt64
        var line: Int
        var place: Place

        static func < (a: Self, b: Self) -> Bool {
            a.identity != b.identity ? a.identity < b.identity : a.line < b.line
        }

        /// The same, looked up by its line.
        var byLine: Self { Self(identity: Identity(line: line), path: path, line: line, place: place) }
    }

    private var root = BatchRoot()
    private var candidates = ExternalSort<Candidate>()
    private var listed = ExternalSort<Listed>()
    private var lines = StoredLines()
    private var scan = ResultScan(BatchRoot())
    private var report = MergedResults()

    package init() {}

    /// Adds the results of a file; "-" is standard input.
    package mutating func add(_ path: String) throws(BatchError) {
        do throws(FileError) {
            try lines.read(path) { line, _, place throws(FileError) in
                guard let result = scan.summary(line) else {
                    report.unreadable += 1
                    return
                }
                if result.isItemOfLine, !root.hasItemsOfLines { root = BatchRoot(hasItemsOfLines: true) }
                try candidates.append(
                    Candidate(
                        identity: result.key.map { Identity($0) } ?? Identity(line: result.line),
                        line: result.line, place: place,
                        isGood: result.status == .ok || result.status == .skipped,
                        isError: result.status == .error))
            }
        } catch {
            throw .listUnreadable(path, error)
        }
    }

    /// Adds the manifest, after the results: its items without a result are missing; "-" is standard input.
    package mutating func list(_ manifest: String) throws(BatchError) {
        var scan = LineScan(root)
        do throws(FileError) {
            try lines.read(manifest) { line, number, place throws(FileError) in
                var identity = Identity(line: number)
                var path: UInt64 = 0
                if !line.isCut, scan.read(line.bytes.span) {
                    identity = Identity(BatchPlan.Digest(scan.key))
                    path = BatchPlan.Digest(scan.path).low
                } else {
                    switch ManifestLine(line, number: number, root: root) {
                    case nil: return
                    case .bad: break
                    case .item(let item):
                        identity = Identity(BatchPlan.Digest(item.key))
                        path = BatchPlan.Digest(item.relativePath).low
                    }
                }
                try listed.append(Listed(identity: identity, path: path, line: number, place: place))
            }
        } catch {
            throw .listUnreadable(manifest, error)
        }
    }

    /// Writes the result of each item in the order of the list, then the lines of the manifest without a result.
    ///
    /// - Parameters:
    ///   - write: receives results, some lines at a time.
    ///   - writeMissing: receives missing items as lines of a manifest.
    package mutating func join(
        _ write: ([UInt8]) throws(BatchError) -> Void,
        missing writeMissing: ([UInt8]) throws(BatchError) -> Void
    ) throws(BatchError) -> MergedResults {
        var chosen = ExternalSort<Chosen>()
        var (results, missing) = try Self.sorting { () throws(FileError) in
            let missing = try choose(&chosen)
            return (try chosen.sorted(), missing)
        }
        try Self.writeAll(write) { () throws(BatchError) in
            guard let next = try Self.sorting({ () throws(FileError) in try results.next() }) else {
                return nil
            }
            return try text(next.place)
        }
        try Self.writeAll(writeMissing) { () throws(BatchError) in
            guard let next = try Self.sorting({ () throws(FileError) in try missing.next() }) else {
                return nil
            }
            return manifestLine(Array(try text(next.place)), next.line)
        }
        return report
    }

    /// Finds the result of each item, and returns the lines of the manifest that have none.
    private mutating func choose(
        _ chosen: inout ExternalSort<Chosen>
    ) throws(FileError) -> SortedRecords<Listed> {
        var results = try candidates.sorted()
        var items = try listed.sorted()
        // The items whose key has no result: the result of their line follows.
        var untold = ExternalSort<Listed>()
        var missing = ExternalSort<Listed>()
        var item = try items.next()
        var isByLine = false
        var next = try results.next()
        while let first = next {
            if first.identity.isLine, !isByLine {
                // All keys are done: the rest of the items, by line.
                while let left = item {
                    try untold.append(left.byLine)
                    item = try items.next()
                }
                isByLine = true
                items = try untold.sorted()
                item = try items.next()
            }
            var best = first
            next = try results.next()
            while let other = next, other.identity == first.identity {
                if other.isGood || !best.isGood { best = other }
                next = try results.next()
            }
            report.results += 1
            report.failed += best.isError ? 1 : 0
            try chosen.append(Chosen(line: best.line, first: first.place, place: best.place))
            while let skipped = item, skipped.identity < first.identity {
                if isByLine { try missing.append(skipped) } else { try untold.append(skipped.byLine) }
                item = try items.next()
            }
            let path = item?.path
            var isFirst = true
            while let told = item, told.identity == first.identity {
                // A duplicate has the result of its item; another file with the same id needs one of its own.
                if !isFirst, told.path != path { try untold.append(told.byLine) }
                isFirst = false
                item = try items.next()
            }
        }
        while let left = item {
            try missing.append(left.byLine)
            item = try items.next()
        }
        if !isByLine {
            var rest = try untold.sorted()
            while let left = try rest.next() { try missing.append(left) }
        }
        report.missing = missing.count
        return try missing.sorted()
    }

    /// Returns a line of the manifest as `--missing` writes it.
    private func manifestLine(_ bytes: [UInt8], _ number: Int) -> ArraySlice<UInt8> {
        func text(
            _ id: JSONValue?, _ path: JSONValue?, _ rest: [JSONValue.Member]
        ) -> ArraySlice<UInt8> {
            let members = [("id", id), ("path", path)] + rest.map { ($0.name, $0.value) }
            return Array(JSONValue.object(members).description.utf8)[...]
        }
        return switch ManifestLine(LineReader.Line(bytes: bytes), number: number, root: root) {
        case nil: []
        case .item(let item): text(item.id, .string(item.path), item.rest)
        case .bad(let id, let path, let rest, _): text(id, path, rest)
        }
    }

    private mutating func text(_ place: Place) throws(BatchError) -> ArraySlice<UInt8> {
        do throws(FileError) {
            return try lines.bytes(place)
        } catch {
            throw .listUnreadable(lines.name(of: place), error)
        }
    }

    private static func sorting<R>(_ body: () throws(FileError) -> R) throws(BatchError) -> R {
        do throws(FileError) {
            return try body()
        } catch {
            throw .resultsUnwritable(ProcessEnvironment.temporaryFolder, error)
        }
    }

    private static func writeAll(
        _ write: ([UInt8]) throws(BatchError) -> Void,
        _ next: () throws(BatchError) -> ArraySlice<UInt8>?
    ) throws(BatchError) {
        var bytes: [UInt8] = []
        while let line = try next() {
            bytes += line
            bytes.append(UInt8(ascii: "\n"))
            guard bytes.count > 1 << 20 else { continue }
            try write(bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        if !bytes.isEmpty { try write(bytes) }
    }
}

extension PastResult {
    /// Whether it describes a line, not a file.
    var isOfLine: Bool { status == .duplicate || code == "bad-line" || code == "collision" }
}

/// The counts of the joined logs of several runs or shards.
public struct MergedResults: Hashable, Codable, Sendable {
    /// The number of files with a result.
    public package(set) var results = 0
    /// The number of files that failed.
    public package(set) var failed = 0
    /// The number of files of the manifest without a result.
    public package(set) var missing = 0
    /// The number of lines that are not results.
    public package(set) var unreadable = 0
}

extension MergedResults: CustomStringConvertible {
    /// The counts: "312 results, 4 failed, 2 missing".
    public var description: String {
        [(failed, "failed"), (missing, "missing"), (unreadable, "unreadable")].listed(
            after: results.counted("result"))
    }
}

extension MergedResults {
    /// Joins the logs of several runs or shards of a batch, without blocking the caller's thread.
    ///
    /// Each file gets one result: success wins over an error, a later log over an earlier one. Takes at most 200 MB of
    /// memory, and about 200 bytes of temporary disk space per result.
    ///
    /// - Parameters:
    ///   - logs: the paths of the logs.
    ///   - manifest: the path of the manifest, whose lines without a result are counted; nil for none.
    ///   - output: the path of the joined log, which is written atomically; an existing one is replaced if it is a log.
    ///   - missing: the path of a manifest of the files without a result; nil for none.
    /// - Throws: `BatchError`; nothing is replaced then.
    @concurrent
    public static func merging(
        _ logs: [String], of manifest: String? = nil, to output: String, missing: String? = nil
    ) async throws(BatchError) -> MergedResults {
        let inputs = logs + (manifest.map { [$0] } ?? [])
        let joined = try MergeOutput(ResultLog.output(output, inputs: inputs, overwrites: false))
        let rest = try missing.map { path throws(BatchError) in
            try MergeOutput(
                Output(path, .lines, inputs: inputs + [output], overwrites: false, isOwn: { _ in false }))
        }
        defer {
            joined.discard()
            rest?.discard()
        }
        var merge = ResultMerge()
        for log in logs { try merge.add(log) }
        if let manifest { try merge.list(manifest) }
        let report = try merge.join { lines throws(BatchError) in
            try joined.write { file throws(FileError) in try file.append(lines: lines) }
        } missing: { lines throws(BatchError) in
            try rest?.write { file throws(FileError) in try file.append(lines: lines) }
        }
        try rest?.write { file throws(FileError) in try file.publish() }
        try joined.write { file throws(FileError) in try file.publish() }
        return report
    }
}

/// A file of lines that replaces another one at the end.
private struct MergeOutput {
    private let path: String
    private let file: LineFile

    init(_ output: Output) throws(BatchError) {
        path = output.path
        let made: LineFile?
        do throws(FileError) {
            made = try LineFile(replacing: output)
        } catch {
            throw .resultsUnwritable(output.path, error)
        }
        guard let made else { throw .resultsInUse(file: path) }
        file = made
    }

    func write(_ body: (LineFile) throws(FileError) -> Void) throws(BatchError) {
        do throws(FileError) {
            try body(file)
        } catch {
            throw .resultsUnwritable(path, error)
        }
    }

    func discard() { file.discard() }
}

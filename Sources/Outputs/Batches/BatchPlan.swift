package import Basics
internal import Digests
internal import Files

/// Decides how to process every entry of a list, with the same decisions in every shard.
///
/// Every shard reads the whole list, so that duplicate items and colliding outputs are always found. An entry
/// takes 16 bytes of memory for its identity, for its id and for each output. Lines that need no work, because they are
/// of other shards or done, are not parsed but scanned.
package struct BatchPlan {
    /// A task.
    package enum Task {
        case make(BatchItem, outputs: [String])
        /// The result is already known.
        case known(BatchResult)
    }

    private var list: BatchList
    private let work: any BatchWork
    private let naming: OutputNaming?
    private let shard: Shard?
    /// The results that are kept from an earlier run.
    private let log: ResultLog?
    private let fingerprints: FingerprintScan
    private var scan: LineScan
    private var identities: Set<Digest> = []
    private var ids: Set<Digest> = []
    private var outputs: Set<Digest> = []
    /// The outputs of the last line that was scanned.
    private var lineOutputs: [Digest] = []
    private var path: [UInt8] = []

    /// The first half of a SHA-256.
    package struct Digest: Hashable {
        let high: UInt64
        let low: UInt64

        package init(_ text: String) { self.init(Array(text.utf8)) }

        init(_ text: [UInt8]) {
            let bytes = SHA256.hash(text.span).bytes
            var (high, low): (UInt64, UInt64) = (0, 0)
            for index in 0..<8 {
                high = high << 8 | UInt64(bytes[index])
                low = low << 8 | UInt64(bytes[index + 8])
            }
            (self.high, self.low) = (high, low)
        }

        init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

        /// A combination of two digests.
        func with(_ other: Self) -> Self { Self(high: high ^ other.low, low: low &+ other.high) }

        // The bits are random already.
        package func hash(into hasher: inout Hasher) { hasher.combine(low) }
    }

    /// - Parameter log: the results whose items are skipped.
    package init(
        _ list: BatchList, for work: any BatchWork, shard: Shard? = nil, skipping log: ResultLog? = nil
    ) {
        self.list = list
        self.work = work
        self.shard = shard
        self.log = log
        naming = work.naming
        fingerprints = FingerprintScan(work)
        scan = LineScan(list.root)
    }

    package var share: Double? { list.share }

    /// The number of remaining tasks of this shard; nil if the list is a stream.
    mutating func countRest() throws(BatchError) -> Int? {
        guard list.isAtHand else { return nil }
        var count = 0
        while try next() != nil { count += 1 }
        return count
    }

    /// Returns the next task of this shard; nil at the end or when the batch was stopped while waiting.
    package mutating func next(isStopped: () -> Bool = { false }) throws(BatchError) -> Task? {
        while let raw = try list.nextRaw(isStopped: isStopped) {
            if case .line(let line) = raw, passes(over: line) { continue }
            switch list.entry(raw) {
            case nil: continue
            case .bad(let line, let bytes, let id, let path, let rest, let reason):
                guard shard?.contains(bytes) ?? true else { continue }
                return .known(
                    BatchResult(
                        line: line, id: id, path: path, rest: rest, outcome: .failed(.badLine(line, reason))))
            case .item(let item):
                let task = task(for: item)
                guard shard?.contains(item.shardKey.utf8) ?? true else { continue }
                if case .make = task, log?.has(item, work.fingerprint(of: item)) ?? false { continue }
                return task
            }
        }
        return nil
    }

    /// Records a line of another shard, or one that is done, without parsing it; returns false for other lines.
    private mutating func passes(over line: LineReader.Line) -> Bool {
        let hasResults = log.map { $0.kept > 0 } ?? false
        guard shard != nil || hasResults, let naming, !line.isCut, scan.read(line.bytes.span) else {
            return false
        }
        // Keys that are scanned are in NFC, as those of shards are.
        let key = Digest(scan.key)
        let isOwn = shard?.contains(key) ?? true
        guard !isOwn || hasResults && isDone(line.bytes.span, key) else { return false }
        guard readOutputs(of: line.bytes.span, naming) else { return false }
        let isByKey = work.identity != .path || scan.hasMember(of: work.ownMembers, line.bytes.span)
        let identity = isByKey || scan.id == nil ? key : Digest(scan.path)
        let id = scan.id.map { Digest($0) }
        if isOwn {
            // A duplicate has a result of its own.
            guard !identities.contains(identity), !(id.map(ids.contains) ?? false),
                !lineOutputs.contains(where: outputs.contains)
            else { return false }
        }
        guard identities.insert(identity).inserted, id.map({ ids.insert($0).inserted }) ?? true,
            !lineOutputs.contains(where: outputs.contains)
        else { return true }
        for output in lineOutputs { outputs.insert(output) }
        return true
    }

    /// Whether the log has the result of the scanned line, as far as its fingerprint is found without parsing.
    private func isDone(_ line: Span<UInt8>, _ key: Digest) -> Bool {
        guard let log, let fingerprint = fingerprints.fingerprint(scan, line) else { return false }
        return log.has(key, fingerprint.digest)
    }

    /// Finds the outputs of the scanned line; returns false if they are left to the work.
    private mutating func readOutputs(of line: Span<UInt8>, _ naming: OutputNaming) -> Bool {
        lineOutputs.removeAll(keepingCapacity: true)
        if let member = naming.member, let given = scan.member(member, line) {
            guard let path = scan.plainPath(given, line) else { return false }
            lineOutputs.append(Digest(path))
            return true
        }
        let name = ItemName(path: scan.path, id: scan.id)
        for number in 0..<naming.count {
            path.removeAll(keepingCapacity: true)
            guard naming.append(number, of: name, to: &path) else { return false }
            lineOutputs.append(Digest(path))
        }
        return true
    }

    /// Returns the task of an item, and records the item for later entries.
    private mutating func task(for item: BatchItem) -> Task {
        func known(_ outcome: BatchResult.Outcome) -> Task { .known(BatchResult(item, outcome: outcome)) }
        guard identities.insert(Digest(work.identity(of: item))).inserted else { return known(.duplicate) }
        if let id = item.idText, !ids.insert(Digest(id)).inserted {
            return known(
                .failed(.collision(item, "its id \(id) is that of an earlier file; use unique ids")))
        }
        do throws(BatchFailure) {
            let outputs = try work.outputs(of: item)
            let digests = outputs.map { Digest($0) }
            if let taken = digests.firstIndex(where: self.outputs.contains) {
                return known(
                    .failed(
                        .collision(
                            item,
                            "its \(work.noun) \(outputs[taken]) is that of an earlier file; "
                                + (list.isManifest
                                    && (work.identity == .line || item.hasMember(of: work.ownMembers))
                                    ? "give each line an id, and add {id} to the template"
                                    : "add {name} or {dir} to the template"))))
            }
            for digest in digests { self.outputs.insert(digest) }
            return .make(item, outputs: outputs)
        } catch {
            return known(.failed(error))
        }
    }
}

/// One of several shares of a batch; its items depend only on their keys.
public struct Shard: Hashable, Codable, Sendable {
    /// The index, from 0.
    public let index: Int
    /// The number of shares.
    public let count: Int

    /// Creates a shard; nil if the index is not in 0..<count.
    public init?(index: Int, count: Int) {
        guard count > 0, (0..<count).contains(index) else { return nil }
        (self.index, self.count) = (index, count)
    }

    /// Parses "i/n".
    package init?(parsing text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]) else { return nil }
        self.init(index: index, count: count)
    }

    /// Whether an item of this key is in the share.
    ///
    /// The index is the first 8 bytes of the SHA-256 of the key in NFC, as a big-endian number modulo the count.
    package func contains(_ key: some Sequence<UInt8>) -> Bool { contains(BatchPlan.Digest(Array(key))) }

    func contains(_ key: BatchPlan.Digest) -> Bool { key.high % UInt64(count) == UInt64(index) }
}

extension Shard: CustomStringConvertible {
    /// Decodes a shard; throws `DecodingError` if the index is not in 0..<count.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let shard = Self(
            index: try values.decode(Int.self, forKey: .index),
            count: try values.decode(Int.self, forKey: .count))
        guard let shard else { throw decoder.invalid("the index is not below the count, or negative") }
        self = shard
    }

    /// "i/n", from 0.
    public var description: String { "\(index)/\(count)" }
}

extension Shard {
    /// Reads the shard from the environment; nil if there is none.
    ///
    /// VIEWPORT_SHARD is "i/n". The other variables are those of Slurm job arrays (consecutive indices from any
    /// start), Kubernetes Indexed Jobs and AWS Batch array jobs.
    package init?(environment variable: (String) -> String?) throws(InvalidText) {
        if let text = variable("VIEWPORT_SHARD") {
            guard let shard = Shard(parsing: text) else {
                throw Self.invalid("VIEWPORT_SHARD", text)
            }
            self = shard
            return
        }
        let schedulers = [
            ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN"),
            ("JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", ""),
            ("AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", ""),
        ]
        for (indexName, countName, firstName) in schedulers {
            guard let index = variable(indexName) else { continue }
            guard let count = variable(countName) else {
                throw InvalidText("\(indexName) is set without \(countName): give --shard i/n")
            }
            let first = variable(firstName) ?? "0"
            guard let index = Int(index), let count = Int(count), let first = Int(first),
                let shard = Shard(index: index - first, count: count)
            else { throw Self.invalid(indexName, index) }
            self = shard
            return
        }
        return nil
    }

    private static func invalid(_ variable: String, _ value: String) -> InvalidText {
        InvalidText("\(variable) is \(value), which is not a shard; give --shard i/n, i from 0")
    }
}

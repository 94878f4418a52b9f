internal import Basics
internal import Crypto

/// Decides what is to be done with every entry of a list: the same in every share of the batch.
///
/// The whole list is read whatever the share, so that a file that is listed twice and two files that would have
/// the same thumbnail are found wherever they stand. An entry costs 16 bytes of memory for its path, for its id
/// and for each output.
package struct BatchPlan {
    /// What is to be done.
    package enum Task {
        case make(BatchItem, outputs: [String])
        /// Nothing: the result is known.
        case tell(BatchResult)
    }

    private var list: BatchList
    private let store: any ThumbnailStore
    private let shard: Shard?
    /// Items whose results stand from an earlier run.
    private let isDone: @Sendable (_ key: String) -> Bool
    private var paths: Set<Digest> = []
    private var ids: Set<Digest> = []
    private var outputs: Set<Digest> = []

    /// The first half of a SHA-256.
    struct Digest: Hashable {
        let high: UInt64
        let low: UInt64

        init(_ text: String) {
            let bytes = SHA256.hash(data: Array(text.utf8)).prefix(16)
            high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            low = bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    package init(
        _ list: BatchList, for store: any ThumbnailStore, shard: Shard? = nil,
        isDone: @escaping @Sendable (_ key: String) -> Bool = { _ in false }
    ) {
        self.list = list
        self.store = store
        self.shard = shard
        self.isDone = isDone
    }

    package var share: Double? { list.share }

    /// How many tasks of this share are left; nil where the list is a stream.
    mutating func countRest() throws(BatchError) -> Int? {
        guard list.isAtHand else { return nil }
        var count = 0
        while try next() != nil { count += 1 }
        return count
    }

    /// The next task of this share; nil at the end, and when waiting for more was given up.
    package mutating func next(isStopped: () -> Bool = { false }) throws(BatchError) -> Task? {
        while let entry = try list.next(isStopped: isStopped) {
            switch entry {
            case .bad(let line, let bytes, let id, let path, let rest, let reason):
                guard shard?.contains(bytes) ?? true else { continue }
                return .tell(
                    BatchResult(
                        line: line, id: id, path: path, rest: rest, outcome: .failed(.badLine(line, reason))))
            case .item(let item):
                let task = task(for: item)
                let key = item.key
                guard shard?.contains(key.utf8) ?? true else { continue }
                if case .make = task, isDone(key) { continue }
                return task
            }
        }
        return nil
    }

    /// What is to be done with an item, which is noted for those that follow.
    private mutating func task(for item: BatchItem) -> Task {
        func tell(_ outcome: BatchResult.Outcome) -> Task { .tell(BatchResult(item, outcome: outcome)) }
        guard paths.insert(Digest(item.relativePath)).inserted else { return tell(.duplicate) }
        if let id = item.idText, !ids.insert(Digest(id)).inserted {
            return tell(.failed(.collision(item, "its id \(id) belongs to a file before; give each its own")))
        }
        do throws(BatchFailure) {
            let outputs = try store.outputs(of: item)
            let digests = outputs.map { Digest($0) }
            if let taken = digests.firstIndex(where: self.outputs.contains) {
                return tell(
                    .failed(
                        .collision(
                            item,
                            "its thumbnail \(outputs[taken]) is that of a file before; "
                                + "tell them apart with {name} or {dir} in --output")))
            }
            self.outputs.formUnion(digests)
            return .make(item, outputs: outputs)
        } catch {
            return tell(.failed(error))
        }
    }
}

internal import Basics
internal import PhotoCatalog

/// One event of a collection's stream.
enum CollectionEvent {
    case begin(CollectionSnapshot)
    case change(CollectionChange)
    /// What happened between two changes of the library is not shown.
    case same(since: Int, Int)

    /// The event as it is sent.
    var text: String { "event: \(name)\ndata: \(data.line)\n\n" }

    private var name: String {
        switch self {
        case .begin: "begin"
        case .change: "change"
        case .same: "same"
        }
    }

    private var data: JSONValue {
        switch self {
        case .begin(let now):
            .object([
                ("sequence", .int(now.sequence)), ("entries", .int(now.entries.count)),
                ("assets", .int(now.count)),
            ])
        case .same(let since, let sequence):
            .object([("since", .int(since)), ("sequence", .int(sequence))])
        case .change(let change): change.json
        }
    }
}

extension CollectionChange {
    /// What a page needs to follow: index paths are [entry, asset], entries [index, key, count].
    ///
    /// With `reload` all of it has to be loaded again.
    fileprivate var json: JSONValue {
        let whole: [(String, JSONValue?)] = [
            ("since", .int(before.sequence)), ("sequence", .int(after.sequence)), ("reload", .bool(isReload)),
            ("entries", .int(after.entries.count)), ("assets", .int(after.count)),
        ]
        guard !isReload else { return .object(whole) }
        let moves = moved.map { JSONValue.array([$0.from.json, $0.to.json]) }
        return .object(
            whole + [
                ("deletedEntries", .array(deletedEntries.map(JSONValue.int))),
                ("insertedEntries", .array(insertedEntries.map(entry))),
                ("changedEntries", .array(changedEntries.map(entry))),
                ("removed", .array(removed.map(\.json))), ("inserted", .array(inserted.map(\.json))),
                ("moved", .array(moves)), ("updated", .array(updated.map(\.json))),
            ])
    }

    private func entry(_ index: Int) -> JSONValue {
        let entry = after.entries[index]
        return .array([.int(index), entry.key?.json ?? .null, .int(entry.count)])
    }

    /// Places in the new list of entries that were there before with another count.
    private var changedEntries: [Int] {
        let counts = Dictionary(before.entries.map { ($0.key, $0.count) }) { $1 }
        return after.entries.indices.filter { index in
            counts[after.entries[index].key].map { $0 != after.entries[index].count } ?? false
        }
    }
}

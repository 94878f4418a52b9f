internal import Basics

/// The entries and assets of a collection at one moment; takes 8 bytes per asset.
public struct CollectionSnapshot: Hashable, Sendable {
    /// The entries, in order.
    public let entries: [CollectionEntry]
    /// The identifiers of the assets of all entries, one entry after the other.
    public let ids: [Asset.ID]
    /// The start of each entry in `ids`, and the end of the last entry.
    private let starts: [Int]
    /// The number of the last change that it includes.
    package let sequence: Int

    package init(_ contents: [(key: EntryKey?, ids: [Asset.ID])], sequence: Int = 0) {
        entries = contents.map { CollectionEntry(key: $0.key, count: $0.ids.count) }
        ids = contents.flatMap(\.ids)
        starts = contents.reduce(into: [0]) { starts, entry in
            starts.append(starts[starts.count - 1] + entry.ids.count)
        }
        self.sequence = sequence
    }

    /// Whether entries and assets are equal; the time of the snapshot does not matter.
    public static func == (a: CollectionSnapshot, b: CollectionSnapshot) -> Bool {
        a.entries == b.entries && a.ids == b.ids
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entries)
        hasher.combine(ids)
    }

    /// The number of assets in all entries.
    package var count: Int { ids.count }

    /// Returns the assets of an entry, which must exist.
    public func ids(in entry: Int) -> ArraySlice<Asset.ID> { ids[starts[entry]..<starts[entry + 1]] }

    /// Returns the asset at an index path, which must exist.
    package subscript(indexPath: AssetIndexPath) -> Asset.ID {
        ids[starts[indexPath.entry] + indexPath.asset]
    }

    /// Returns the index path of an asset; nil if it is not in the snapshot.
    package func indexPath(of id: Asset.ID) -> AssetIndexPath? {
        ids.firstIndex(of: id).map { position in
            // The last entry that starts at or before the position.
            var (low, high) = (0, entries.count)
            while high - low > 1 {
                let middle = (low + high) / 2
                if starts[middle] <= position { low = middle } else { high = middle }
            }
            return AssetIndexPath(entry: low, asset: position - starts[low])
        }
    }
}

extension CollectionSnapshot: CustomStringConvertible {
    /// The numbers of assets and entries: "312 assets in 12 entries".
    public var description: String {
        "\(count.counted("asset")) in \(entries.count) \(entries.count == 1 ? "entry" : "entries")"
    }
}

extension CollectionSnapshot {
    /// The index paths of all assets, in order.
    package var indexPaths: [AssetIndexPath] { places(0..<count) }

    /// Returns the index paths of a range of positions.
    private func places(_ range: Range<Int>) -> [AssetIndexPath] {
        var paths: [AssetIndexPath] = []
        paths.reserveCapacity(range.count)
        var entry = 0
        for position in range {
            while starts[entry + 1] <= position { entry += 1 }
            paths.append(AssetIndexPath(entry: entry, asset: position - starts[entry]))
        }
        return paths
    }

    /// Returns the index paths between the equal parts at the start and the end of two snapshots.
    package static func differingParts(
        _ old: CollectionSnapshot, _ new: CollectionSnapshot
    ) -> (old: [AssetIndexPath], new: [AssetIndexPath]) {
        // Compares whole entries: an index path is equal only if its entry is.
        let shorter = min(old.entries.count, new.entries.count)
        func isEqual(_ a: Int, _ b: Int) -> Bool {
            old.entries[a] == new.entries[b] && old.ids(in: a).elementsEqual(new.ids(in: b))
        }
        var first = 0
        while first < shorter, isEqual(first, first) { first += 1 }
        var last = 0
        while last < shorter - first, isEqual(old.entries.count - 1 - last, new.entries.count - 1 - last) {
            last += 1
        }
        return (
            old.places(old.starts[first]..<old.starts[old.entries.count - last]),
            new.places(new.starts[first]..<new.starts[new.entries.count - last])
        )
    }
}

internal import ImageMetadata

/// Says in which order a collection shows its entries, and the assets in them.
///
/// Standard sorters are evaluated by the catalog; those of users are asked for pairs of assets, which are all
/// in memory meanwhile. Assets that stand before each other in neither direction are ordered by the bytes of
/// their paths, entries by their keys.
public protocol Sorter: Sendable {
    /// Whether an asset stands before another of the same entry.
    func areInOrder(_ first: Asset, _ second: Asset) -> Bool
    /// Whether an entry stands before another; nil is the key of assets that have none.
    func areInOrder(_ first: EntryKey?, _ second: EntryKey?) -> Bool
}

/// By date: the instant, then fractions of a second, then the bytes of the path.
///
/// What has no date, or no key, comes last in either order; else descending is the exact reverse of ascending.
public struct DateSorter: Hashable, Sorter {
    public enum Order: String, CaseIterable, Sendable { case ascending, descending }

    public var entries: Order
    public var assets: Order

    public init(entries: Order, assets: Order) {
        self.entries = entries
        self.assets = assets
    }

    public func areInOrder(_ first: Asset, _ second: Asset) -> Bool {
        let isReversed = assets == .descending && (first.date == nil) == (second.date == nil)
        return isReversed ? Self.precedes(second, first) : Self.precedes(first, second)
    }

    public func areInOrder(_ first: EntryKey?, _ second: EntryKey?) -> Bool {
        let isReversed = entries == .descending && first != nil && second != nil
        return isReversed ? Self.precedes(second, first) : Self.precedes(first, second)
    }

    static func precedes(_ first: EntryKey?, _ second: EntryKey?) -> Bool {
        guard let first else { return false }
        guard let second else { return true }
        return first < second
    }

    static func precedes(_ first: Asset, _ second: Asset) -> Bool {
        let (a, b) = (first.date, second.date)
        if let a, let b {
            if a.orderedInstant != b.orderedInstant { return a.orderedInstant < b.orderedInstant }
            let (first, second) = (a.local.nanoseconds, b.local.nanoseconds)
            if first != second { return first < second }
        } else if (a == nil) != (b == nil) {
            return b == nil
        }
        return first.path.utf8.lexicographicallyPrecedes(second.path.utf8)
    }
}

extension Sorter where Self == DateSorter {
    public static var dateAscending: Self { DateSorter(entries: .ascending, assets: .ascending) }
    public static var dateDescending: Self { DateSorter(entries: .descending, assets: .descending) }
}

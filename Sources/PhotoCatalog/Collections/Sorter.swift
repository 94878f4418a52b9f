internal import ImageMetadata

/// Orders the entries of a collection, and the assets in them.
///
/// The catalog evaluates `DateSorter`. A sorter of the client is asked about pairs of assets, all of which are in
/// memory meanwhile. Assets that stand before each other in neither direction are ordered by the bytes of
/// their paths, entries by their keys.
public protocol AssetSorter: Sendable {
    /// Whether an asset stands before another of the same entry.
    func areInOrder(_ first: Asset, _ second: Asset) -> Bool
    /// Whether an entry stands before another; nil is the key of assets that have none.
    func areInOrder(_ first: EntryKey?, _ second: EntryKey?) -> Bool
}

/// Orders by date: the instant, then fractions of a second, then the bytes of the path.
///
/// What has no date, or no key, comes last in either order; else descending is the exact reverse of ascending.
public struct DateSorter: Hashable, AssetSorter {
    /// A direction.
    public enum Order: String, CaseIterable, Sendable {
        /// The oldest first.
        case ascending
        /// The newest first.
        case descending
    }

    /// The order of the entries.
    public var entries: Order
    /// The order of the assets in an entry.
    public var assets: Order

    /// Creates a sorter.
    public init(entries: Order, assets: Order) {
        self.entries = entries
        self.assets = assets
    }

    /// Whether an asset comes before another of the same entry.
    public func areInOrder(_ first: Asset, _ second: Asset) -> Bool {
        let isReversed = assets == .descending && (first.date == nil) == (second.date == nil)
        return isReversed ? Self.precedes(second, first) : Self.precedes(first, second)
    }

    /// Whether an entry comes before another.
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

extension AssetSorter where Self == DateSorter {
    /// The oldest first.
    public static var dateAscending: Self { DateSorter(entries: .ascending, assets: .ascending) }
    /// The newest first.
    public static var dateDescending: Self { DateSorter(entries: .descending, assets: .descending) }
}

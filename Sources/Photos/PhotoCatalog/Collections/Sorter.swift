internal import ImageMetadata

/// Orders the entries of a collection, and the assets in them.
///
/// The catalog evaluates `DateSorter`. For a sorter of a program, all assets are loaded into memory. Equal assets are
/// sorted by the bytes of their paths, equal entries by their keys.
public protocol AssetSorter: Sendable {
    /// Whether an asset comes before another of the same entry.
    func areInOrder(_ first: Asset, _ second: Asset) -> Bool
    /// Whether an entry comes before another; nil is the key of assets without a key.
    func areInOrder(_ first: EntryKey?, _ second: EntryKey?) -> Bool
}

/// Sorts by date: the instant, then fractions of a second, then the bytes of the path.
///
/// Assets without a date and entries without a key come last in either order; otherwise descending is the exact
/// reverse of ascending.
public struct DateSorter: Hashable, AssetSorter {
    /// A direction.
    package enum Order: String, CaseIterable, Sendable {
        /// The oldest first.
        case ascending
        /// The newest first.
        case descending
    }

    /// The order of the entries.
    package var entries: Order
    /// The order of the assets in an entry.
    package var assets: Order

    /// Creates a sorter.
    package init(entries: Order, assets: Order) {
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
        return first.file < second.file
    }
}

extension AssetSorter where Self == DateSorter {
    /// The oldest first.
    public static var dateAscending: Self { DateSorter(entries: .ascending, assets: .ascending) }
    /// The newest first.
    public static var dateDescending: Self { DateSorter(entries: .descending, assets: .descending) }
}

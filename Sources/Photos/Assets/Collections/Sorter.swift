internal import ImageMetadata

/// Orders the entries of a collection, and the assets in them.
///
/// The catalog evaluates `DateSorter`. For a sorter of a program, all assets are loaded into memory. Equal assets are
/// sorted by the bytes of their paths, equal entries by their keys.
public protocol AssetSorter: Sendable {
    /// Whether an asset comes before another of the same entry.
    func areInOrder(_ first: Asset, _ second: Asset) -> Bool
    /// Whether an entry comes before another; nil is the key of assets without a key.
    ///
    /// By default, entries ascend by their keys, and the one without a key is last.
    func areInOrder(_ first: EntryKey?, _ second: EntryKey?) -> Bool
}

extension AssetSorter {
    /// Whether an entry has the smaller key; the one without a key is last.
    public func areInOrder(_ first: EntryKey?, _ second: EntryKey?) -> Bool {
        DateSorter.precedes(first, second)
    }
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

    package static func precedes(_ first: EntryKey?, _ second: EntryKey?) -> Bool {
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

/// A sort by its name.
///
/// With a row in `all`, requests of the command line, of pages and of programs understand it, and helps and menus list it.
package struct NamedSort: Sendable {
    package let name: String
    /// What menus call the directions.
    let titles: (ascending: String, descending: String)
    let sorter: @Sendable (DateSorter.Order) -> any AssetSorter

    /// The sorts; the first one is meant where a direction stands alone.
    package static let all = [
        NamedSort(name: "date", titles: ("Oldest first", "Newest first")) {
            DateSorter(entries: $0, assets: $0)
        }
    ]
}

/// A sort and a direction: "date:desc", "descending".
package struct AssetOrder: Hashable, Sendable {
    private let number: Int
    package let direction: DateSorter.Order

    private init(_ number: Int, _ direction: DateSorter.Order) {
        (self.number, self.direction) = (number, direction)
    }

    /// The oldest first.
    package static let first = AssetOrder(0, .ascending)
    /// The newest first.
    package static let newest = AssetOrder(0, .descending)

    /// All orders, the sorts one after another.
    package static var all: [AssetOrder] {
        NamedSort.all.indices.flatMap { [AssetOrder($0, .ascending), AssetOrder($0, .descending)] }
    }

    /// All orders as menus list them.
    package static var menu: [AssetOrder] {
        NamedSort.all.indices.flatMap { [AssetOrder($0, .descending), AssetOrder($0, .ascending)] }
    }

    /// Reads an order in any case; nil for an unknown one.
    package init?(_ text: String) {
        let text = text.lowercased()
        guard let order = Self.all.first(where: { $0.spellings.contains(text) }) else { return nil }
        self = order
    }

    private var sort: NamedSort { NamedSort.all[number] }
    private var directions: [String] { [direction.rawValue, direction == .ascending ? "asc" : "desc"] }

    /// The name in addresses.
    package var word: String { spellings[0] }

    /// What is understood as this order.
    package var spellings: [String] {
        (number == 0 ? directions : []) + directions.map { "\(sort.name):\($0)" }
            + (direction == .ascending ? [sort.name] : [])
    }

    /// The shortest spelling with a direction.
    package var short: String { number == 0 ? directions[1] : whole }
    /// The spelling with the sort and the direction.
    package var whole: String { "\(sort.name):\(directions[1])" }

    package var title: String { direction == .ascending ? sort.titles.ascending : sort.titles.descending }

    package var sorter: any AssetSorter { sort.sorter(direction) }
}

internal import ImageMetadata

/// Says which entry of a collection an asset belongs to.
///
/// Standard groupings are evaluated by the catalog; those of users are asked for every asset.
public protocol Grouping: Sendable {
    /// The key of the asset's entry; nil for the entry of those that have no key, as undated assets.
    func key(of asset: Asset) -> EntryKey?
}

/// What the assets of an entry have in common.
public enum EntryKey: Hashable, Sendable {
    /// 2014 for a year, 201405 for a month, 20140519 (its Monday) for a week, 20140525 for a day, 2014052510 for
    /// an hour; 0 where all are together.
    case number(Int)
    /// A place's name.
    case text(String)
}

extension EntryKey: Comparable {
    /// Numbers by value, then texts by their bytes.
    public static func < (a: EntryKey, b: EntryKey) -> Bool {
        switch (a, b) {
        case (.number(let a), .number(let b)): a < b
        case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        case (.number, .text): true
        case (.text, .number): false
        }
    }
}

extension EntryKey: CustomStringConvertible {
    public var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .text(let text): text
        }
    }
}

/// The groupings that every library has; keys come from the asset's own wall clock.
public struct StandardGrouping: Grouping, Hashable {
    /// What the assets of an entry share; a week begins on Monday.
    public enum Unit: String, CaseIterable, Sendable { case all, year, month, week, day, hour, place }

    public let unit: Unit

    public init(_ unit: Unit) { self.unit = unit }

    public func key(of asset: Asset) -> EntryKey? {
        switch unit {
        case .all: .number(0)
        case .year: asset.date.map { .number($0.local.year) }
        case .month: asset.date.map { .number($0.local.hourKey / 10_000) }
        case .week: asset.date.map { .number($0.local.weekKey) }
        case .day: asset.date.map { .number($0.local.hourKey / 100) }
        case .hour: asset.date.map { .number($0.local.hourKey) }
        case .place: asset.place.map { .text($0) }
        }
    }
}

extension Grouping where Self == StandardGrouping {
    public static var all: Self { Self(.all) }
    public static var year: Self { Self(.year) }
    public static var month: Self { Self(.month) }
    public static var week: Self { Self(.week) }
    public static var day: Self { Self(.day) }
    public static var hour: Self { Self(.hour) }
    public static var place: Self { Self(.place) }
}

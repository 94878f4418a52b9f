internal import ImageMetadata

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

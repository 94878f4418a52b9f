internal import GRDB

/// The assets that all of several filters include.
public struct FilterIntersection: Filter {
    private let filters: [any Filter]

    public init(_ filters: [any Filter]) { self.filters = filters }

    public func includes(_ asset: Asset) -> Bool { filters.allSatisfy { $0.includes(asset) } }
}

extension FilterIntersection: CatalogFilter {
    var condition: SQL? { joined(\.condition) }
    var talliedCondition: SQL? { joined(\.talliedCondition) }
    var asksOnlyForKinds: Bool {
        filters.allSatisfy { ($0 as? any CatalogFilter)?.asksOnlyForKinds ?? false }
    }
    var dividedHours: [Int] {
        Set(filters.flatMap { ($0 as? any CatalogFilter)?.dividedHours ?? [] }).sorted()
    }
    var asksForPlaces: Bool {
        filters.contains { ($0 as? any CatalogFilter)?.asksForPlaces ?? false }
    }

    /// All of the filters' conditions; nil where one has none.
    private func joined(_ part: (any CatalogFilter) -> SQL?) -> SQL? {
        let conditions = filters.compactMap { ($0 as? any CatalogFilter).flatMap(part) }
        guard conditions.count == filters.count else { return nil }
        return conditions.isEmpty ? "TRUE" : "(\(conditions.joined(separator: " AND ")))"
    }
}

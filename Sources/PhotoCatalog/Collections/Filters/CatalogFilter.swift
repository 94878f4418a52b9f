internal import GRDB

/// A filter that the catalog can evaluate.
protocol CatalogFilter: Filter {
    /// What holds for the rows of `asset` that it includes, never NULL; nil where the catalog cannot say so.
    var condition: SQL? { get }
    /// What holds for what is counted of the assets that it includes, in rows `asset` of an hour, kinds and a place;
    /// nil where these do not tell.
    var talliedCondition: SQL? { get }
    /// The hours' keys of which it includes some assets and others not: these have to be looked at themselves.
    var dividedHours: [Int] { get }
    /// Whether the kinds alone tell.
    var asksOnlyForKinds: Bool { get }
    /// Whether the hour and the kinds do not tell.
    var asksForPlaces: Bool { get }
}

extension CatalogFilter {
    var talliedCondition: SQL? { nil }
    var dividedHours: [Int] { [] }
    var asksOnlyForKinds: Bool { false }
    var asksForPlaces: Bool { false }
}

extension AssetKinds: CatalogFilter {
    var condition: SQL? { self == .all ? "TRUE" : "asset.kinds & \(rawValue) <> 0" }
    var talliedCondition: SQL? { condition }
    var asksOnlyForKinds: Bool { true }
}

internal import GRDB

/// A filter that the catalogue can evaluate.
protocol CatalogueFilter: Filter {
    /// What holds for the rows of `asset` that it includes, never NULL; nil where the catalogue cannot say so.
    var condition: SQL? { get }
    /// What holds for the rows of `tally` whose assets it includes, with the hour's key as `hour`; nil where
    /// the hour and the kinds do not tell.
    var talliedCondition: SQL? { get }
    /// Whether the kinds alone tell.
    var asksOnlyForKinds: Bool { get }
}

extension CatalogueFilter {
    var talliedCondition: SQL? { nil }
    var asksOnlyForKinds: Bool { false }
}

extension AssetKinds: CatalogueFilter {
    var condition: SQL? { self == .all ? "TRUE" : "kinds & \(rawValue) <> 0" }
    var talliedCondition: SQL? { condition }
    var asksOnlyForKinds: Bool { true }
}

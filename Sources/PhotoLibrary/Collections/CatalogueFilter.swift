internal import GRDB

/// A filter that the catalogue can evaluate.
protocol CatalogueFilter: Filter {
    /// What holds for the rows of `asset` that it includes; nil where the catalogue cannot say so.
    var condition: SQL? { get }
}

extension AssetKinds: CatalogueFilter {
    var condition: SQL? { self == .all ? "TRUE" : "kinds & \(rawValue) <> 0" }
}

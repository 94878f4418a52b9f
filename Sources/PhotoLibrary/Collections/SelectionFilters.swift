internal import GRDB
internal import ImageMetadata

/// The assets whose own wall clock shows a time between two others; undated ones are left out.
public struct DateFilter: Filter, Hashable {
    private let from: String?
    private let to: String?

    /// - Parameters: the beginning of "2014-05-25T10:00:00", as far as it matters; nil for no bound. All that
    ///   begins like `to` is included.
    public init(from: String?, to: String?) {
        self.from = from
        self.to = to
    }

    public func includes(_ asset: Asset) -> Bool {
        guard let date = asset.date?.local.description else { return false }
        return (from.map { date >= $0 } ?? true) && (to.map { date.prefix($0.count) <= $0 } ?? true)
    }
}

extension DateFilter: CatalogueFilter {
    var condition: SQL? {
        // Days without a time are stored as such and count as midnight.
        let date: SQL = "(CASE length(date) WHEN 10 THEN date || 'T00:00:00' ELSE date END)"
        let first: SQL = from.map { "\(date) >= \($0)" } ?? "TRUE"
        let last: SQL = to.map { "substr(\(date), 1, \($0.count)) <= \($0)" } ?? "TRUE"
        return "(date IS NOT NULL AND \(first) AND \(last))"
    }
}

/// The assets within a distance of a place.
public struct NearFilter: Filter, Hashable {
    private let place: SpherePoint
    private let distance: Double

    /// - Parameters:
    ///   - latitude: in degrees.
    ///   - longitude: in degrees.
    ///   - distance: in metres along the great circle.
    public init(latitude: Double, longitude: Double, distance: Double) {
        place = SpherePoint(latitude: latitude, longitude: longitude)
        self.distance = distance
    }

    public func includes(_ asset: Asset) -> Bool {
        guard let location = asset.location else { return false }
        let point = SpherePoint(latitude: location.latitude, longitude: location.longitude)
        return point.distance(to: place) <= distance
    }
}

/// The assets at places whose names hold a text, whatever its case.
public struct PlaceFilter: Filter, Hashable {
    private let text: String

    public init(containing text: String) { self.text = text.lowercased() }

    public func includes(_ asset: Asset) -> Bool { asset.place?.lowercased().contains(text) ?? false }
}

/// The assets that all of several filters include.
public struct FilterIntersection: Filter {
    private let filters: [any Filter]

    public init(_ filters: [any Filter]) { self.filters = filters }

    public func includes(_ asset: Asset) -> Bool { filters.allSatisfy { $0.includes(asset) } }
}

extension FilterIntersection: CatalogueFilter {
    var condition: SQL? {
        let conditions = filters.compactMap { ($0 as? any CatalogueFilter)?.condition }
        guard conditions.count == filters.count else { return nil }
        return conditions.reduce(SQL("TRUE")) { "\($0) AND \($1)" }
    }
}

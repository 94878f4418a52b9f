internal import Assets
internal import GRDB
internal import Places
private import Platform

/// A filter that the catalog can evaluate.
protocol CatalogFilter: AssetFilter {
    /// The condition for rows of `asset`, never NULL; nil if the catalog cannot evaluate the filter.
    var condition: SQL? { get }
    /// The condition for counts: rows `asset` with an hour, kinds and a place; nil if these do not suffice.
    var talliedCondition: SQL? { get }
    /// The keys of hours of which it includes only a part: their assets have to be read.
    var dividedHours: [Int] { get }
    /// Whether the condition depends on the kinds only.
    var asksOnlyForKinds: Bool { get }
    /// Whether the condition depends on the place.
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

    /// The conditions of all filters; nil if one has none.
    private func joined(_ part: (any CatalogFilter) -> SQL?) -> SQL? {
        let conditions = filters.compactMap { ($0 as? any CatalogFilter).flatMap(part) }
        guard conditions.count == filters.count else { return nil }
        return conditions.isEmpty ? "TRUE" : "(\(conditions.joined(separator: " AND ")))"
    }
}

extension PlaceFilter: CatalogFilter {
    var condition: SQL? {
        """
        (asset.place IS NOT NULL AND asset.place IN (SELECT id FROM place WHERE placeHolds(name, \(text))))
        """
    }
    var talliedCondition: SQL? { condition }
    var asksForPlaces: Bool { true }

    /// The SQL function that searches a name; SQLite itself ignores only the case of ASCII.
    static let placeHolds = DatabaseFunction("placeHolds", argumentCount: 2, pure: true) { values in
        guard let name = String.fromDatabaseValue(values[0]), let text = String.fromDatabaseValue(values[1])
        else { return nil }
        return holds(name, text)
    }
}

extension NearFilter: CatalogFilter {
    /// A box of degrees that the index can use, then the great circle.
    var condition: SQL? {
        guard isValid else { return "FALSE" }
        // A subquery: one index cannot serve both the positions and the order.
        return """
            asset.id IN (
                SELECT id FROM asset INDEXED BY assetByLocation WHERE latitude IS NOT NULL AND \(box)
                AND metersBetween(latitude, longitude, \(latitude), \(longitude)) <= \(distance))
            """
    }

    private var box: SQL {
        // Rounding must not exclude anything within the distance: 1e-6 degrees are 0.1 m.
        let margin = 1e-6
        let angle = distance / SpherePoint.radius
        let (south, north) = (latitude - angle.degrees - margin, latitude + angle.degrees + margin)
        let band: SQL = "latitude BETWEEN \(south) AND \(north)"
        // A circle around a pole contains all longitudes.
        guard south > -90, north < 90 else { return band }
        let reach = asin(sin(angle) / cos(latitude * .pi / 180)).degrees + margin
        let (west, east) = (longitude - reach, longitude + reach)
        var ranges: [SQL] = ["longitude BETWEEN \(west) AND \(east)"]
        // Longitudes beyond the date line have the other sign.
        if west < -180 { ranges.append("longitude >= \(west + 360)") }
        if east > 180 { ranges.append("longitude <= \(east - 360)") }
        return "\(band) AND (\(ranges.joined(separator: " OR ")))"
    }

    /// The SQL function for the distance between two positions.
    static let metersBetween = DatabaseFunction("metersBetween", argumentCount: 4, pure: true) { values in
        let degrees = values.compactMap { Double.fromDatabaseValue($0) }
        guard degrees.count == 4 else { return nil }
        return SpherePoint(latitude: degrees[0], longitude: degrees[1])
            .distance(to: SpherePoint(latitude: degrees[2], longitude: degrees[3]))
    }
}

extension Double {
    fileprivate var degrees: Double { self * 180 / .pi }
}

extension BoundsFilter: CatalogFilter {
    var condition: SQL? {
        let isAcross: SQL =
            west <= east
            ? "longitude BETWEEN \(west) AND \(east)" : "(longitude >= \(west) OR longitude <= \(east))"
        return """
            asset.id IN (
                SELECT id FROM asset INDEXED BY assetByLocation WHERE latitude IS NOT NULL
                AND latitude BETWEEN \(south) AND \(north) AND \(isAcross))
            """
    }
}

extension CoverFilter: CatalogFilter {
    /// The kinds where these alone, in the whole library, tell what is hidden: all covers are found if photos are.
    private var kinds: AssetKinds? {
        guard group == .all, let kinds = base as? AssetKinds, kinds.contains(.photo) || kinds == .video else {
            return nil
        }
        return kinds
    }

    private static let isInFront: SQL = "asset.kinds & \(AssetKinds.behind.rawValue) = 0"

    var condition: SQL? {
        if let kinds { return kinds.condition.map { "(\($0) AND \(Self.isInFront))" } }
        guard let base = (base as? any CatalogFilter)?.condition else { return nil }
        let isInGroup: SQL =
            switch group {
            case .all: "TRUE"
            case .folder(let id): "asset.folder = \(id)"
            case .album(let id):
                "EXISTS (SELECT 1 FROM albumAsset WHERE album = \(id) AND albumAsset.asset = member.stack)"
            }
        // The innermost rows named `asset` are covers, to which the other conditions apply.
        return """
            (\(base) AND (\(Self.isInFront) OR NOT EXISTS (SELECT 1 FROM asset AS member WHERE member.id = asset.id
                AND EXISTS (SELECT 1 FROM asset WHERE asset.id = member.stack AND \(isInGroup) AND \(base)))))
            """
    }

    var talliedCondition: SQL? { kinds == nil ? nil : condition }
    var asksOnlyForKinds: Bool { kinds != nil }
}

internal import GRDB
internal import ImageMetadata
internal import Places
private import Platform

/// Selects the assets within a distance of a position.
public struct NearFilter: AssetFilter, Hashable {
    private let latitude: Double
    private let longitude: Double
    private let distance: Double
    private let place: SpherePoint

    /// Creates a filter; it includes nothing if a number is NaN or outside of its range.
    ///
    /// - Parameters:
    ///   - latitude: degrees of WGS 84, -90 to 90.
    ///   - longitude: degrees of WGS 84, -180 to 180.
    ///   - distance: meters along the great circle; negative distances include nothing.
    public init(latitude: Double, longitude: Double, distance: Double) {
        self.latitude = latitude
        self.longitude = longitude
        self.distance = distance
        place = SpherePoint(latitude: latitude, longitude: longitude)
    }

    /// Reads "46.2,6.14,25": degrees, and the distance in kilometers; nil for other texts.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).compactMap { Double($0) }
        guard parts.count == 3 else { return nil }
        self.init(latitude: parts[0], longitude: parts[1], distance: parts[2] * 1000)
        guard isValid else { return nil }
    }

    private var isValid: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 && distance >= 0 }

    /// Whether an asset has a location within the distance.
    public func includes(_ asset: Asset) -> Bool {
        guard isValid, let location = asset.location else { return false }
        let point = SpherePoint(latitude: location.latitude, longitude: location.longitude)
        return point.distance(to: place) <= distance
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

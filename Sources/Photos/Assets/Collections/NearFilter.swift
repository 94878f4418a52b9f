internal import ImageMetadata
internal import Places

/// Selects the assets within a distance of a position.
public struct NearFilter: AssetFilter, Hashable {
    package let latitude: Double
    package let longitude: Double
    package let distance: Double
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

    package var isValid: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 && distance >= 0 }

    /// Whether an asset has a location within the distance.
    public func includes(_ asset: Asset) -> Bool {
        guard isValid, let location = asset.location else { return false }
        let point = SpherePoint(latitude: location.latitude, longitude: location.longitude)
        return point.distance(to: place) <= distance
    }
}

internal import ImageMetadata

/// The assets within a distance of a place.
public struct NearFilter: Filter, Hashable {
    let latitude: Double
    let longitude: Double
    let distance: Double
    private let place: SpherePoint

    /// - Parameters:
    ///   - latitude: in degrees.
    ///   - longitude: in degrees.
    ///   - distance: in meters along the great circle.
    public init(latitude: Double, longitude: Double, distance: Double) {
        self.latitude = latitude
        self.longitude = longitude
        self.distance = distance
        place = SpherePoint(latitude: latitude, longitude: longitude)
    }

    public func includes(_ asset: Asset) -> Bool {
        guard let location = asset.location else { return false }
        let point = SpherePoint(latitude: location.latitude, longitude: location.longitude)
        return point.distance(to: place) <= distance
    }
}

/// Where a receiver was at a moment.
public struct TrackPoint: Hashable, Sendable {
    /// Seconds since 1970 UTC.
    public var instant: Double
    /// Degrees of WGS 84.
    public var latitude: Double
    /// Degrees of WGS 84.
    public var longitude: Double
    /// Meters above sea level.
    public var altitude: Double?
    /// How much worse than ideal the satellites stood for a horizontal position.
    public var horizontalDilution: Double?

    public init(
        instant: Double, latitude: Double, longitude: Double, altitude: Double? = nil,
        horizontalDilution: Double? = nil
    ) {
        self.instant = instant
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.horizontalDilution = horizontalDilution
    }
}

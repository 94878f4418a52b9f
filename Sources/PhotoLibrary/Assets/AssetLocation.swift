/// Where a picture was taken, in degrees of WGS 84; north and east are positive.
public struct AssetLocation: Hashable, Sendable {
    public var latitude: Double
    public var longitude: Double
    /// Metres above sea level.
    public var altitude: Double?
    /// How far it may be wrong, in metres; nil where nobody says.
    public var accuracy: Double?
    /// Where it came from: "EXIF", "XMP", "GPX".
    public var source: String

    public init(
        latitude: Double, longitude: Double, altitude: Double? = nil, accuracy: Double? = nil, source: String
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.accuracy = accuracy
        self.source = source
    }
}

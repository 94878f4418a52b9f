/// Where a picture was taken, in degrees of WGS 84; north and east are positive.
public struct Location: Equatable, Sendable {
    public var latitude: Double
    public var longitude: Double
    /// Metres above sea level.
    public var altitude: Double?

    /// The position of an EXIF GPS directory; nil for an empty one, and for 0,0 without its hemispheres.
    init?(_ gps: TIFFDirectory) {
        let north = gps.string(1)
        let east = gps.string(3)
        guard let latitude = gps.rationals(2).flatMap(Self.degrees),
            let longitude = gps.rationals(4).flatMap(Self.degrees),
            latitude <= 90, longitude <= 180,
            latitude != 0 || longitude != 0 || (north != nil && east != nil)
        else { return nil }
        self.latitude = north == "S" ? -latitude : latitude
        self.longitude = east == "W" ? -longitude : longitude
        altitude = gps.rationals(6)?.first.map { gps.byte(5) == 1 ? -$0 : $0 }
    }

    private static func degrees(_ parts: [Double]) -> Double? {
        guard (1...3).contains(parts.count), parts.allSatisfy({ $0.isFinite && $0 >= 0 }) else { return nil }
        return zip(parts, [1, 60, 3600]).reduce(0) { $0 + $1.0 / $1.1 }
    }
}

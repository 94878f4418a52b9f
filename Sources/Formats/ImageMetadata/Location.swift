internal import Basics
internal import Containers

/// The location where a picture was taken, in WGS 84.
public struct Location: Hashable, Codable, Sendable {
    /// Degrees, -90 to 90; north is positive.
    public var latitude: Double
    /// Degrees, -180 to 180; east is positive.
    public var longitude: Double
    /// Meters above sea level.
    public var altitude: Double?
    /// The radius of uncertainty in meters.
    public var accuracy: Double?
    /// The source of the position.
    public var source: LocationSource

    /// Creates a location; nil if a coordinate is NaN or out of range.
    ///
    /// An altitude or accuracy that is not finite is nil.
    public init?(
        latitude: Double, longitude: Double, altitude: Double? = nil, accuracy: Double? = nil,
        source: LocationSource
    ) {
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude.flatMap { $0.isFinite ? $0 : nil }
        self.accuracy = accuracy.flatMap { $0.isFinite ? $0 : nil }
        self.source = source
    }

    /// A position that a user states, "46.2,6.14" or "46.2,6.14,375": degrees, and meters above the sea; nil if it is invalid.
    package init?(edited text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
            Double($0.filter { $0 != " " })
        }
        let numbers = parts.compactMap(\.self)
        guard numbers.count == parts.count, (2...3).contains(numbers.count) else { return nil }
        self.init(
            latitude: numbers[0], longitude: numbers[1], altitude: numbers.dropFirst(2).first,
            source: .sidecar)
    }

    /// The position of an EXIF GPS directory; nil for an empty one.
    ///
    /// The references decide the hemispheres, as in exiftool 12.57, and the signs where there are none.
    init?(_ gps: TIFFDirectory) {
        guard let latitude = gps.rationals(2).flatMap(Self.degrees),
            let longitude = gps.rationals(4).flatMap(Self.degrees)
        else { return nil }
        func signed(_ degrees: Double, _ reference: String?, _ negative: String) -> Double {
            guard let reference = reference?.uppercased() else { return degrees }
            return reference.hasPrefix(negative) ? -abs(degrees) : abs(degrees)
        }
        self.init(
            latitude: signed(latitude, gps.string(1), "S"), longitude: signed(longitude, gps.string(3), "W"),
            source: .exif)
        guard !isUnset(status: gps.string(9)) else { return nil }
        // 3 is below the sea, 1 was.
        let isBelow = gps.byte(5) == 1 || gps.byte(5) == 3
        altitude = gps.rationals(6)?.first.map { isBelow ? -$0 : $0 }
        accuracy = gps.rationals(0x1F)?.first
    }

    /// Whether it is what receivers write that have no position: 0, 0 without the status of a valid measurement.
    func isUnset(status: String?) -> Bool { latitude == 0 && longitude == 0 && status?.uppercased() != "A" }

    /// Degrees, minutes and seconds as one number, which is negative if one of them is.
    static func degrees(_ parts: [Double]) -> Double? {
        guard (1...3).contains(parts.count), parts.allSatisfy(\.isFinite) else { return nil }
        let sum = zip(parts, [1, 60, 3600]).reduce(0) { $0 + abs($1.0) / $1.1 }
        return parts.contains { $0 < 0 } ? -sum : sum
    }
}

extension Location {
    /// Decodes a location; throws `DecodingError` where `init` would return nil.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let location = Self(
            latitude: try values.decode(Double.self, forKey: .latitude),
            longitude: try values.decode(Double.self, forKey: .longitude),
            altitude: try values.decodeIfPresent(Double.self, forKey: .altitude),
            accuracy: try values.decodeIfPresent(Double.self, forKey: .accuracy),
            source: try values.decode(LocationSource.self, forKey: .source))
        guard let location else { throw decoder.invalid("a latitude or longitude is out of range") }
        self = location
    }
}

extension Location: CustomStringConvertible {
    /// Latitude, longitude and altitude: "48.8577,2.295,35.0 m".
    public var description: String {
        "\(latitude),\(longitude)" + (altitude.map { ",\($0) m" } ?? "")
    }
}

/// The source of a position; sources are compared by trust, the most trusted first.
public enum LocationSource: String, CaseIterable, Codable, Sendable {
    /// The XMP sidecar.
    case sidecar = "Sidecar"
    /// EXIF's GPS tags.
    case exif = "EXIF"
    /// A tag of QuickTime or MP4.
    case quickTime = "QuickTime"
    /// XMP in the file.
    case xmp = "XMP"
    /// Found in a GPX track by the time of the picture.
    case track = "GPX"
}

extension LocationSource: Comparable {
    /// Whether `a` is trusted more than `b`.
    public static func < (a: Self, b: Self) -> Bool { order[a, default: 0] < order[b, default: 0] }

    private static let order = Dictionary(uniqueKeysWithValues: zip(allCases, 0...))
}

extension CaptureDate {
    /// The time of an EXIF GPS directory: GPSDateStamp and GPSTimeStamp, in UTC.
    ///
    /// One of them alone is not a date.
    init?(gps: TIFFDirectory) {
        guard let day = gps.string(0x1D).flatMap(DateText.init), day.precision >= .day,
            let time = gps.rationals(7), time.count == 3,
            (0..<24).contains(time[0]), (0..<60).contains(time[1]), (0..<61).contains(time[2])
        else { return nil }
        // Some receivers write fractions of hours and minutes.
        let milliseconds = Int(((time[0] * 60 + time[1]) * 60 + time[2]) * 1000 + 0.5)
        let rest = milliseconds % 1000
        let digits = String("\(1000 + rest)".dropFirst().reversed().drop { $0 == "0" }.reversed())
        guard
            let local = WallClock(
                wholeSeconds: day.clock.dayNumber * 86_400 + milliseconds / 1000, fraction: digits)
        else { return nil }
        self.init(local: local, offset: .utc, source: .gpsDateTime, zoneSource: .definition)
    }
}

extension Location {
    /// Reads "+48.8577+002.2950+035.0/": degrees, or degrees with minutes, or with minutes and seconds.
    ///
    /// Source: ISO 6709, annex H.
    init?(iso6709 text: String, source: LocationSource) {
        var parts: [String] = []
        for character in text {
            if character == "+" || character == "-" {
                parts.append(String(character))
            } else if character.isASCII, character.isNumber || character == ".", !parts.isEmpty {
                parts[parts.count - 1].append(character)
            } else {
                // The end, or the name of a coordinate system.
                break
            }
        }
        guard parts.count >= 2, let latitude = Self.degrees(parts[0], whole: 2),
            let longitude = Self.degrees(parts[1], whole: 3)
        else { return nil }
        self.init(
            latitude: latitude, longitude: longitude, altitude: parts.count > 2 ? Double(parts[2]) : nil,
            source: source)
        if isUnset(status: nil) { return nil }
    }

    /// - Parameter whole: The digits of whole degrees.
    private static func degrees(_ text: String, whole: Int) -> Double? {
        let digits = text.dropFirst()
        let before = digits.prefix { $0 != "." }.count
        let sign = text.hasPrefix("-") ? -1.0 : 1
        switch before - whole {
        case 2:
            guard let degrees = Double(digits.prefix(whole)), let minutes = Double(digits.dropFirst(whole))
            else {
                return nil
            }
            return sign * (degrees + minutes / 60)
        case 4:
            guard let degrees = Double(digits.prefix(whole)),
                let minutes = Double(digits.dropFirst(whole).prefix(2)),
                let seconds = Double(digits.dropFirst(whole + 2))
            else { return nil }
            return sign * (degrees + minutes / 60 + seconds / 3600)
        default:
            return Double(digits).map { sign * $0 }
        }
    }
}

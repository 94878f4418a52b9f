internal import Basics

/// Positions in XMP, in the forms in which programs write them.
///
/// The standard has "43,4.584045N" only. Others write decimal degrees, with a sign, a letter, or the hemisphere in a property
/// of its own, and degrees, minutes and seconds with any marks.
extension FileMetadata {
    mutating func readPosition(_ packet: XMPPacket, _ source: LocationSource) {
        // A number without a hemisphere beside one that has a letter is damaged.
        guard let (latitude, hasNorth) = packet.degrees("exif:GPSLatitude", .latitude),
            let (longitude, hasEast) = packet.degrees("exif:GPSLongitude", .longitude), hasNorth == hasEast
        else { return }
        guard
            var location = Location(latitude: latitude, longitude: longitude, source: source)
        else {
            positionFault = "the position \(latitude), \(longitude) is out of range"
            return
        }
        guard !location.isUnset(status: packet.first("exif:GPSStatus")) else { return }
        let isBelow = packet.first("exif:GPSAltitudeRef").map { $0 == "1" || $0 == "3" } ?? false
        location.altitude = packet.fraction("exif:GPSAltitude").map { isBelow ? -$0 : $0 }
        location.accuracy = packet.fraction("exif:GPSHPositioningError")
        offer(location)
    }
}

/// The letters of an axis.
private enum Axis {
    case latitude, longitude

    var letters: (positive: Character, negative: Character) { self == .latitude ? ("N", "S") : ("E", "W") }
}

extension XMPPacket {
    /// The degrees of an axis, and whether its hemisphere is named; a sign counts more than the property of the hemisphere.
    fileprivate func degrees(_ name: String, _ axis: Axis) -> (degrees: Double, isNamed: Bool)? {
        guard let text = first(name), let (degrees, isNamed) = Self.degrees(text, axis) else { return nil }
        let letter = first("\(name)Ref")?.trimmed().first?.uppercased().first
        return (letter == axis.letters.negative ? -abs(degrees) : degrees, isNamed || letter != nil)
    }

    /// Returns the degrees of "43,4.584045N", "-79.077", "79.077W", "43° 4' 35.04\" N" or "79/1 4/1 3504/100".
    private static func degrees(_ text: String, _ axis: Axis) -> (degrees: Double, isNamed: Bool)? {
        var hemisphere: Character?
        var isNegative = false
        var numbers: [Substring] = []
        var rest = text.uppercased().replacing("DEG", with: "°")[...]
        while let character = rest.first {
            let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "/") }
            if !number.isEmpty {
                numbers.append(number)
                rest = rest.dropFirst(number.count)
                continue
            }
            switch character {
            case axis.letters.positive, axis.letters.negative:
                guard hemisphere == nil else { return nil }
                hemisphere = character
            case "-", "\u{2212}":
                guard numbers.isEmpty, !isNegative else { return nil }
                isNegative = true
            case "+", ",", ":", " ", "\t", "°", "º", "'", "\"", "′", "″", "’", "”", "\u{A0}": break
            default: return nil
            }
            rest = rest.dropFirst()
        }
        // "43,0764" with the comma of other languages.
        if numbers.count == 2, !numbers[0].contains("."), numbers[1].allSatisfy(\.isNumber),
            numbers[1].count > 2
        {
            numbers = ["\(numbers[0]).\(numbers[1])"]
        }
        let values = numbers.compactMap { fraction(String($0)) }
        guard values.count == numbers.count, values.dropFirst().allSatisfy({ $0 < 60 }),
            let degrees = Location.degrees(values)
        else { return nil }
        return (isNegative || hemisphere == axis.letters.negative ? -degrees : degrees, hemisphere != nil)
    }

    fileprivate func fraction(_ name: String) -> Double? { first(name).flatMap(Self.fraction) }

    /// "1234/10" or "123.4".
    private static func fraction(_ text: String) -> Double? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
        guard let above = parts.first ?? nil, parts.count <= 2 else { return nil }
        let below = parts.count == 2 ? parts[1] : 1
        guard let below, below != 0, (above / below).isFinite else { return nil }
        return above / below
    }
}

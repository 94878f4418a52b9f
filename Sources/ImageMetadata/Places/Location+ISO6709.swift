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
                // The end, or the name of a system of coordinates.
                break
            }
        }
        guard parts.count >= 2, let latitude = Self.degrees(parts[0], whole: 2),
            let longitude = Self.degrees(parts[1], whole: 3)
        else { return nil }
        self.init(
            latitude: latitude, longitude: longitude, altitude: parts.count > 2 ? Double(parts[2]) : nil,
            source: source)
    }

    /// - Parameter whole: the digits of whole degrees.
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

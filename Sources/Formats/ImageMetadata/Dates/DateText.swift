/// Reads dates as EXIF, XMP, ISO 8601 and IPTC write them.
package struct DateText {
    private let bytes: [UInt8]
    private var at = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { at == bytes.count }

    /// Reads a date with its time and zone, as far as they are present.
    ///
    /// "2014:05:25 10:00:00", "2014-05-25T10:00:00.25+02:00", "2014-05-25T10:00Z", "2014-05-25". Returns nil if the
    /// date is incomplete or invalid.
    package static func read(_ text: String) -> (clock: WallClock, hasTime: Bool, offset: UTCOffset?)? {
        var reader = Self(text)
        return reader.read()
    }

    private mutating func read() -> (clock: WallClock, hasTime: Bool, offset: UTCOffset?)? {
        guard let year = digits(4), take(":-"), let month = digits(2), take(":-"), let day = digits(2) else {
            return nil
        }
        if isAtEnd {
            return WallClock(year: year, month: month, day: day).map { ($0, false, nil) }
        }
        guard take(" T"), let hour = digits(2), take(":"), let minute = digits(2) else { return nil }
        var second = 0
        var fraction = ""
        if take(":") {
            guard let value = digits(2) else { return nil }
            second = value
            if take(".") { fraction = someDigits() }
        }
        guard
            let clock = WallClock(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second,
                fraction: fraction)
        else { return nil }
        _ = take(" ")
        return (clock, true, offset())
    }

    /// "+02:00", "-0530", "+02" or "Z".
    mutating func offset() -> UTCOffset? {
        if take("Z") { return .utc }
        let sign = peek == 0x2D ? -1 : 1
        guard take("+-"), let hours = digits(2) else { return nil }
        _ = take(":")
        guard let minutes = isAtEnd ? 0 : digits(2), minutes < 60 else { return nil }
        return UTCOffset(minutes: sign * (hours * 60 + minutes))
    }

    /// Reads a number of exactly that many digits.
    mutating func digits(_ count: Int) -> Int? {
        guard count <= bytes.count - at else { return nil }
        var value = 0
        for byte in bytes[at..<(at + count)] {
            guard byte.isDigit else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        at += count
        return value
    }

    private mutating func someDigits() -> String {
        let run = bytes[at...].prefix(9).prefix(while: \.isDigit)
        at = run.endIndex
        while peek?.isDigit == true { at += 1 }
        return String(decoding: run, as: UTF8.self)
    }

    private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    /// Skips the next byte if it is one of these.
    private mutating func take(_ choices: String) -> Bool {
        guard let next = peek, choices.utf8.contains(next) else { return false }
        at += 1
        return true
    }
}

extension UInt8 {
    var isDigit: Bool { (0x30...0x39).contains(self) }
}

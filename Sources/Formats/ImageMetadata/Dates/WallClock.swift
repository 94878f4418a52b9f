internal import Basics

/// A date and a time of day without a time zone, in the Gregorian calendar.
public struct WallClock: Hashable, Sendable {
    /// The year, 1000 to 9999.
    public let year: Int
    /// The month, 1 for January to 12.
    public let month: Int
    /// The day of the month, from 1.
    public let day: Int
    /// The hour, 0 to 23.
    public let hour: Int
    /// The minute, 0 to 59.
    public let minute: Int
    /// The second, 0 to 60, with leap seconds.
    public let second: Int
    /// The decimal digits of the fraction of a second, as they were written: "25" is a quarter; empty for none.
    public package(set) var fraction: String

    /// Creates a date and a time; nil if the day or time does not exist, the year is not from 1000 to 9999, or the
    /// fraction has other characters than digits.
    public init?(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0,
        fraction: String = ""
    ) {
        guard (1000...9999).contains(year), (1...12).contains(month),
            (1...Self.days(in: month, of: year)).contains(day),
            (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second),
            fraction.utf8.allSatisfy(\.isDigit)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.fraction = fraction
    }

    /// The days of a month, in the Gregorian calendar.
    package static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }
}

extension WallClock: CustomStringConvertible {
    /// ISO 8601 without a zone: "2014-05-25T10:00:00.25".
    ///
    /// Texts sort like the times.
    public var description: String {
        let date = "\(year)-\(month.twoDigits)-\(day.twoDigits)"
        let time = "\(hour.twoDigits):\(minute.twoDigits):\(second.twoDigits)"
        return fraction.isEmpty ? "\(date)T\(time)" : "\(date)T\(time).\(fraction)"
    }

}

/// Coded as its `description`.
extension WallClock: Codable {
    /// Decodes a text such as "2014-05-25T10:00:00.25".
    public init(from decoder: any Decoder) throws {
        self = try decoder.value("a date and time such as 2014-05-25T10:00:00") { text in
            DateText(text).flatMap { $0.clock.description == text ? $0.clock : nil }
        }
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

extension WallClock: Comparable {
    /// Whether a clock shows `a` before `b`, in one zone.
    public static func < (a: Self, b: Self) -> Bool {
        let (first, second) = (a.wholeSeconds, b.wholeSeconds)
        return first == second ? a.fraction < b.fraction : first < second
    }
}

extension WallClock {
    /// The seconds since 1970-01-01T00:00:00 of the same clock, without the fraction.
    package var wholeSeconds: Int {
        ((dayNumber * 24 + hour) * 60 + minute) * 60 + second
    }

    /// The days since 1970-01-01.
    package var dayNumber: Int { CalendarDay(year: year, month: month, day: day).number }

    /// Creates the date and time that many seconds after 1970-01-01T00:00:00; nil outside of the years 1000 to 9999.
    package init?(wholeSeconds: Int, fraction: String = "") {
        // Outside of all years, where the sums below would overflow.
        guard wholeSeconds.magnitude < 1 << 50 else { return nil }
        let (days, seconds) = wholeSeconds.flooredDivision(by: 86_400)
        let date = CalendarDay(number: days)
        self.init(
            year: date.year, month: date.month, day: date.day,
            hour: seconds / 3600, minute: seconds / 60 % 60, second: seconds % 60, fraction: fraction)
    }
}

/// The offset of a wall clock from UTC, positive east of Greenwich.
public struct UTCOffset: Hashable, Sendable {
    /// Minutes ahead of UTC, -840 to 840.
    public let minutes: Int

    /// UTC itself.
    public static let utc = Self(0)

    /// Creates an offset; nil beyond 14 hours, the greatest in use.
    public init?(minutes: Int) {
        guard minutes.magnitude <= 14 * 60 else { return nil }
        self.minutes = minutes
    }

    private init(_ minutes: Int) { self.minutes = minutes }
}

extension UTCOffset: LosslessStringConvertible {
    /// The offset in ISO 8601: "+02:00".
    public var description: String {
        let value = abs(minutes)
        return "\(minutes < 0 ? "-" : "+")\((value / 60).twoDigits):\((value % 60).twoDigits)"
    }

    /// Parses "+02:00", "+0200", "+02" or "Z"; nil for other texts.
    public init?(_ text: String) {
        var reader = DateReader(text)
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        self = offset
    }
}

/// Coded as its `description`.
extension UTCOffset: Codable {
    /// Decodes a text such as "+02:00".
    public init(from decoder: any Decoder) throws {
        self = try decoder.value("an offset from UTC such as +02:00") { Self($0) }
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: description) }
}

/// The time zone of dates without a zone.
public struct AssumedZone: Sendable {
    /// The zone's name: "Europe/Paris".
    public var name: String
    /// Returns the offset of a wall clock in the zone; nil if unknown.
    public var offset: @Sendable (WallClock) -> UTCOffset?

    /// Creates a zone from its name and its offsets.
    public init(name: String, offset: @escaping @Sendable (WallClock) -> UTCOffset?) {
        self.name = name
        self.offset = offset
    }
}

extension AssumedZone: CustomStringConvertible {
    /// The zone's name.
    public var description: String { name }
}

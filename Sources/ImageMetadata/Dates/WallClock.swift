/// A date and a time of day as a clock on the wall shows them, in no zone.
public struct WallClock: Hashable, Sendable {
    public let year: Int
    public let month: Int
    public let day: Int
    public let hour: Int
    public let minute: Int
    /// 0 to 60: leap seconds are seconds.
    public let second: Int
    /// The digits behind the second as they were written: "25" is a quarter; empty where there are none.
    public var fraction: String

    /// Nil where the calendar has no such day or the day no such time, and for years below 1000 or above 9999.
    public init?(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0,
        fraction: String = ""
    ) {
        guard (1000...9999).contains(year), (1...12).contains(month),
            (1...Self.days(in: month, of: year)).contains(day),
            (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second)
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
    /// Texts sort as the times do.
    public var description: String {
        let date = "\(year)-\(Self.two(month))-\(Self.two(day))"
        let time = "\(Self.two(hour)):\(Self.two(minute)):\(Self.two(second))"
        return fraction.isEmpty ? "\(date)T\(time)" : "\(date)T\(time).\(fraction)"
    }

    static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

extension WallClock: Comparable {
    public static func < (a: Self, b: Self) -> Bool {
        let (first, second) = (a.wholeSeconds, b.wholeSeconds)
        return first == second ? a.fraction < b.fraction : first < second
    }
}

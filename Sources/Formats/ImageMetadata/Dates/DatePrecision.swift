internal import Basics

/// How much of a date is known; the least known is the least.
public enum DatePrecision: String, CaseIterable, Codable, Sendable {
    /// The year alone.
    case year
    /// The year and the month.
    case month
    /// The day, without the time of day.
    case day
    /// The time of day without its seconds.
    case minute
    /// The second, and its fraction where it is stated.
    case second
}

extension DatePrecision: Comparable {
    /// Whether less is known of `a` than of `b`.
    public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .year: 0
        case .month: 1
        case .day: 2
        case .minute: 3
        case .second: 4
        }
    }

    /// The bytes of "2014-05-25T10:00:00.25" that are known; nil for all.
    package var length: Int? {
        switch self {
        case .year: 4
        case .month: 7
        case .day: 10
        case .minute: 16
        case .second: nil
        }
    }

    /// Returns the beginning of what is known.
    func beginning(of time: WallClock) -> WallClock {
        let (hasMonth, hasDay, hasTime) = (self >= .month, self >= .day, self >= .minute)
        guard self < .second else { return time }
        return WallClock(
            year: time.year, month: hasMonth ? time.month : 1, day: hasDay ? time.day : 1,
            hour: hasTime ? time.hour : 0, minute: hasTime ? time.minute : 0) ?? time
    }
}

extension CaptureDate {
    /// The seconds of the local time that the date may mean: those of a year, a month, a day, a minute or a second.
    package var seconds: Int {
        switch precision {
        case .year: 86_400 * (WallClock.days(in: 2, of: local.year) + 337)
        case .month: 86_400 * WallClock.days(in: local.month, of: local.year)
        case .day: 86_400
        case .minute: 60
        case .second: 1
        }
    }
}

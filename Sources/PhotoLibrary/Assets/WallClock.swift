/// What a clock on the wall shows: a day of the proleptic Gregorian calendar and a time, in no zone.
public struct WallClock: Hashable, Sendable {
    public var year: Int
    public var month: Int
    public var day: Int
    public var hour: Int
    public var minute: Int
    public var second: Int
    public var nanosecond: Int

    public init(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, nanosecond: Int = 0
    ) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.nanosecond = nanosecond
    }
}

extension WallClock {
    /// Days since 1970-01-01; negative before.
    ///
    /// Source: Howard Hinnant, chrono-Compatible Low-Level Date Algorithms, days_from_civil.
    public var dayNumber: Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Midnight of a day, counted from 1970-01-01.
    ///
    /// Source: as above, civil_from_days.
    public init(dayNumber: Int) {
        let shifted = dayNumber + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch + (monthFromMarch < 10 ? 3 : -9)
        self.init(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    /// Seconds since 1970-01-01T00:00:00 of the same clock.
    var seconds: Int { dayNumber * 86_400 + hour * 3600 + minute * 60 + second }

    /// 2014052510 for ten o'clock on 2014-05-25; a hundredth of it is the day's key, and so on up to the year's.
    var hourKey: Int { ((year * 100 + month) * 100 + day) * 100 + hour }

    /// 20140519, the Monday of the week, for Sunday 2014-05-25.
    var weekKey: Int {
        // Day 0 was a Thursday.
        let daysSinceMonday = ((dayNumber + 3) % 7 + 7) % 7
        return WallClock(dayNumber: dayNumber - daysSinceMonday).hourKey / 100
    }
}

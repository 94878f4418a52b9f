internal import ImageMetadata

/// Keys of standard groupings: integers with the digits of the date, which sort by date; 0 for months and days that are
/// unknown.
extension CaptureDate {
    /// 2014052510 for 10:00 on 2014-05-25, 2014050000 for 2014-05.
    package var hourKey: Int {
        switch precision {
        case .year: local.year * 1_000_000
        case .month: local.hourKey / 10_000 * 10_000
        case .day, .minute, .second: local.hourKey
        }
    }

    /// 20140519, the Monday of the week, for Sunday 2014-05-25; 20140500 for 2014-05.
    package var weekKey: Int { precision < .day ? hourKey / 100 : local.weekKey }
}

extension WallClock {
    /// 2014052510 for 10:00 on 2014-05-25; divided by 100 it is the key of the day, and so on up to the year.
    package var hourKey: Int { ((year * 100 + month) * 100 + day) * 100 + hour }

    /// 20140519, the Monday of the week, for Sunday 2014-05-25.
    ///
    /// The week that began before the year 1000 has the key 10000101.
    package var weekKey: Int {
        // Day 0 was a Thursday.
        let daysSinceMonday = ((dayNumber + 3) % 7 + 7) % 7
        let monday = WallClock(wholeSeconds: (dayNumber - daysSinceMonday) * 86_400)
        return monday.map { $0.hourKey / 100 } ?? 10_000_101
    }

    /// The fraction of the second in nanoseconds; further digits are dropped.
    package var nanoseconds: Int {
        let digits = fraction.utf8.prefix(9).map { Int($0) - 0x30 }
        return (digits + Array(repeating: 0, count: 9 - digits.count)).reduce(0) { $0 * 10 + $1 }
    }
}

extension CaptureDate {
    /// Seconds since 1970 by which dates are sorted; dates without a zone count as UTC.
    package var orderedInstant: Int { local.wholeSeconds - (offset?.minutes ?? 0) * 60 }
}

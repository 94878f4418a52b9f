internal import ImageMetadata

/// The keys of standard groupings: whole numbers that are read as dates and sort as they do.
extension WallClock {
    /// 2014052510 for ten o'clock on 2014-05-25; a hundredth of it is the day's key, and so on up to the year's.
    var hourKey: Int { ((year * 100 + month) * 100 + day) * 100 + hour }

    /// 20140519, the Monday of the week, for Sunday 2014-05-25.
    ///
    /// The week that began before the year 1000 has the key of its first day in it.
    var weekKey: Int {
        // Day 0 was a Thursday.
        let daysSinceMonday = ((dayNumber + 3) % 7 + 7) % 7
        let monday = WallClock(wholeSeconds: (dayNumber - daysSinceMonday) * 86_400)
        return monday.map { $0.hourKey / 100 } ?? 10_000_101
    }

    /// What the digits behind the second stand for; those after the ninth are dropped.
    var nanoseconds: Int {
        let digits = fraction.utf8.prefix(9).map { Int($0) - 0x30 }
        return (digits + Array(repeating: 0, count: 9 - digits.count)).reduce(0) { $0 * 10 + $1 }
    }
}

extension CaptureDate {
    /// Seconds since 1970 by which dates are ordered: where the zone is unknown, as if it were UTC.
    var orderedInstant: Int { local.wholeSeconds - (offset?.minutes ?? 0) * 60 }
}

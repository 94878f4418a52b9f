extension WallClock {
    /// The seconds since 1970-01-01T00:00:00 of the same clock, without the fraction.
    public var wholeSeconds: Int {
        ((dayNumber * 24 + hour) * 60 + minute) * 60 + second
    }

    /// The days since 1970-01-01.
    ///
    /// Source: Howard Hinnant, chrono-compatible low-level date algorithms: years begin in March.
    public var dayNumber: Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// What a clock shows that many seconds after it showed 1970-01-01T00:00:00; nil outside years 1000 to 9999.
    public init?(wholeSeconds: Int, fraction: String = "") {
        // Far outside of all years, where the sums below would overflow.
        guard wholeSeconds.magnitude < 1 << 50 else { return nil }
        let (days, seconds) = wholeSeconds.flooredDivision(by: 86_400)
        let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        self.init(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1,
            hour: seconds / 3600, minute: seconds / 60 % 60, second: seconds % 60, fraction: fraction)
    }
}

extension Int {
    fileprivate func flooredDivision(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// A day of the Gregorian calendar after the year 0.
///
/// Source: Howard Hinnant, chrono-compatible low-level date algorithms: years begin in March.
package struct CalendarDay: Equatable, Sendable {
    package let year: Int
    package let month: Int
    /// May exceed the days of the month: the 31st of February is some day of March.
    package let day: Int

    package init(year: Int, month: Int, day: Int) { (self.year, self.month, self.day) = (year, month, day) }

    /// Creates the day that many days after 1970-01-01.
    package init(number: Int) {
        let (era, dayOfEra) = (number + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The days since 1970-01-01.
    package var number: Int {
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}

/// Dates of HTTP, such as "Sun, 06 Nov 1994 08:49:37 GMT".
///
/// Source: RFC 9110, 5.6.7.
package enum HTTPDate {
    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    /// Returns the date of seconds since 1970.
    package static func text(_ seconds: Int) -> String {
        let (days, time) = seconds.flooredDivision(by: 86_400)
        let day = CalendarDay(number: days)
        // 1970 began on a Thursday.
        let weekday = weekdays[(days + 4).flooredDivision(by: 7).remainder]
        let clock = [time / 3600, time / 60 % 60, time % 60].map(\.twoDigits).joined(separator: ":")
        return "\(weekday), \(day.day.twoDigits) \(months[day.month - 1]) \(day.year) \(clock) GMT"
    }

    /// Returns the seconds since 1970; nil for text in another form.
    package static func seconds(_ text: String) -> Int? {
        let words = text.split { $0 == " " || $0 == "," || $0 == ":" }
        guard words.count == 8, words[7] == "GMT", let day = Int(words[1]),
            let month = months.firstIndex(of: words[2]),
            let year = Int(words[3]), let hour = Int(words[4]), let minute = Int(words[5]),
            let second = Int(words[6]),
            (1...31).contains(day), (1970...2200).contains(year), (0...23).contains(hour),
            (0...59).contains(minute),
            (0...60).contains(second)
        else { return nil }
        let days = CalendarDay(year: year, month: month + 1, day: day).number
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }
}

extension Int {
    /// Divides so that the remainder is not negative.
    package func flooredDivision(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// "07" for 7.
    package var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}

extension FixedWidthInteger {
    /// Parses a number that consists of 1 to 18 digits only.
    package init?(strict text: some StringProtocol) {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        self.init(text)
    }
}

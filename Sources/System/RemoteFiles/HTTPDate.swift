/// Dates of HTTP, such as "Sun, 06 Nov 1994 08:49:37 GMT".
package enum HTTPDate {
    /// Returns the seconds since 1970; nil for text in another form.
    ///
    /// Source: RFC 9110, 5.6.7.
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
        return ((days(year, month + 1, day) * 24 + hour) * 60 + minute) * 60 + second
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The days since 1970 of a date in the Gregorian calendar.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Years begin in March, so that leap days are at their end.
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}

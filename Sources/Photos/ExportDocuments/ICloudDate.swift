internal import Foundation
internal import ImageMetadata

/// Dates of iCloud's lists: "Saturday June 4,2016 12:11 PM GMT", with months in Apple's languages.
package enum ICloudDate {
    /// The seconds that such a date leaves open.
    package static let precision = 60

    /// Reads a date; nil for one that is not understood, or without a known zone.
    ///
    /// - Returns: seconds since 1970 UTC, at the start of the minute.
    package static func seconds(_ text: String) -> Int? {
        let text = eastAsian(text) ?? text
        var year: Int?
        var month: Int?
        var day: Int?
        var time: (hour: Int, minute: Int)?
        var isAfternoon: Bool?
        var zone: Int?
        let words = text.split { $0.isWhitespace || $0 == "," || $0 == "\u{202F}" }.map(String.init)
        for word in words {
            let key = word.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "."))
            if zone == nil, time != nil, let offset = offset(word) {
                zone = offset
            } else if time != nil, ["am", "a.m", "pm", "p.m"].contains(key) {
                isAfternoon = key.hasPrefix("p")
            } else if time == nil, let found = clock(word) {
                time = found
            } else if let number = Int(key) {
                if word.utf8.count == 4, year == nil { year = number } else if day == nil { day = number }
            } else if month == nil {
                month = months[key]
            }
        }
        guard let year, let month, let day, var time, let zone else { return nil }
        if let isAfternoon, time.hour <= 12 { time.hour = time.hour % 12 + (isAfternoon ? 12 : 0) }
        return WallClock(year: year, month: month, day: day, hour: time.hour, minute: time.minute)
            .map { $0.wholeSeconds - zone * 60 }
    }

    /// "12:11" or "12.11".
    private static func clock(_ word: String) -> (hour: Int, minute: Int)? {
        let parts = word.split { $0 == ":" || $0 == "." }.map { Int($0) }
        guard (2...3).contains(parts.count), let hour = parts[0], let minute = parts[1],
            (0..<24).contains(hour), (0..<60).contains(minute)
        else { return nil }
        return (hour, minute)
    }

    /// The minutes east of UTC of "GMT", "UTC", "Z", "GMT+2", "GMT+05:30", "+0200" or "PDT".
    private static func offset(_ word: String) -> Int? {
        let upper = word.uppercased()
        if let hours = named[upper] { return hours * 60 }
        var rest = upper[...]
        for name in ["GMT", "UTC"] where rest.hasPrefix(name) { rest = rest.dropFirst(3) }
        guard let sign = rest.first, "+-−".contains(sign) else { return nil }
        let parts = rest.dropFirst().split(separator: ":")
        let digits = parts.joined()
        guard !digits.isEmpty, digits.utf8.count <= 4, let number = Int(digits) else { return nil }
        let minutes = digits.utf8.count <= 2 ? number * 60 : number / 100 * 60 + number % 100
        guard minutes <= 14 * 60 else { return nil }
        return sign == "+" ? minutes : -minutes
    }

    private static let named = [
        "GMT": 0, "UTC": 0, "Z": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6,
        "PST": -8, "PDT": -7, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2, "BST": 1, "JST": 9,
    ]

    /// "2016年6月4日 12:11 GMT" as "6 4,2016" in words; nil for other texts.
    private static func eastAsian(_ text: String) -> String? {
        guard let match = text.firstMatch(of: /(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]/),
            let month = Int(match.3), let number = Int(match.2), (1...12).contains(number)
        else { return nil }
        var rest = text.replacingCharacters(in: match.range, with: " ")
        for (word, mark) in [
            ("午前", " AM "), ("午後", " PM "), ("上午", " AM "), ("下午", " PM "), ("오전", " AM "), ("오후", " PM "),
        ]
        where rest.contains(word) {
            rest = rest.replacingOccurrences(of: word, with: " ") + mark
        }
        return "\(english[number - 1]) \(month),\(match.1) \(rest)"
    }

    private static let english = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
        "november", "december",
    ]

    private static let languages = [
        "en_US", "de", "fr", "es", "it", "pt_BR", "pt_PT", "nl", "pl", "sv", "nb", "da", "fi", "cs", "ru",
        "uk",
        "tr", "hu", "ro", "el", "hr", "sk", "ca", "id", "vi",
    ]

    /// The months by their names in lower case, whole and shortened.
    private static let months: [String: Int] = {
        var months = Dictionary(english.enumerated().map { ($1, $0 + 1) }) { first, _ in first }
        for language in languages {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: language)
            let lists: [[String]] = [
                formatter.monthSymbols, formatter.standaloneMonthSymbols, formatter.shortMonthSymbols,
                formatter.shortStandaloneMonthSymbols,
            ]
            for list in lists {
                for (index, name) in list.enumerated() {
                    let key = name.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "."))
                    // Names that two languages share for different months belong to the first one.
                    if Int(key) == nil, months[key] == nil { months[key] = index + 1 }
                }
            }
        }
        return months
    }()
}

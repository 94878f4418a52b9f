internal import ImageMetadata

/// Selects assets by the local time at which they were taken; excludes undated assets.
///
/// An asset of which only the year or the month is known is selected where all of that is: a photo of 1978 is within
/// 1978-01-01 to 1978-12-31, but not within January. Assets without a time of day count as taken at midnight.
public struct DateFilter: AssetFilter, Hashable {
    /// The first time that is included; nil for no bound.
    package let from: PartialDate?
    /// The last time that is included, to its end if it is a day or longer; nil for no bound.
    package let to: PartialDate?
    /// The longest period that begins at the first time.
    package let start: PartialDate?
    /// The longest period that ends at the last time.
    package let end: PartialDate?

    /// Creates a filter from parsed dates.
    package init(from: PartialDate?, to: PartialDate?) {
        (self.from, self.to) = (from, to)
        (start, end) = (from?.longestFromStart, to?.longestToEnd)
    }

    /// Creates a filter from texts: a year, or a longer prefix of "2014-05-25T10:00:00".
    ///
    /// - Throws: `LibraryError` of the kind `invalidArgument` if a text is not a date.
    public init(from: String? = nil, to: String? = nil) throws(LibraryError) {
        do throws(PartialDateError) {
            self.init(
                from: try from.map { text throws(PartialDateError) in try PartialDate(text) },
                to: try to.map { text throws(PartialDateError) in try PartialDate(text) })
        } catch {
            throw LibraryError(.date(error))
        }
    }

    /// Whether an asset was taken within the bounds.
    public func includes(_ asset: Asset) -> Bool {
        guard let date = asset.date else { return false }
        let (hour, text) = (date.hourKey, date.local.description.utf8)
        if let start {
            if hour < start.hours.lowerBound { return false }
            if hour <= start.hours.upperBound, text.lexicographicallyPrecedes(start.description.utf8) {
                return false
            }
        }
        if let end {
            if hour > end.hours.upperBound || end.hoursAround.contains(hour) { return false }
            let bound = end.description.utf8
            if hour >= end.hours.lowerBound, bound.lexicographicallyPrecedes(text.prefix(bound.count)) {
                return false
            }
        }
        return true
    }
}

/// A date of any precision, from a year to a fraction of a second: all times that begin with it.
package struct PartialDate: Hashable, Sendable, CustomStringConvertible {
    /// The text of the date, with a "T" before the time.
    package let description: String

    /// Reads "2014", "2014-05", "2014-05-25", "2014-05-25T10", "2014-05-25T10:00" or "2014-05-25 10:00:00.5".
    ///
    /// - Throws: `PartialDateError` if the text has another form, or the calendar no such day.
    package init(_ text: String) throws(PartialDateError) {
        description = text.replacing(" ", with: "T")
        let whole = description.utf8.prefix(Self.form.utf8.count)
        let fraction = description.utf8.dropFirst(whole.count)
        guard [4, 7, 10, 13, 16, 19].contains(whole.count),
            zip(whole, Self.form.utf8).allSatisfy({ $1 == 0x30 ? Self.isDigit($0) : $0 == $1 }),
            fraction.isEmpty
                || fraction.first == 0x2E && fraction.count > 1
                    && fraction.dropFirst().allSatisfy(Self.isDigit)
        else { throw .form(text) }
        if let reason = Self.impossibility(description.split { "-T:.".contains($0) }.compactMap { Int($0) }) {
            throw .impossible(text, reason: reason)
        }
    }

    /// - Precondition: the text is that of a date.
    private init(unchecked text: some StringProtocol) { description = String(text) }

    private static let form = "0000-00-00T00:00:00"

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Returns the reason why there is no such time; nil if it is valid.
    private static func impossibility(_ numbers: [Int]) -> String? {
        let (year, month) = (numbers[0], numbers.count > 1 ? numbers[1] : 1)
        if year < 1000 { return "years go from 1000 to 9999" }
        if !(1...12).contains(month) { return "months go from 01 to 12" }
        let days = WallClock.days(in: month, of: year)
        if numbers.count > 2, !(1...days).contains(numbers[2]) {
            return "\(description(of: year, month)) has the days 01 to \(days)"
        }
        if numbers.count > 3, numbers[3] > 23 { return "hours go from 00 to 23" }
        if numbers.count > 4, numbers[4] > 59 { return "minutes go from 00 to 59" }
        if numbers.count > 5, numbers[5] > 60 { return "seconds go from 00 to 59" }
        return nil
    }

    private static func description(of year: Int, _ month: Int) -> String {
        "\(year)-\(month < 10 ? "0" : "")\(month)"
    }
}

extension PartialDate {
    /// The keys of the hours that begin with it: 2014050000 to 2014059999 for "2014-05".
    package var hours: ClosedRange<Int> {
        let digits = description.utf8.prefix(13).filter(Self.isDigit)
        let scale = [4: 1_000_000, 6: 10_000, 8: 100][digits.count] ?? 1
        let first = digits.reduce(0) { $0 * 10 + Int($1) - 0x30 } * scale
        return first...(first + scale - 1)
    }

    /// Whether the precision is an hour or coarser.
    package var isWholeHours: Bool { description.utf8.count <= 13 }

    /// The longest period with the same beginning: 2014 for 2014-01-01T00:00.
    var longestFromStart: PartialDate {
        var text = description[...]
        while let first = [7: "-01", 10: "-01", 13: "T00", 16: ":00", 19: ":00"][text.utf8.count],
            text.hasSuffix(first)
        {
            text = text.dropLast(3)
        }
        return PartialDate(unchecked: text)
    }

    /// The longest period with the same end: 2014 for 2014-12-31T23:59:59.
    var longestToEnd: PartialDate {
        var text = description[...]
        while true {
            let numbers = text.prefix(10).split(separator: "-").compactMap { Int($0) }
            let days = numbers.count == 3 ? WallClock.days(in: numbers[1], of: numbers[0]) : 0
            guard let last = [7: "-12", 10: "-\(days)", 13: "T23", 16: ":59", 19: ":59"][text.utf8.count],
                text.hasSuffix(last)
            else { return PartialDate(unchecked: text) }
            text = text.dropLast(3)
        }
    }

    /// The keys of the hours of the month and the year around it, of dates of which no more is known.
    package var hoursAround: [Int] {
        let hour = hours.lowerBound
        let around = [hour / 1_000_000 * 1_000_000, hour / 10_000 * 10_000]
        return switch description.utf8.count {
        case 4: []
        case 7: [around[0]]
        default: around
        }
    }

    /// The number of the first day.
    package var firstDay: Int {
        let first = hours.lowerBound
        let (year, month, day) = (first / 1_000_000, first / 10_000 % 100, first / 100 % 100)
        return WallClock(year: year, month: max(month, 1), day: max(day, 1))?.dayNumber ?? 0
    }

    /// The number of the last day or of a later one.
    package var lastDay: Int {
        let count = hours.count
        return firstDay + (count >= 1_000_000 ? 365 : count >= 10_000 ? 30 : 0)
    }
}

/// An error in the text of a date.
package enum PartialDateError: Error, Equatable, Codable, Sendable {
    /// The text has another form.
    case form(String)
    /// The calendar or the clock has no such time.
    case impossible(String, reason: String)
}

extension PartialDateError: CustomStringConvertible {
    /// What is wrong with the text, in one sentence.
    package var description: String {
        switch self {
        case .form(let text):
            "\"\(text)\" is no date; give a year, or as much of 2014-05-25T10:00:00 as matters"
        case .impossible(let text, let reason): "\"\(text)\" is no date: \(reason)"
        }
    }
}

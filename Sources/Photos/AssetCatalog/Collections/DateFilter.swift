internal import GRDB
internal import ImageMetadata

/// Selects assets by the local time at which they were taken; excludes undated assets.
public struct DateFilter: AssetFilter, Hashable {
    /// The first time that is included; nil for no bound.
    package let from: PartialDate?
    /// The last time that is included, to its end if it is a day or longer; nil for no bound.
    package let to: PartialDate?

    /// Creates a filter from parsed dates; assets without a time of day count as taken at midnight.
    package init(from: PartialDate?, to: PartialDate?) {
        self.from = from
        self.to = to
    }

    /// Creates a filter from texts: a year, or a longer prefix of "2014-05-25T10:00:00".
    ///
    /// Assets without a time of day count as taken at midnight.
    ///
    /// - Throws: `LibraryError` of the kind `invalidArgument` if a text is not a date.
    public init(from: String? = nil, to: String? = nil) throws(LibraryError) {
        do throws(PartialDateError) {
            self.from = if let from { try PartialDate(from) } else { nil }
            self.to = if let to { try PartialDate(to) } else { nil }
        } catch {
            throw LibraryError(.date(error))
        }
    }

    /// Whether an asset was taken within the bounds.
    public func includes(_ asset: Asset) -> Bool {
        guard let date = asset.date?.local.description.utf8 else { return false }
        if let from = from?.description.utf8, date.lexicographicallyPrecedes(from) { return false }
        if let to = to?.description.utf8, to.lexicographicallyPrecedes(date.prefix(to.count)) { return false }
        return true
    }
}

extension DateFilter: CatalogFilter {
    var condition: SQL? {
        var conditions = [hours]
        // The full date is compared only within the hours of the bounds.
        if let from, !from.isWholeHours {
            conditions.append(
                "(asset.hour > \(from.hours.upperBound) OR \(Self.date) >= \(from.description))")
        }
        if let to, !to.isWholeHours {
            let (text, count) = (to.description, to.description.utf8.count)
            conditions.append(
                "(asset.hour < \(to.hours.lowerBound) OR substr(\(Self.date), 1, \(count)) <= \(text))")
        }
        // Bounds that the index can use: no zone is a whole day from UTC.
        if let from { conditions.append("asset.instant >= \((from.firstDay - 1) * 86_400)") }
        if let to { conditions.append("asset.instant <= \((to.lastDay + 2) * 86_400)") }
        return "(\(conditions.joined(separator: " AND ")))"
    }

    var talliedCondition: SQL? { "(\(hours))" }

    var dividedHours: [Int] {
        Set([from, to].compactMap(\.self).filter { !$0.isWholeHours }.map(\.hours.lowerBound)).sorted()
    }

    /// The date of a row; midnight if the time is unknown.
    private static let date: SQL = """
        (SELECT CASE length(date) WHEN 10 THEN date || 'T00:00:00' ELSE date END
        FROM asset AS dated WHERE dated.id = asset.id)
        """

    /// The condition on the key of the hour, which may include too much at the bounds.
    private var hours: SQL {
        var conditions: [SQL] = ["asset.hour IS NOT NULL"]
        if let from { conditions.append("asset.hour >= \(from.hours.lowerBound)") }
        if let to { conditions.append("asset.hour <= \(to.hours.upperBound)") }
        return conditions.joined(separator: " AND ")
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
    var hours: ClosedRange<Int> {
        let digits = description.utf8.prefix(13).filter(Self.isDigit)
        let scale = [4: 1_000_000, 6: 10_000, 8: 100][digits.count] ?? 1
        let first = digits.reduce(0) { $0 * 10 + Int($1) - 0x30 } * scale
        return first...(first + scale - 1)
    }

    /// Whether the precision is an hour or coarser.
    var isWholeHours: Bool { description.utf8.count <= 13 }

    /// The number of the first day.
    var firstDay: Int {
        let first = hours.lowerBound
        let (year, month, day) = (first / 1_000_000, first / 10_000 % 100, first / 100 % 100)
        return WallClock(year: year, month: max(month, 1), day: max(day, 1))?.dayNumber ?? 0
    }

    /// The number of the last day or of a later one.
    var lastDay: Int {
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

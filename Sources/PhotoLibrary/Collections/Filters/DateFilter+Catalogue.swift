internal import GRDB
internal import ImageMetadata

extension DateFilter: CatalogueFilter {
    var condition: SQL? {
        var conditions = [hours]
        // Only of the hours at the bounds the date itself has to be looked at.
        if let from, Hours(from)?.isAll != true {
            let inside = Hours(from).map { "asset.hour > \($0.last)" as SQL } ?? "FALSE"
            conditions.append("(\(inside) OR \(Self.date) >= \(from))")
        }
        if let to, Hours(to)?.isAll != true {
            let inside = Hours(to).map { "asset.hour < \($0.first)" as SQL } ?? "FALSE"
            conditions.append("(\(inside) OR substr(\(Self.date), 1, \(to.utf8.count)) <= \(to))")
        }
        // By these the rows are found: no zone is a whole day from UTC.
        if let day = from.flatMap(Hours.init)?.firstDay {
            conditions.append("asset.instant >= \((day - 1) * 86_400)")
        }
        if let day = to.flatMap(Hours.init)?.lastDay {
            conditions.append("asset.instant <= \((day + 2) * 86_400)")
        }
        return "(\(conditions.joined(separator: " AND ")))"
    }

    var talliedCondition: SQL? {
        [from, to].allSatisfy { $0 == nil || $0.flatMap(Hours.init) != nil } ? "(\(hours))" : nil
    }

    var dividedHours: [Int] {
        Set([from, to].compactMap { $0.flatMap(Hours.init) }.filter { !$0.isAll }.map(\.first)).sorted()
    }

    /// The date of a row, with midnight for days without a time.
    private static let date: SQL = """
        (SELECT CASE length(date) WHEN 10 THEN date || 'T00:00:00' ELSE date END
        FROM asset AS dated WHERE dated.id = asset.id)
        """

    /// What the key of the hour says of the row, as far as it does.
    private var hours: SQL {
        var conditions: [SQL] = ["asset.hour IS NOT NULL"]
        if let first = from.flatMap(Hours.init)?.first { conditions.append("asset.hour >= \(first)") }
        if let last = to.flatMap(Hours.init)?.last { conditions.append("asset.hour <= \(last)") }
        return conditions.joined(separator: " AND ")
    }
}

/// The hours that begin like a text: "2014-05" says 2014050000 to 2014059999.
private struct Hours {
    let first: Int
    let last: Int
    /// Whether these hours, and nothing within them, are meant.
    let isAll: Bool

    /// Nil for what is no beginning of a date.
    init?(_ text: String) {
        let form = "0000-00-00T00"
        let digits = text.utf8.prefix(form.utf8.count)
        guard [4, 7, 10, 13].contains(digits.count),
            zip(digits, form.utf8).allSatisfy({ $1 == 0x30 ? (0x30...0x39).contains($0) : $0 == $1 })
        else { return nil }
        let number = digits.reduce(0) { (0x30...0x39).contains($1) ? $0 * 10 + Int($1) - 0x30 : $0 }
        let scale = [4: 1_000_000, 7: 10_000, 10: 100][digits.count] ?? 1
        first = number * scale
        last = first + scale - 1
        isAll = text.utf8.count <= form.utf8.count
    }

    /// The number of the first day; nil where the calendar has none.
    var firstDay: Int? {
        let (year, month, day) = (first / 1_000_000, first / 10_000 % 100, first / 100 % 100)
        return WallClock(year: year, month: max(month, 1), day: max(day, 1))?.dayNumber
    }

    /// The number of the last day, or of one behind it.
    var lastDay: Int? {
        let days = last - first >= 999_999 ? 365 : last - first >= 9_999 ? 30 : 0
        return firstDay.map { $0 + days }
    }
}

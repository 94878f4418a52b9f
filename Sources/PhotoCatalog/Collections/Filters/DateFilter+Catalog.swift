internal import GRDB

extension DateFilter: CatalogFilter {
    var condition: SQL? {
        var conditions = [hours]
        // Only of the hours at the bounds the date itself has to be looked at.
        if let from, !from.isWholeHours {
            conditions.append(
                "(asset.hour > \(from.hours.upperBound) OR \(Self.date) >= \(from.description))")
        }
        if let to, !to.isWholeHours {
            let (text, count) = (to.description, to.description.utf8.count)
            conditions.append(
                "(asset.hour < \(to.hours.lowerBound) OR substr(\(Self.date), 1, \(count)) <= \(text))")
        }
        // By these the rows are found: no zone is a whole day from UTC.
        if let from { conditions.append("asset.instant >= \((from.firstDay - 1) * 86_400)") }
        if let to { conditions.append("asset.instant <= \((to.lastDay + 2) * 86_400)") }
        return "(\(conditions.joined(separator: " AND ")))"
    }

    var talliedCondition: SQL? { "(\(hours))" }

    var dividedHours: [Int] {
        Set([from, to].compactMap(\.self).filter { !$0.isWholeHours }.map(\.hours.lowerBound)).sorted()
    }

    /// The date of a row, with midnight for days without a time.
    private static let date: SQL = """
        (SELECT CASE length(date) WHEN 10 THEN date || 'T00:00:00' ELSE date END
        FROM asset AS dated WHERE dated.id = asset.id)
        """

    /// What the key of the hour says of the row, as far as it does.
    private var hours: SQL {
        var conditions: [SQL] = ["asset.hour IS NOT NULL"]
        if let from { conditions.append("asset.hour >= \(from.hours.lowerBound)") }
        if let to { conditions.append("asset.hour <= \(to.hours.upperBound)") }
        return conditions.joined(separator: " AND ")
    }
}

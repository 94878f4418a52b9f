internal import Assets
internal import GRDB
internal import ImageMetadata

extension DateFilter: CatalogFilter {
    var condition: SQL? {
        var conditions = [hours]
        // The full date is compared only within the hours of the bounds.
        if let start, !start.isWholeHours {
            conditions.append(
                "(asset.hour > \(start.hours.upperBound) OR \(Self.date) >= \(start.description))")
        }
        if let end, !end.isWholeHours {
            let (text, count) = (end.description, end.description.utf8.count)
            conditions.append(
                "(asset.hour < \(end.hours.lowerBound) OR substr(\(Self.date), 1, \(count)) <= \(text))")
        }
        // Bounds that the index can use: no zone is a whole day from UTC.
        if let start { conditions.append("asset.instant >= \((start.firstDay - 1) * 86_400)") }
        if let end { conditions.append("asset.instant <= \((end.lastDay + 2) * 86_400)") }
        return "(\(conditions.joined(separator: " AND ")))"
    }

    var talliedCondition: SQL? { "(\(hours))" }

    var dividedHours: [Int] {
        Set([start, end].compactMap(\.self).filter { !$0.isWholeHours }.map(\.hours.lowerBound)).sorted()
    }

    /// The date of a row to its seconds; midnight if the time is unknown.
    private static let date: SQL = """
        (SELECT CASE length(date) WHEN 10 THEN date || 'T00:00:00' WHEN 16 THEN date || ':00' ELSE date END
        FROM asset AS dated WHERE dated.id = asset.id)
        """

    /// The condition on the key of the hour, which may include too much at the bounds.
    private var hours: SQL {
        var conditions: [SQL] = ["asset.hour IS NOT NULL"]
        if let start { conditions.append("asset.hour >= \(start.hours.lowerBound)") }
        if let end {
            conditions.append("asset.hour <= \(end.hours.upperBound)")
            for hour in end.hoursAround { conditions.append("asset.hour <> \(hour)") }
        }
        return conditions.joined(separator: " AND ")
    }
}

extension AssetQuery: CatalogFilter {
    var condition: SQL? {
        guard !terms.isEmpty else { return "TRUE" }
        let all: [SQL] = terms.map { term in
            term.isExcluded ? "NOT \(term.condition.sql)" : "\(term.condition.sql)"
        }
        return "(\(all.joined(separator: " AND ")))"
    }
}

extension QueryCondition {
    /// The condition for rows of `asset`, never NULL.
    var sql: SQL {
        switch self {
        case .word(let word):
            return "(asset.id IN (SELECT rowid FROM search WHERE search MATCH \(SearchText.beginning(word))))"
        case .camera(let part):
            return Self.rows("instr(lower(ifnull(make, '') || ' ' || ifnull(model, '')), \(part)) > 0")
        case .lens(let part): return Self.rows("instr(lower(lens), \(part)) > 0")
        case .label(let label): return Self.rows("lower(label) = \(label)")
        case .keyword(let word):
            return Self.rows(
                "instr(char(10) || lower(keywords) || char(10), char(10) || \(word) || char(10)) > 0")
        case .folder(let folder):
            return Self.rows("substr(path, 1, \(folder.unicodeScalars.count)) = \(folder)")
        case .rating(let range):
            return Self.rows("ifnull(rating, 0) BETWEEN \(range.lowerBound) AND \(range.upperBound)")
        case .formats(let formats): return Self.rows("format IN \(formats.map(\.rawValue).sorted())")
        case .kinds(let kinds): return "(\(kinds.condition ?? "TRUE"))"
        case .date(let filter): return filter.condition ?? "TRUE"
        case .months(let months): return "(ifnull(asset.hour, 0) / 10000 % 100 IN \(months.sorted()))"
        case .near(let filter): return "(\(filter.condition ?? "TRUE"))"
        case .bounds(let filter): return "(\(filter.condition ?? "TRUE"))"
        case .place(let filter): return filter.condition ?? "TRUE"
        case .album: return "TRUE"
        case .undated: return "(asset.hour IS NULL)"
        case .located: return Self.rows("latitude IS NOT NULL")
        case .live: return Self.rows("livePartner IS NOT NULL")
        case .burst: return Self.rows("burst IS NOT NULL")
        case .stack(let place): return Self.rows(place.condition)
        }
    }

    /// A subquery: rows of albums are named `asset`, too, and lack most columns.
    private static func rows(_ condition: SQL) -> SQL {
        "(asset.id IN (SELECT id FROM asset WHERE \(condition)))"
    }
}

extension StackPlace {
    /// The condition for rows of the table `asset`, which is never NULL in a subquery's WHERE.
    var condition: SQL {
        switch self {
        case .any: "stack IS NOT NULL"
        case .cover: "stack = id"
        case .other: "stack <> id"
        case .none: "stack IS NULL"
        case .of(let cover): "(stack = \(cover) OR id = \(cover))"
        }
    }
}

internal import GRDB

/// The values that searches of a library can name, each with the number of assets, the most common first.
package struct SearchTerms: Sendable {
    /// A value of a condition.
    package struct Term: Equatable, Sendable {
        package var text: String
        package var count: Int
    }

    package fileprivate(set) var cameras: [Term] = []
    package fileprivate(set) var lenses: [Term] = []
    package fileprivate(set) var keywords: [Term] = []
    package fileprivate(set) var labels: [Term] = []
    package fileprivate(set) var places: [Term] = []

    package init() {}
}

extension PhotoLibrary {
    /// Reads the values that searches can name: about a second for a million assets.
    package func searchTerms() async throws -> SearchTerms {
        try await read { database in
            var terms = SearchTerms()
            var cameras: [String: Int] = [:]
            let models = try Row.fetchCursor(
                database,
                sql: "SELECT make, model, count(*) FROM asset WHERE model IS NOT NULL GROUP BY make, model")
            while let row = try models.next() {
                let name = Self.camera(make: row[0], model: row[1])
                cameras[name, default: 0] += row[2]
            }
            terms.cameras = Self.sorted(cameras)
            terms.lenses = try Self.counts("lens", database)
            terms.labels = try Self.counts("label", database)
            var keywords: [String: Int] = [:]
            let lists = try Row.fetchCursor(
                database,
                sql: "SELECT keywords, count(*) FROM asset WHERE keywords IS NOT NULL GROUP BY keywords")
            while let row = try lists.next() {
                let count: Int = row[1]
                for word in (row[0] as String).split(separator: "\n") {
                    keywords[String(word), default: 0] += count
                }
            }
            terms.keywords = Self.sorted(keywords)
            terms.places = try Row.fetchAll(
                database,
                sql: """
                    SELECT place.name, sum(number) FROM place JOIN tally ON grouping = 'place' AND code = place.id
                    GROUP BY place.id ORDER BY 2 DESC, 1
                    """
            ).map { SearchTerms.Term(text: $0[0], count: $0[1]) }
            return terms
        }
    }

    /// Returns the words of titles, descriptions, keywords and names that begin with a text, the most common first.
    ///
    /// - Parameter sample: the number of assets that are read.
    package func words(
        beginningWith text: String, sample: Int = 200
    ) async throws -> [SearchTerms.Term] {
        let wanted = text.lowercased()
        guard wanted.contains(where: { $0.isLetter || $0.isNumber }) else { return [] }
        return try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT ifnull(title, '') || ' ' || ifnull(caption, '') || ' ' || ifnull(keywords, '') || ' ' || path
                    FROM asset WHERE id IN (SELECT rowid FROM search WHERE search MATCH ? LIMIT ?)
                    """, arguments: [SearchText.beginning(wanted), sample])
            var counts: [String: Int] = [:]
            for row in rows {
                let words = (row[0] as String).lowercased().split { !$0.isLetter && !$0.isNumber }
                for word in Set(words) where word.hasPrefix(wanted) { counts[String(word), default: 0] += 1 }
            }
            return Self.sorted(counts)
        }
    }

    /// The name of a camera: its model, behind its make unless that begins it.
    private static func camera(make: String?, model: String) -> String {
        guard let make, let first = make.split(separator: " ").first,
            !model.lowercased().hasPrefix(first.lowercased())
        else { return model }
        return "\(make) \(model)"
    }

    private static func counts(_ column: String, _ database: Database) throws -> [SearchTerms.Term] {
        let rows = try Row.fetchAll(
            database,
            sql:
                "SELECT \(column), count(*) FROM asset WHERE \(column) IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1"
        )
        return rows.map { SearchTerms.Term(text: $0[0], count: $0[1]) }
    }

    private static func sorted(_ counts: [String: Int]) -> [SearchTerms.Term] {
        counts.map { SearchTerms.Term(text: $0.key, count: $0.value) }
            .sorted { ($1.count, $0.text) < ($0.count, $1.text) }
    }
}

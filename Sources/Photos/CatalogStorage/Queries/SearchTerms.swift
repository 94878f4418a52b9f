package import Assets
internal import GRDB

extension Catalog {
    /// Reads the values that searches can name: about a second for a million assets.
    package func searchTerms() throws -> SearchTerms {
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
        terms.lenses = try counts("lens")
        terms.labels = try counts("label")
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

    /// Returns the words of titles, descriptions, keywords and names that begin with a text, the most common first.
    ///
    /// - Parameter sample: the number of assets that are read.
    package func words(
        beginningWith text: String, sample: Int
    ) throws -> [SearchTerms.Term] {
        let wanted = text.lowercased()
        guard wanted.contains(where: { $0.isLetter || $0.isNumber }) else { return [] }
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

    /// The name of a camera: its model, behind its make unless that begins it.
    private static func camera(make: String?, model: String) -> String {
        guard let make, let first = make.split(separator: " ").first,
            !model.lowercased().hasPrefix(first.lowercased())
        else { return model }
        return "\(make) \(model)"
    }

    private func counts(_ column: String) throws -> [SearchTerms.Term] {
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

/// Texts that SQLite's full-text search compares.
enum SearchText {
    /// Returns the expression for words that begin with a text; quoted, so that FTS5 does not parse operators in it.
    static func beginning(_ text: String) -> String {
        // SQLite reads an expression up to the first NUL.
        "\"\(text.replacing("\"", with: "\"\"").replacing("\0", with: " "))\"*"
    }
}

extension Catalog {
    /// Returns the assets that have all of these words, or words that begin with them, the best matches first.
    package func ids(with words: [String], limit: Int) throws -> [Asset.ID] {
        try Int64.fetchAll(
            database, sql: "SELECT rowid FROM search WHERE search MATCH ? ORDER BY rank, rowid LIMIT ?",
            arguments: [words.map(SearchText.beginning).joined(separator: " "), limit])
    }
}

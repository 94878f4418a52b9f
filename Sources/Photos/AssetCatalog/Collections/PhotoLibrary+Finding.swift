internal import Basics
internal import CatalogStorage

extension PhotoLibrary {
    /// Searches file names, titles, captions, keywords, places and cameras for assets with all of these words.
    ///
    /// - Parameters:
    ///   - words: words or their beginnings, separated by spaces.
    ///   - limit: the maximum number of assets.
    /// - Returns: the best matches first.
    public func find(_ words: String, limit: Int = 100) async throws -> [Asset] {
        let words = words.split(whereSeparator: \.isWhitespace).map { String($0) }
        guard !words.isEmpty else { return [] }
        return try await assets(Array(try await ids(with: words, limit: max(0, limit))))
    }

    /// Returns what a search finds in a group: the best matches of its words first, without words the newest.
    package func find(
        _ query: AssetQuery, in group: AssetGroup.ID, limit: Int
    ) async throws -> [Asset] {
        let collection = collection(of: group, filter: query, sorter: .dateDescending)
        let words = query.parts.filter { $0.word.key == nil && !$0.word.isExcluded }.map(\.word.value)
        guard !words.isEmpty else { return try await collection.assets(0..<limit) }
        let found = Set(try await collection.snapshot().ids)
        let ranked = try await ids(with: words, limit: .max).lazy.filter { found.contains($0) }
        return try await assets(Array(ranked.prefix(limit)))
    }

    private func ids(with words: [String], limit: Int) async throws -> [Asset.ID] {
        try await read { try $0.ids(with: words, limit: limit) }
    }

    /// Reads the values that searches can name: about a second for a million assets.
    package func searchTerms() async throws -> SearchTerms { try await read { try $0.searchTerms() } }

    /// Returns the words of titles, descriptions, keywords and names that begin with a text, the most common first.
    ///
    /// - Parameter sample: the number of assets that are read.
    package func words(
        beginningWith text: String, sample: Int = 200
    ) async throws -> [SearchTerms.Term] {
        try await read { try $0.words(beginningWith: text, sample: sample) }
    }

    /// Says why a search finds nothing in a group, and what it may mean instead; nil if it finds something.
    package func reason(toFindNothing query: AssetQuery, in group: AssetGroup.ID) async throws -> String? {
        func isFound(_ query: AssetQuery) async throws -> Bool {
            try await collection(of: group, filter: query).entries().contains { $0.count > 0 }
        }
        guard try await !isFound(query) else { return nil }
        var (words, conditions) = ([String](), [String]())
        for (word, part) in query.parts where try await !isFound(part) {
            if word.key == nil, !word.isExcluded {
                words.append("\"\(word.text)\"")
            } else {
                conditions.append((word.isExcluded ? "-" : "") + word.text)
            }
        }
        let reasons = [
            words.isEmpty
                ? nil : "no name, title, caption, keyword, place or camera has \(words.listed("or"))",
            conditions.isEmpty ? nil : "no asset matches \(conditions.listed("or"))",
        ].compactMap(\.self)
        let reason =
            reasons.isEmpty ? "no asset matches all of \(query)" : reasons.joined(separator: ", and ")
        return reason + (query.otherWording.map { "; did you mean '\($0)'?" } ?? "")
    }
}

extension AssetQuery {
    /// The search with conditions instead of the words that name one, such as "4 stars" or "may"; nil if none does.
    var otherWording: String? {
        var (texts, isOther) = ([String](), false)
        for (word, _) in parts {
            let isWord = word.key == nil && !word.isExcluded
            let value = word.value.lowercased()
            if isWord, ["star", "stars"].contains(value), let count = texts.last.flatMap({ Int(strict: $0) }),
                (0...5).contains(count)
            {
                (texts[texts.count - 1], isOther) = ("stars:\(count)", true)
            } else if isWord, QueryRule.month(named: value) != nil {
                texts.append("month:\(value)")
                isOther = true
            } else if isWord, value.utf8.count == 4, let year = Int(strict: value),
                (1800...2100).contains(year)
            {
                texts.append("date:\(value)")
                isOther = true
            } else {
                let text = word.text.contains(where: \.isWhitespace) ? "\"\(word.text)\"" : word.text
                texts.append((word.isExcluded ? "-" : "") + text)
            }
        }
        return isOther ? ((album.map { ["album:\"\($0)\""] } ?? []) + texts).joined(separator: " ") : nil
    }
}

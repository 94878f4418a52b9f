#if Server && Library
internal import Basics
internal import PhotoCatalog
internal import Synchronization

/// Suggestions for the word that is typed into the search box.
struct SearchResponses {
    private let served: ServedLibrary

    /// The maximum number of suggestions.
    private static let maximum = 8

    init(_ served: ServedLibrary) {
        self.served = served
    }

    /// A suggestion: what replaces the word, how it is shown, and what it is.
    private struct Suggestion: Sendable {
        var word: String
        var title: String
        var kind: String
        var count: Int?

        var json: JSONValue {
            .object([
                "word": .string(word), "title": .string(title), "kind": .string(kind),
                "count": count.map(JSONValue.int),
            ])
        }
    }

    /// Returns suggestions for the last word of a query, the best first.
    func suggestions(for word: String) async throws -> JSONValue {
        let isExcluded = word.hasPrefix("-") && word.count > 1
        let sign = isExcluded ? "-" : ""
        let bare = isExcluded ? String(word.dropFirst()) : word
        let parts = bare.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let found =
            parts.count == 2
            ? try await values(of: String(parts[0]).lowercased(), Self.unquoted(parts[1]))
            : try await all(Self.unquoted(bare[...]))
        let list = found.prefix(Self.maximum).map { suggestion in
            var suggestion = suggestion
            suggestion.word = sign + suggestion.word
            return suggestion.json
        }
        return .object(["suggestions": .array(Array(list))])
    }

    private static func unquoted(_ text: Substring) -> String { text.filter { $0 != "\"" }.lowercased() }

    /// Suggestions for a word without a condition.
    private func all(_ text: String) async throws -> [Suggestion] {
        guard !text.isEmpty else {
            try await served.terms.refresh(from: served.library)
            return conditions("")
        }
        let terms = try await served.terms.current(of: served.library)
        var found = conditions(text)
        for rule in QueryRule.suggested {
            found += Self.matching(text, of: rule, in: terms, limit: 3)
        }
        found += try await albums(text)
        let words = try await served.library.words(beginningWith: text)
        found += words.prefix(3).filter { $0.text != text }.map {
            Suggestion(word: Self.quoted($0.text), title: $0.text, kind: "Word", count: nil)
        }
        return found
    }

    /// Suggestions for the value of a condition.
    private func values(of key: String, _ text: String) async throws -> [Suggestion] {
        // They are read before the first search, whatever it is.
        let terms = try await served.terms.current(of: served.library)
        guard let rule = QueryRule.of(key) else { return [] }
        func suggestion(_ value: String, _ title: String) -> Suggestion {
            Suggestion(word: "\(key):\(value)", title: title, kind: rule.kind, count: nil)
        }
        switch rule.values {
        case .free: return []
        case .words(let words): return words.filter { $0.hasPrefix(text) }.map { suggestion($0, $0) }
        case .samples(let values): return values.map { suggestion($0, "\(key) \($0)") }
        case .terms: return Self.matching(text, of: rule, in: terms, limit: Self.maximum)
        case .albums: return try await albums(text)
        }
    }

    private func conditions(_ text: String) -> [Suggestion] {
        QueryRule.all.compactMap { rule in
            rule.names.first { $0.hasPrefix(text) }.map {
                Suggestion(word: $0, title: $0, kind: rule.meaning, count: nil)
            }
        }
    }

    private func albums(_ text: String) async throws -> [Suggestion] {
        try await served.library.groups().filter { $0.kind == .album && $0.name.lowercased().contains(text) }
            .map {
                Suggestion(
                    word: "album:\(Self.quoted($0.name))", title: $0.name, kind: "Album", count: $0.count)
            }
    }

    /// Suggests the values of a library that contain a text, first those that begin with it.
    private static func matching(
        _ text: String, of rule: QueryRule, in terms: SearchTerms, limit: Int
    ) -> [Suggestion] {
        guard case .terms(let values) = rule.values else { return [] }
        let found = values(terms).lazy.filter { $0.text.lowercased().contains(text) }.prefix(limit * 4)
        let isBegun = { (term: SearchTerms.Term) in term.text.lowercased().hasPrefix(text) }
        return (found.filter(isBegun) + found.filter { !isBegun($0) }).prefix(limit).map { term in
            Suggestion(
                word: rule.name + quoted(term.text), title: term.text, kind: rule.kind, count: term.count)
        }
    }

    /// The value as one word of a query.
    static func quoted(_ text: String) -> String {
        let bare = text.filter { $0 != "\"" }
        return bare.contains(where: \.isWhitespace) ? "\"\(bare)\"" : bare
    }
}

/// The values that searches of a library can name.
///
/// Reading them takes a second in a library of a million. Therefore they are read before the first search, once for all
/// who wait, and at most every few seconds; meanwhile, searches get those from before the last changes.
final class KeptTerms: Sendable {
    private struct State {
        var terms: SearchTerms?
        var sequence = -1
        var read: ContinuousClock.Instant?
        var reading: Task<SearchTerms, any Error>?
    }

    private let state = Mutex(State())

    private static let pause = Duration.seconds(20)

    /// Returns the values; waits only if they were never read.
    func current(of library: PhotoLibrary) async throws -> SearchTerms {
        let reading = try await refresh(from: library)
        if let terms = state.withLock(\.terms) { return terms }
        return try await reading?.value ?? SearchTerms()
    }

    /// Begins to read the values, unless the known ones are good enough; returns the reading.
    @discardableResult
    func refresh(from library: PhotoLibrary) async throws -> Task<SearchTerms, any Error>? {
        let sequence = try await library.lastChange()
        return state.withLock { state in
            let isRecent = state.read.map { ContinuousClock.now - $0 < Self.pause } ?? false
            if state.terms != nil, state.sequence == sequence || isRecent { return nil }
            if let reading = state.reading { return reading }
            let reading = Task {
                do {
                    let terms = try await library.searchTerms()
                    self.state.withLock { $0 = State(terms: terms, sequence: sequence, read: .now) }
                    return terms
                } catch {
                    self.state.withLock { $0.reading = nil }
                    throw error
                }
            }
            state.reading = reading
            return reading
        }
    }
}
#endif

internal import Basics

/// A condition of a query, with what it takes.
package struct QueryRule: Sendable {
    /// What a condition looks at.
    enum Field: String, CaseIterable {
        case camera, lens, rating, label, keyword, from, to, date, month, near, bounds, place, album, folder
        case format
        case type, stack
        case `is`
    }

    let field: Field
    /// The name with its colon.
    package var name: String { "\(field.rawValue):" }
    /// Other names that are understood, with their colons.
    package let others: [String]
    package let meaning: String
    /// What its values are, as suggestions say it.
    package let kind: String
    package let values: Values
    package let example: String
    private let expected: String

    /// What can be suggested as a value.
    package enum Values: Sendable {
        /// Nothing.
        case free
        /// All values, in their usual spelling.
        case words([String])
        /// Some of the values.
        case samples([String])
        /// Values of the assets of a library.
        case terms(@Sendable (SearchTerms) -> [SearchTerms.Term])
        /// The albums of a library.
        case albums
    }

    private init(
        _ field: Field, also others: [String] = [], _ meaning: String, expects expected: String,
        _ example: String, kind: String = "", _ values: Values = .free
    ) {
        (self.field, self.meaning, self.expected, self.example) = (field, meaning, expected, example)
        (self.others, self.kind, self.values) = (others, kind, values)
    }

    /// What is expected, with an example, as a sentence.
    var expectation: String { "\(expected) expected, such as \(example)" }

    /// The name and the others.
    package var names: [String] { [name] + others }

    /// Returns the rule of a name without its colon.
    package static func of(_ key: some StringProtocol) -> Self? {
        all.first { $0.names.contains("\(key):") }
    }

    /// Those whose values are suggested for a word that is no condition, the likeliest first.
    package static let suggested = ["place", "camera", "keyword", "lens"].compactMap { of($0) }

    package static let all: [Self] = [
        .init(
            .camera, "a part of the camera's make and model",
            expects: "a part of the camera's make or model is",
            "camera:x100", kind: "Camera", .terms(\.cameras)),
        .init(
            .lens, "a part of the lens", expects: "a part of the lens's name is", "lens:23", kind: "Lens",
            .terms(\.lenses)),
        .init(
            .rating, also: ["stars:"], "4, >=4, <2 or 3..5; photos without a rating have 0, rejected ones -1",
            expects: "a number from 0 to 5 is", "rating:>=4", kind: "Rating",
            .samples(["5", ">=4", ">=3", "0"])),
        .init(.label, "a color label", expects: "a color is", "label:red", kind: "Label", .terms(\.labels)),
        .init(
            .keyword, "a whole keyword", expects: "a keyword is", "keyword:lake", kind: "Keyword",
            .terms(\.keywords)),
        .init(
            .from, "a date or longer period, such as 2014-05", expects: "a date or a longer period is",
            "from:2014-05"),
        .init(.to, "its end, included", expects: "a date or a longer period is", "to:2014-05"),
        .init(
            .date, "a period, such as 2014 or 2014-05-25", expects: "a date or a longer period is",
            "date:2014-05-25"),
        .init(
            .month, "a month of any year, such as 5 or may, or several, such as 6..8",
            expects: "a number from 1 to 12 or the name of a month is", "month:5", kind: "Month",
            .words(months)),
        .init(
            .near, "latitude,longitude,kilometers", expects: "latitude, longitude and kilometers are",
            "near:46.2,6.14,25"),
        .init(
            .bounds, "south,west,north,east in degrees",
            expects: "south, west, north and east in degrees are",
            "bounds:46.1,6,46.4,6.3"),
        .init(
            .place, "a part of a place or country", expects: "a part of a place or country is",
            "place:geneva", kind: "Place", .terms(\.places)),
        .init(
            .album, "the name of an album", expects: "the name of an album is", "album:Summer",
            kind: "Album", .albums),
        .init(.folder, "a folder, with all below it", expects: "a folder is", "folder:trip"),
        .init(.format, "a format, such as heic or png", expects: "the name of a format is", "format:heic"),
        .init(
            .type, also: ["kind:"], "what a file is: raw, heic, video, another kind or a format",
            expects: "photo, video, raw, heic, another kind or a format is", "type:raw"),
        .init(
            .stack, "any, cover, other (behind a cover), none, or the number of a cover",
            expects: "any, cover, other, none, or the number of a cover is", "stack:cover", kind: "Stack",
            .samples(["cover", "other", "any", "none"])),
        .init(
            .is, "\(states)", expects: "\(states) is", "is:picked", kind: "Kind", .words(AssetQuery.states)),
    ]

    private static let states = AssetQuery.states.listed("or")

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
        "november", "december",
    ]

    /// Returns the number of a month from its name or at least three letters of it; nil if it is none.
    package static func month(named text: some StringProtocol) -> Int? {
        text.count < 3 ? nil : months.firstIndex { $0.hasPrefix(text.lowercased()) }.map { $0 + 1 }
    }
}

/// A word of a query, or a condition.
package struct QueryWord: Sendable {
    /// The name before the colon; nil for a word.
    package var key: String?
    package var value: String
    package var isExcluded: Bool

    /// The word without its sign.
    package var text: String { key.map { "\($0):\(value)" } ?? value }

    private func error(_ reason: String) -> LibraryError { LibraryError(.query(text, reason: reason)) }

    /// The error of a value that the condition cannot have.
    var unexpected: LibraryError {
        guard let rule = key.flatMap(QueryRule.of) else { return unknown }
        guard case .words(let words) = rule.values,
            let near = Suggestion.nearest(to: value.lowercased(), of: words)
        else { return error(rule.expectation) }
        return error("there is no \(rule.name)\(value); did you mean \(rule.name)\(near)?")
    }

    /// The error of a condition that does not exist.
    var unknown: LibraryError {
        let name = (key ?? "") + ":"
        let names = QueryRule.all.map(\.name)
        if let near = Suggestion.nearest(to: name, of: QueryRule.all.flatMap(\.names)),
            let rule = QueryRule.of(near.dropLast())
        {
            let example = near + rule.example.dropFirst(rule.name.count)
            return error("there is no condition \(name); did you mean \(near), such as \(example)?")
        }
        return error(
            "there is no condition \(name), only \(names.joined(separator: " ")); a word with a colon needs quotation "
                + "marks, such as \"\(name)\(value)\"")
    }

    /// Returns the filter of a date, or throws an error that names the whole word.
    package func date(_ filter: () throws(LibraryError) -> DateFilter) throws(LibraryError) -> DateFilter {
        do throws(LibraryError) {
            return try filter()
        } catch {
            guard case .date(.impossible(_, let reason)) = error.cause else { throw unexpected }
            throw self.error("\(reason); \(QueryRule.of(key ?? "")?.expectation ?? "")")
        }
    }

    func refuseExclusion(and album: String?) throws(LibraryError) {
        guard !value.isEmpty else { throw unexpected }
        if isExcluded {
            throw error("an album cannot be excluded; search in one album, such as album:Summer -is:video")
        }
        if album != nil { throw error("a search has one album, such as album:Summer rating:>=4") }
    }

    /// Splits a query at spaces outside of quotation marks.
    static func all(in query: String) throws(LibraryError) -> [QueryWord] {
        guard !query.utf8.contains(0) else {
            throw LibraryError(
                .query(
                    query.replacing("\0", with: "\u{FFFD}"), reason: "a search cannot have the character NUL")
            )
        }
        var words: [QueryWord] = []
        var rest = query[...].drop(while: \.isWhitespace)
        while !rest.isEmpty {
            let isExcluded = rest.first == "-" && rest.dropFirst().first?.isWhitespace == false
            if isExcluded { rest.removeFirst() }
            var word = QueryWord(value: "", isExcluded: isExcluded)
            var isQuoted = false
            var wasQuoted = false
            while let character = rest.first, isQuoted || !character.isWhitespace {
                rest.removeFirst()
                if character == "\"" {
                    isQuoted.toggle()
                    wasQuoted = true
                } else if character == ":", word.key == nil, !wasQuoted, !word.value.isEmpty {
                    word.key = word.value.lowercased()
                    word.value = ""
                } else {
                    word.value.append(character)
                }
            }
            guard !isQuoted else {
                throw LibraryError(
                    .query(query, reason: "a quotation mark is not closed, such as in camera:\"EOS 5D\""))
            }
            // Signs alone are no word that could be found.
            if word.key != nil || word.value.contains(where: { $0.isLetter || $0.isNumber }) {
                words.append(word)
            }
            rest = rest.drop(while: \.isWhitespace)
        }
        return words
    }
}

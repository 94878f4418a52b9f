/// Words behind the names of edited copies that are in no table: imports have found them behind the names of several files.
package struct EditedWords: Hashable, Sendable {
    /// Names of files do not have it.
    private static let separator: Character = "/"

    /// In lower case, sorted.
    package private(set) var all: [String] = []

    /// No words.
    package init() {}

    package init(stored: String?) { all = stored?.split(separator: Self.separator).map(String.init) ?? [] }

    /// The words as one text.
    package var stored: String { all.joined(separator: String(Self.separator)) }

    package func adding(_ words: some Sequence<String>) -> Self {
        var result = self
        result.all = Set(all).union(words).filter { !$0.isEmpty && !$0.contains(Self.separator) }.sorted()
        return result
    }

    /// Returns the words that a name without extension ends in, behind a dash; nil for other names.
    package func words(behind base: String) -> String? {
        guard !all.isEmpty else { return nil }
        let lower = base.lowercased()
        return all.first { lower.hasSuffix("-\($0)") && lower.count > $0.count + 1 }
    }

    /// Returns the base name of the original; nil if it is not the name of an edited copy.
    package func original(_ base: String) -> String? {
        words(behind: base).map { String(base.dropLast($0.count + 1)) }
    }
}

internal import Basics
internal import Files
package import ImageMetadata
internal import Places

/// A search by words and conditions: `lake camera:x100 rating:>=4 from:2014-05 near:46.2,6.14,25`.
///
/// An asset has to match all of them. Words are searched as by `PhotoLibrary.find(_:limit:)`; quotation marks keep
/// words with spaces together: `camera:"EOS 5D"`. A minus sign excludes: `-is:video`. Conditions are listed in
/// ``conditions``.
public struct AssetQuery: AssetFilter, Hashable, Codable, CustomStringConvertible {
    /// The text that was parsed.
    public let text: String
    /// The name of the album in which the assets are, from `album:` or `is:picked`; nil for the whole library.
    public let album: String?
    package let terms: [Term]

    /// The conditions, each with what it means.
    public static var conditions: [(name: String, meaning: String)] {
        QueryRule.all.map { ($0.name, $0.meaning) }
    }

    /// The words of `is:`.
    static let states = QueryCondition.states.map(\.name)

    /// Parses a query; an empty one includes every asset.
    ///
    /// - Throws: `LibraryError` of the kind `invalidArgument` that names the word that is not understood, what is expected
    ///   there, and an example.
    public init(_ text: String) throws(LibraryError) {
        self.text = text
        var terms: [Term] = []
        var album: String?
        for word in try QueryWord.all(in: text) {
            let condition = try QueryCondition(word)
            if case .album(let name) = condition {
                try word.refuseExclusion(and: album)
                album = name
                continue
            }
            terms.append(Term(word: word, condition: condition))
        }
        (self.terms, self.album) = (terms, album)
    }

    /// `type:raw`.
    static let raw: AssetQuery = {
        guard let query = try? AssetQuery("type:raw") else { preconditionFailure("type:raw is a condition") }
        return query
    }()

    /// Whether it has a condition about stacks, so that all of their files are meant.
    package var asksForStacks: Bool {
        terms.contains { if case .stack = $0.condition { true } else { false } }
    }

    /// The words and conditions without the album, each with a query of its own.
    package var parts: [(word: QueryWord, query: AssetQuery)] {
        terms.map { ($0.word, AssetQuery(text: $0.word.text, album: nil, terms: [$0])) }
    }

    private init(text: String, album: String?, terms: [Term]) {
        (self.text, self.album, self.terms) = (text, album, terms)
    }

    /// Whether an asset matches; the album is not considered.
    public func includes(_ asset: Asset) -> Bool {
        terms.allSatisfy { $0.condition.includes(asset) != $0.isExcluded }
    }

    /// Whether both have the same text, byte for byte: folders in two forms of an accent are two.
    public static func == (a: Self, b: Self) -> Bool { FilePath(a.text) == FilePath(b.text) }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) { hasher.combine(FilePath(text)) }

    /// Decodes a text, as `init(_:)` parses it.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        do throws(LibraryError) { try self.init(text) } catch { throw decoder.invalid("\(error)") }
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(text: text) }

    /// The text.
    public var description: String { PathText.shown(text) }

    package struct Term: Sendable {
        package var word: QueryWord
        package var condition: QueryCondition
        package var isExcluded: Bool { word.isExcluded }
    }
}

/// A condition of a query.
package enum QueryCondition: Sendable {
    case word(String)
    case camera(String)
    case lens(String)
    case label(String)
    case keyword(String)
    case folder(String)
    case rating(ClosedRange<Int>)
    case formats(Set<FileFormat>)
    case kinds(AssetKinds)
    case date(DateFilter)
    case months(Set<Int>)
    case near(NearFilter)
    case bounds(BoundsFilter)
    case place(PlaceFilter)
    /// The album in which the assets are, which is not compared.
    case album(String)
    case undated, located, live, burst
    case stack(StackPlace)

    init(_ word: QueryWord) throws(LibraryError) {
        let value = word.value
        guard let key = word.key else {
            self = .word(value)
            return
        }
        guard let rule = QueryRule.of(key) else { throw word.unknown }
        guard !value.isEmpty else { throw word.unexpected }
        switch rule.field {
        case .camera: self = .camera(value.asciiLowercased)
        case .lens: self = .lens(value.asciiLowercased)
        case .label: self = .label(value.asciiLowercased)
        case .keyword: self = .keyword(value.asciiLowercased)
        case .folder: self = .folder(value.hasSuffix("/") ? value : value + "/")
        case .place: self = .place(PlaceFilter(containing: value))
        case .rating: self = .rating(try Self.range(word))
        case .from: self = .date(try word.date { () throws(LibraryError) in try DateFilter(from: value) })
        case .to: self = .date(try word.date { () throws(LibraryError) in try DateFilter(to: value) })
        case .date:
            self = .date(try word.date { () throws(LibraryError) in try DateFilter(from: value, to: value) })
        case .month: self = .months(try Self.months(word))
        case .near:
            guard let filter = NearFilter(value) else { throw word.unexpected }
            self = .near(filter)
        case .bounds: self = .bounds(try Self.bounds(word))
        case .format:
            guard let format = FileFormat(word: value.lowercased()) else { throw word.unexpected }
            self = .formats([format])
        case .type:
            let name = value.lowercased()
            guard let kind = Self.kind(name) ?? FileFormat(word: name).map({ .formats([$0]) }) else {
                throw word.unexpected
            }
            self = kind
        case .is:
            guard let state = Self.state(value.lowercased()) else { throw word.unexpected }
            self = state
        case .album: self = .album(value)
        case .stack:
            guard let place = StackPlace(value.lowercased()) else { throw word.unexpected }
            self = .stack(place)
        }
    }

    /// The words of `is:`.
    static let states: [(name: String, condition: QueryCondition)] = [
        ("photo", .kinds(.photo)), ("video", .kinds(.video)), ("jpeg", .kinds(.jpeg)), ("png", .kinds(.png)),
        ("screenshot", .kinds(.screenshot)), ("raw", .formats(Set(FileFormat.allCases.filter(\.isRaw)))),
        ("heic", .formats([.heif])), ("undated", .undated), ("located", .located), ("live", .live),
        ("motion", .kinds(.motion)), ("panorama", .kinds(.panorama)), ("burst", .burst),
        ("picked", .album("Picks")),
        ("rejected", .rating(-1...(-1))),
    ]

    /// Returns the state of a word, which may be any extension of a format that is one.
    private static func state(_ name: String) -> QueryCondition? {
        let format = FileFormat(word: name)
        return states.first { state in
            state.name == name || format != nil && FileFormat(word: state.name) == format
        }?.condition
    }

    /// What a file is.
    private static func kind(_ name: String) -> QueryCondition? {
        switch state(name) {
        case .kinds(let kinds): .kinds(kinds)
        case .formats(let formats): .formats(formats)
        default: nil
        }
    }

    /// "4", ">=4", ">3", "<=2", "<2" or "3..5".
    private static func range(_ word: QueryWord) throws(LibraryError) -> ClosedRange<Int> {
        let text = word.value
        let sign = text.prefix { "<>=".contains($0) }
        let rest = text.dropFirst(sign.count)
        let parts = rest.split(separator: "..", omittingEmptySubsequences: false).map { Int($0) }
        let range: (Int, Int)? =
            switch (sign, parts.count, parts.first ?? nil, parts.last ?? nil) {
            case ("", 1, let value?, _), ("=", 1, let value?, _): (value, value)
            case (">=", 1, let value?, _): (value, 5)
            case (">", 1, let value?, _): (value + 1, 5)
            case ("<=", 1, let value?, _): (-1, value)
            case ("<", 1, let value?, _): (-1, value - 1)
            case ("", 2, let low?, let high?): (low, high)
            default: nil
            }
        guard let (low, high) = range, low >= -1, high <= 5, low <= high else { throw word.unexpected }
        return low...high
    }

    /// "5", "may", "6..8", or "nov..feb" across the end of the year.
    private static func months(_ word: QueryWord) throws(LibraryError) -> Set<Int> {
        let parts = word.value.split(separator: "..", omittingEmptySubsequences: false).map { text in
            Int(strict: text).flatMap { (1...12).contains($0) ? $0 : nil } ?? QueryRule.month(named: text)
        }
        guard parts.count <= 2, let first = parts.first ?? nil, let last = parts.last ?? nil else {
            throw word.unexpected
        }
        return Set(first <= last ? Array(first...last) : Array(first...12) + Array(1...last))
    }

    private static func bounds(_ word: QueryWord) throws(LibraryError) -> BoundsFilter {
        let parts = word.value.split(separator: ",", omittingEmptySubsequences: false).compactMap {
            Double($0)
        }
        guard parts.count == 4,
            let bounds = BoundsFilter(south: parts[0], west: parts[1], north: parts[2], east: parts[3])
        else { throw word.unexpected }
        return bounds
    }

    func includes(_ asset: Asset) -> Bool {
        switch self {
        case .word(let word): asset.texts.contains { Self.holds($0, word) }
        case .camera(let part):
            "\(asset.make ?? "") \(asset.model ?? "")".asciiLowercased.contains(part)
        case .lens(let part): (asset.lens ?? "").asciiLowercased.contains(part)
        case .label(let label): asset.label?.asciiLowercased == label
        case .keyword(let word): asset.keywords.contains { $0.asciiLowercased == word }
        case .folder(let folder): asset.file.hasPrefix(folder)
        case .rating(let range): range.contains(asset.rating ?? 0)
        case .formats(let formats): formats.contains(asset.format)
        case .kinds(let kinds): kinds.includes(asset)
        case .date(let filter): filter.includes(asset)
        case .months(let months):
            asset.date.map { $0.precision >= .month && months.contains($0.local.month) } ?? false
        case .near(let filter): filter.includes(asset)
        case .bounds(let filter): filter.includes(asset)
        case .place(let filter): filter.includes(asset)
        case .album: true
        case .undated: asset.date == nil
        case .located: asset.location != nil
        case .live: asset.livePartner != nil
        case .burst: asset.burst != nil
        case .stack(let place): place.includes(asset)
        }
    }

    /// Whether the words of a text begin with those of the query, one after another.
    private static func holds(_ text: String, _ query: String) -> Bool {
        let wanted = words(query)
        let words = words(text)
        guard let last = wanted.last else { return false }
        return words.indices.dropLast(wanted.count - 1).contains { start in
            zip(wanted.dropLast(), words[start...]).allSatisfy(==)
                && words[start + wanted.count - 1].hasPrefix(last)
        }
    }

    private static func words(_ text: String) -> [Substring] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }
    }
}

extension Asset {
    /// What a search reads.
    fileprivate var texts: [String] {
        [path, title, caption, keywords.joined(separator: "\n"), place, make, model].compactMap(\.self)
            + [place.flatMap { Country(ofPlace: $0)?.names }].compactMap(\.self)
    }
}

extension String {
    /// The text with A to Z in lower case, as SQLite's lower().
    fileprivate var asciiLowercased: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

internal import Basics
package import Files

/// Which assets of a library, and how they are arranged, in the words of `viewport library list` and of the addresses of
/// pages.
///
/// ```swift
/// let request = try AssetRequest([("group-by", "day"), ("sort", "desc"), ("where", "camera:x100 rating:>=4")])
/// let collection = try await library.collection(for: request)
/// ```
public struct AssetRequest: Hashable, Sendable {
    package var unit = StandardGrouping.Unit.all
    package var kinds = AssetKinds.all
    package var order = AssetOrder.first
    package var group = AssetGroup.ID.all
    /// The name of an album, instead of a group.
    package var album: FilePath?
    package var from: PartialDate?
    package var to: PartialDate?
    package var near: NearFilter?
    package var place: PlaceFilter?
    package var search: AssetQuery?
    /// How stacks are shown; nil for their covers, or for all files where the search asks for stacks.
    package var stack: StackChoice?

    /// Creates a request for all assets in one entry, the oldest first.
    public init() {}

    /// Reads parameters; those with other names are ignored.
    ///
    /// - Parameters:
    ///   - parameters: names of ``Parameter``, which are those of the options of `viewport library list`, with their values.
    ///   - usual: what holds for parameters that are missing.
    /// - Throws: `LibraryError`, of the kind `invalidArgument` for a value that is not understood, `notFound` for a group
    ///   that cannot exist.
    public init(
        _ parameters: some Sequence<(name: String, value: String)>, usual: AssetRequest = AssetRequest()
    ) throws(LibraryError) {
        self = usual
        for (name, value) in parameters {
            if let parameter = Parameter(name: name) { try set(parameter, value) }
        }
        let albums = [album?.text, search?.album].compactMap(\.self)
        if let name = albums.first, albums.count > 1 || group != .all {
            throw LibraryError(
                .query(
                    "album:\(name)",
                    reason: "an album is searched as a whole, not within another group or album"))
        }
    }

    private mutating func set(_ parameter: Parameter, _ text: String) throws(LibraryError) {
        func known<T>(_ value: T?) throws(LibraryError) -> T {
            guard let value else {
                throw LibraryError(
                    .query("\(parameter.rawValue)=\(text)", reason: parameter.expectation(insteadOf: text)))
            }
            return value
        }
        switch parameter {
        case .groupBy: unit = try known(StandardGrouping.Unit(word: text))
        case .filter: kinds = try known(AssetKinds(words: text))
        case .sort: order = try known(AssetOrder(text))
        case .group:
            guard let id = AssetGroup.ID(pathComponent: text) else { throw LibraryError.noAlbum }
            group = id
        case .album: album = FilePath(text)
        case .from: from = try DateFilter(from: text).from
        case .to: to = try DateFilter(to: text).to
        case .near: near = try known(NearFilter(text))
        case .place: place = PlaceFilter(containing: text)
        case .where: search = text.allSatisfy(\.isWhitespace) ? nil : try AssetQuery(text)
        case .stack: stack = try known(StackChoice(word: text))
        }
    }
}

extension AssetRequest {
    /// What a request consists of, by its name in addresses and as an option.
    public enum Parameter: String, CaseIterable, Sendable {
        /// The grouping.
        case groupBy = "group-by"
        /// The kinds of assets.
        case filter
        /// The sort order.
        case sort
        /// The group, by its name in addresses.
        case group
        /// The album, by its name.
        case album
        /// The first date.
        case from
        /// The last date.
        case to
        /// A position and a distance from it.
        case near
        /// A part of the name of a place.
        case place
        /// A search.
        case `where`
        /// How stacks are shown.
        case stack

        /// Finds a parameter by its name, or by the former one.
        package init?(name: String) {
            guard let found = Self.allCases.first(where: { $0.names.contains(name) }) else { return nil }
            self = found
        }

        /// The former name, which addresses and programs still may have.
        package var formerName: String? {
            switch self {
            case .groupBy: "by"
            case .filter: "show"
            case .sort: "order"
            case .group, .album, .from, .to, .near, .place, .where, .stack: nil
            }
        }

        /// The names that are understood; of two values, that of the last name holds.
        package var names: [String] { [formerName, rawValue].compactMap(\.self) }

        /// What stands for the value in a help, such as "date"; nil where the name of the option says it.
        package var argument: String? {
            switch self {
            case .filter: "kinds"
            case .from, .to: "date"
            case .near: "lat,lon,km"
            case .place: "text"
            case .where: "query"
            case .groupBy, .sort, .group, .album, .stack: nil
            }
        }

        /// What it does, in one sentence.
        public var meaning: String {
            switch self {
            case .groupBy: "Group by \(words.map(\.word).listed("or"))."
            case .filter:
                "Only these kinds, separated by commas: "
                    + AssetKinds.named.dropLast().map(\.name).joined(separator: ", ") + "."
            case .sort:
                "Sort by \(NamedSort.all.map(\.name).listed("or")): "
                    + "\(AssetOrder.all.map(\.short).listed("or")); undated assets are last."
            case .group: "Only this group: all, picks, or album- or folder- with its number."
            case .album: "Only the assets of this album; Picks always exists."
            case .from: "Only from this date: 2014, 2014-05 or 2014-05-25T10:00."
            case .to: "Only up to this date, including all of it."
            case .near: "Only within a distance in kilometers of a position in degrees."
            case .place: "Only at places or in countries whose name contains this."
            case .where: "Only what a search finds, such as 'camera:x100 rating:>=4 -is:raw'."
            case .stack:
                "Stacks (raw and JPEG, edited copies, bursts): cover shows one, all also those behind it, none each file."
            }
        }

        /// The values that it can have, in the order of a menu; empty where there is no list of them.
        public var words: [Word] {
            switch self {
            case .groupBy:
                StandardGrouping.Unit.allCases.map { unit in
                    Word(unit.rawValue, unit.rawValue.prefix(1).uppercased() + unit.rawValue.dropFirst())
                }
            // All of them first.
            case .filter:
                (AssetKinds.named.suffix(1) + AssetKinds.named.dropLast()).map { Word($0.name, $0.title) }
            case .sort: AssetOrder.menu.map { Word($0.word, $0.title, $0.spellings.dropFirst()) }
            case .stack: StackChoice.allCases.map { Word($0.rawValue, $0.title) }
            case .group, .album, .from, .to, .near, .place, .where: []
            }
        }

        /// What is expected where a value is not understood, and the word that it resembles.
        fileprivate func expectation(insteadOf text: String) -> String {
            guard !words.isEmpty else {
                return "latitude, longitude and kilometers are expected, such as 46.2,6.14,25"
            }
            let near = Suggestion.nearest(to: text, of: words.flatMap { [$0.word] + $0.others })
            return near.map { "did you mean \(rawValue)=\($0)?" }
                ?? "\(words.map(\.word).listed("or")) is expected"
        }
    }

    /// A value of a parameter.
    public struct Word: Hashable, Sendable {
        /// The value, as in addresses.
        public let word: String
        /// Other spellings that are understood.
        public let others: [String]
        /// The value in a menu.
        public let title: String

        fileprivate init(_ word: String, _ title: String, _ others: some Sequence<String> = []) {
            (self.word, self.title, self.others) = (word, title, Array(others))
        }
    }
}

extension PhotoLibrary {
    /// Returns the assets of a request as a collection.
    ///
    /// - Throws: `LibraryError` of the kind `invalidArgument` if there is no album of the requested name.
    public func collection(for request: AssetRequest) async throws -> AssetCollection {
        guard let name = request.albumName else { return collection(for: request, of: request.group) }
        guard let album = try await album(named: name, inAnyCase: true) else {
            throw LibraryError(.query(name, reason: "there is no such album"))
        }
        return collection(for: request, of: album.id)
    }

    /// Returns the assets of a request as a collection, of a group instead of that of the request.
    package func collection(for request: AssetRequest, of group: AssetGroup.ID) -> AssetCollection {
        let grouping = StandardGrouping(request.unit)
        let filters = request.filters
        // Kinds alone are answered from fewer counts.
        let filter: any AssetFilter =
            filters.isEmpty ? request.kinds : FilterIntersection([request.kinds] + filters)
        guard request.stacks != .none else {
            return collection(of: group, grouping: grouping, filter: filter, sorter: request.order.sorter)
        }
        return collection(
            of: group, grouping: grouping, filter: CoverFilter(base: filter, group: group),
            sorter: request.order.sorter)
    }
}

extension AssetRequest {
    /// The album, as a parameter or in the search.
    package var albumName: String? { album?.text ?? search?.album }

    /// How stacks are shown: by their covers, unless the request says something else.
    package var stacks: StackChoice { stack ?? (search?.asksForStacks == true ? .none : .cover) }

    /// The filters besides that of the kinds.
    fileprivate var filters: [any AssetFilter] {
        let dates = from == nil && to == nil ? nil : DateFilter(from: from, to: to)
        let filters: [(any AssetFilter)?] = [dates, near, place, search]
        return filters.compactMap(\.self)
    }
}

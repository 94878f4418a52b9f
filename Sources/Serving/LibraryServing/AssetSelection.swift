#if Server && Library
internal import Files
internal import HTTPTypes
internal import PhotoCatalog
internal import TileServing

/// The assets of a page and their order, as in the query of its URL.
struct AssetSelection: Equatable, Sendable {
    var group = AssetGroup.ID.all
    var unit = StandardGrouping.Unit.day
    var order = DateSorter.Order.descending
    var kinds = AssetKinds.all
    /// What the assets have to match, too, in the language of `library list --where`.
    var search: AssetQuery?

    static let units: [StandardGrouping.Unit] = [.all, .year, .month, .week, .day, .hour]
    static let kinds: [(name: String, kinds: AssetKinds)] = [
        ("all", .all), ("photo", .photo), ("jpeg", .jpeg), ("png", .png), ("screenshot", .screenshot),
        ("video", .video),
    ]

    /// Parses `group`, `by`, `order`, `show` and `where`; missing parameters have defaults.
    ///
    /// - Throws: `RouteError` if a value is unknown or the search is not understood.
    init(_ request: RouteRequest) throws(RouteError) {
        if let text = request.value("group") {
            guard let group = AssetGroup.ID(pathComponent: text) else { throw .noGroup }
            self.group = group
        }
        if let text = request.value("by") {
            unit = try Self.choice(text, "by", Self.units.map { ($0.rawValue, $0) })
        }
        if let text = request.value("order") {
            order = try Self.choice(text, "order", DateSorter.Order.allCases.map { ($0.rawValue, $0) })
        }
        if let text = request.value("show") {
            kinds = try Self.choice(text, "show", Self.kinds.map { ($0.name, $0.kinds) })
        }
        if let text = request.value("where"), !text.allSatisfy(\.isWhitespace) {
            do throws(LibraryError) {
                search = try AssetQuery(text)
            } catch {
                throw RouteError(.badRequest, error.description)
            }
        }
        if search?.album != nil, group != .all {
            throw RouteError(
                .badRequest, "album: and is:picked search everything, not one group; open Everything")
        }
    }

    private static func choice<Value>(
        _ text: String, _ name: String, _ values: [(String, Value)]
    ) throws(RouteError) -> Value {
        if let value = values.first(where: { $0.0 == text }) { return value.1 }
        throw RouteError(.badRequest, "\(name)= is one of \(values.map(\.0).joined(separator: ", "))")
    }

    /// The selection as a query.
    var query: String {
        let show = Self.kinds.first { $0.kinds == kinds }?.name ?? "all"
        let search = search.map { "&where=\(PercentCoding.encode($0.text))" } ?? ""
        return
            "group=\(group.pathComponent)&by=\(unit.rawValue)&order=\(order.rawValue)&show=\(show)\(search)"
    }

    /// - Throws: `RouteError` if the search names an album that does not exist.
    func collection(of library: PhotoLibrary) async throws -> AssetCollection {
        let sorter = DateSorter(entries: order, assets: order)
        guard let search else {
            return library.collection(
                of: group, grouping: StandardGrouping(unit), filter: kinds, sorter: sorter)
        }
        var source = group
        if let name = search.album {
            guard let album = try await library.albumOrPicks(named: name) else {
                throw RouteError(.badRequest, "\(name): there is no such album")
            }
            source = album.id
        }
        return library.collection(
            of: source, grouping: StandardGrouping(unit), filter: FilterIntersection([kinds, search]),
            sorter: sorter)
    }
}

extension PhotoLibrary {
    /// Returns an album, or the picks, by its name in any case.
    func albumOrPicks(named name: String) async throws(LibraryError) -> AssetGroup? {
        let albums = try await groups().filter { $0.kind == .album || $0.kind == .picks }
        return albums.first { FilePath($0.name) == FilePath(name) }
            ?? albums.first { $0.name.lowercased() == name.lowercased() }
    }
}

extension AssetGroup.ID {
    /// "all", "picks", "album-3" or "folder-12".
    var pathComponent: String {
        switch self {
        case .all: "all"
        case .picks: "picks"
        case .album(let id): "album-\(id)"
        case .folder(let id): "folder-\(id)"
        }
    }

    init?(pathComponent text: String) {
        switch text {
        case "all": self = .all
        case "picks": self = .picks
        default:
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, let id = Int64(strict: parts[1]) else { return nil }
            switch parts[0] {
            case "album": self = .album(id)
            case "folder": self = .folder(id)
            default: return nil
            }
        }
    }
}
#endif

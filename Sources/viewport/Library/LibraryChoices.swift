#if Library
public import ArgumentParser
import Basics
import Files
public import PhotoCatalog

extension ImportLayout: ExpressibleByArgument, Explained {
    public init?(argument: String) { try? self.init(argument) }

    public var defaultValueDescription: String { template }

    static var understood: String { "a path below the library with names and fields" }
    static var example: String { "'\(standard.template)'" }

    static func fault(in text: String) -> String? {
        do throws(LibraryError) {
            _ = try ImportLayout(text)
            return nil
        } catch {
            guard case .layout(_, let reason) = error.cause else { return nil }
            return reason
        }
    }
}

extension StandardGrouping.Unit: ExpressibleByArgument {}

extension AssetKinds: ExpressibleByArgument, Explained {
    private static let names: [(String, AssetKinds)] = [
        ("jpeg", .jpeg), ("png", .png), ("photo", .photo), ("video", .video), ("screenshot", .screenshot),
        ("motion", .motion),
        ("all", .all),
    ]

    public init?(argument: String) {
        let parts = Self.parts(argument)
        let kinds = parts.compactMap { part in Self.names.first { $0.0 == part }?.1 }
        guard kinds.count == parts.count else { return nil }
        self = kinds.reduce([]) { $0.union($1) }
    }

    private static func parts(_ text: String) -> [Substring] {
        text.filter { $0 != " " }.split(separator: ",", omittingEmptySubsequences: false)
    }

    static var understood: String { "kinds separated by commas: " + names.map(\.0).joined(separator: ", ") }
    static var example: String { "jpeg,png" }

    static func fault(in text: String) -> String? {
        let known = names.map(\.0)
        guard let other = parts(text).map(String.init).first(where: { !known.contains($0) }) else {
            return nil
        }
        let near = Suggestion.nearest(to: other, of: known).map { " (did you mean \($0)?)" } ?? ""
        return "'\(other)' is not a kind\(near)"
    }

    public var defaultValueDescription: String {
        self == .all ? "all" : Self.names.filter { contains($0.1) }.map(\.0).joined(separator: ",")
    }
}

/// "asc", "desc", "date:asc" or "date:desc".
enum SortArgument: ExpressibleByArgument, Explained {
    case ascending
    case descending

    init?(argument: String) {
        switch argument {
        case "asc", "date:asc", "date": self = .ascending
        case "desc", "date:desc": self = .descending
        default: return nil
        }
    }

    static var understood: String { "asc or desc" }
    static var example: String { "desc" }

    var sorter: DateSorter { self == .ascending ? .dateAscending : .dateDescending }

    var defaultValueDescription: String { self == .ascending ? "date:asc" : "date:desc" }
}

/// A prefix of "2014-05-25T10:00:00" with a year at least.
struct DateArgument: ExpressibleByArgument, Explained {
    let date: PartialDate

    /// Creates a date; nil if the text is invalid.
    init?(argument: String) {
        guard let date = try? PartialDate(argument) else { return nil }
        self.date = date
    }

    static var understood: String { "a year, or a longer prefix of a date in the camera's time" }
    static var example: String { "2014-05-25T10:00" }

    /// Returns the reason why a text is not a date.
    static func fault(in text: String) -> String? {
        do throws(PartialDateError) {
            _ = try PartialDate(text)
            return nil
        } catch {
            guard case .impossible(_, let reason) = error else { return "no date" }
            return reason
        }
    }
}

extension UndatedRule: ExpressibleByArgument {}

/// The source of dates for undated photos.
struct UndatedArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Date for undated photos: file-time (the modification time) or nothing.",
            discussion: "The source of such dates is FileTime. Without this option, photos stay as they are.",
            valueName: "rule"))
    var undatedBy: UndatedRule?
}

extension StandardGrouping.Unit {
    /// Returns the title of an entry: its key, or "Undated" without one.
    func title(of key: EntryKey?) -> String {
        self == .all ? "all" : key?.description ?? (self == .place ? "No place" : "Undated")
    }
}

/// "47.05,8.3,10": a position in degrees and a distance in kilometers.
struct NearArgument: ExpressibleByArgument, Explained {
    let filter: NearFilter

    init?(argument: String) {
        guard Self.fault(in: argument) == nil, let values = Numbers.list(argument[...], count: 3) else {
            return nil
        }
        filter = NearFilter(latitude: values[0], longitude: values[1], distance: values[2] * 1000)
    }

    static var understood: String { "LATITUDE,LONGITUDE,KILOMETERS" }
    static var example: String { "-33.8,151.2,5" }

    static func fault(in text: String) -> String? {
        guard let values = Numbers.list(text[...], count: 3) else {
            return Numbers.fault(text[...], count: 3)
        }
        if abs(values[0]) > 90 { return "latitudes are from -90 to 90" }
        if abs(values[1]) > 180 { return "longitudes are from -180 to 180" }
        return values[2] < 0 ? "a distance is 0 or more" : nil
    }
}

/// The filters and the order of assets.
struct SelectionArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only these kinds, separated by commas: jpeg, png, photo, video, screenshot, motion.",
            valueName: "kinds")
    )
    var filter: AssetKinds = .all

    @Option(help: "Sort by date: asc or desc; undated assets are last.")
    var sort: SortArgument = .ascending

    @Option(help: "Only the assets of this album; Picks always exists.")
    var album: String?

    @Option(
        help: ArgumentHelp("Only from this date: 2014, 2014-05 or 2014-05-25T10:00.", valueName: "date"))
    var from: DateArgument?

    @Option(help: ArgumentHelp("Only up to this date, including all of it.", valueName: "date"))
    var to: DateArgument?

    @Option(
        help: ArgumentHelp(
            "Only within a distance in kilometers of a position in degrees.", valueName: "lat,lon,km"))
    var near: NearArgument?

    @Option(help: ArgumentHelp("Only at places or in countries whose name contains this.", valueName: "text"))
    var place: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Only what a search finds, such as 'camera:x100 rating:>=4 -is:raw'.", valueName: "query"))
    var query: QueryArgument?

    func validate() throws {
        if album != nil, query?.query.album != nil {
            throw ValidationError("--album and the album in --where contradict each other")
        }
    }

    /// Returns the matching assets as a collection.
    func collection(
        of library: PhotoLibrary, by unit: StandardGrouping.Unit = .all
    ) async throws -> AssetCollection {
        var filters: [any AssetFilter] = [filter]
        if from != nil || to != nil { filters.append(DateFilter(from: from?.date, to: to?.date)) }
        if let near { filters.append(near.filter) }
        if let place { filters.append(PlaceFilter(containing: place)) }
        if let query { filters.append(query.query) }
        if unit == .place || place != nil { try await PlaceNames.reportMissing(in: library) }
        let source = try await source(in: library)
        let grouping = StandardGrouping(unit)
        if filters.count == 1 {
            return library.collection(of: source, grouping: grouping, filter: filter, sorter: sort.sorter)
        }
        return library.collection(
            of: source, grouping: grouping, filter: FilterIntersection(filters), sorter: sort.sorter)
    }

    private func source(in library: PhotoLibrary) async throws -> AssetGroup.ID {
        guard let album else { return try await query?.source(in: library) ?? .all }
        return try await library.album(called: album).id
    }
}

extension PhotoLibrary {
    /// Returns an album by its name.
    func album(called name: String) async throws -> AssetGroup {
        let albums = try await groups().filter { $0.kind == .album || $0.kind == .picks }
        // A name in another form of its accents is found, too, unless that is another album.
        let album = albums.first { FilePath($0.name) == FilePath(name) } ?? albums.first { $0.name == name }
        guard let album else {
            let names = albums.map(\.name).joined(separator: ", ")
            throw ValidationError(
                "there is no album \(name), only \(names); create it with `viewport library albums create`")
        }
        return album
    }
}
#endif

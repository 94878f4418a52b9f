#if CommandLine
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

extension StandardGrouping.Unit: ExpressibleByArgument {
    package init?(argument: String) { self.init(word: argument) }
}

extension AssetKinds: ExpressibleByArgument, Explained {
    private static var names: [String] { named.map(\.name) }

    public init?(argument: String) { self.init(words: argument) }

    public static var defaultCompletionKind: CompletionKind { .list(names) }

    static var understood: String { "kinds separated by commas: " + names.joined(separator: ", ") }
    static var example: String { "jpeg,png" }

    static func fault(in text: String) -> String? {
        guard let other = words(in: text).map(String.init).first(where: { !names.contains($0) }) else {
            return nil
        }
        let near = Suggestion.nearest(to: other, of: names).map { " (did you mean \($0)?)" } ?? ""
        return "'\(other)' is not a kind\(near)"
    }

    public var defaultValueDescription: String { words }
}

extension AssetOrder: ExpressibleByArgument, Explained {
    package init?(argument: String) { self.init(argument) }

    package static var defaultCompletionKind: CompletionKind { .list(all.map(\.short)) }

    static var understood: String { all.map(\.short).listed("or") }
    static var example: String { newest.short }

    static func fault(in text: String) -> String? {
        let near = Suggestion.nearest(to: text, of: all.flatMap(\.spellings))
        return near.map { "unknown (did you mean \($0)?)" }
    }

    package var defaultValueDescription: String { whole }
}

extension StackChoice: ExpressibleByArgument {
    public init?(argument: String) { self.init(word: argument) }
}

extension AssetRequest.Parameter {
    /// The help of its option.
    var help: ArgumentHelp { ArgumentHelp(meaning, valueName: argument) }
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
        if case .period(let period) = key { return period.digits }
        return self == .all ? "all" : key?.description ?? (self == .place ? "No place" : "Undated")
    }
}

/// "47.05,8.3,10": a position in degrees and a distance in kilometers.
struct NearArgument: ExpressibleByArgument, Explained {
    let filter: NearFilter

    init?(argument: String) {
        guard Self.fault(in: argument) == nil, let filter = NearFilter(argument) else { return nil }
        self.filter = filter
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

/// "picks" or "folder-17": a group by its name in addresses.
struct GroupArgument: ExpressibleByArgument, Explained {
    let id: AssetGroup.ID

    init?(argument: String) {
        guard let id = AssetGroup.ID(pathComponent: argument) else { return nil }
        self.id = id
    }

    static var understood: String { "all, picks, or album- or folder- with its number" }
    static var example: String { "picks" }

    static func fault(in text: String) -> String? {
        StandardGrouping.Unit(word: text).map { "no group (did you mean --group-by \($0.rawValue)?)" }
    }
}

/// The filters and the order of assets.
struct SelectionArguments: ParsableArguments {
    @Option(help: AssetRequest.Parameter.filter.help)
    var filter: AssetKinds = .all

    @Option(help: AssetRequest.Parameter.sort.help)
    var sort: AssetOrder = .first

    @Option(help: AssetRequest.Parameter.group.help)
    var group: GroupArgument?

    @Option(help: AssetRequest.Parameter.album.help, completion: AlbumCompletion.names)
    var album: String?

    @Option(help: AssetRequest.Parameter.from.help)
    var from: DateArgument?

    @Option(help: AssetRequest.Parameter.to.help)
    var to: DateArgument?

    @Option(help: AssetRequest.Parameter.near.help)
    var near: NearArgument?

    @Option(help: AssetRequest.Parameter.place.help)
    var place: String?

    @Option(name: .customLong("where"), help: AssetRequest.Parameter.where.help)
    var query: QueryArgument?

    @Option(help: AssetRequest.Parameter.stack.help)
    var stack: StackChoice?

    func validate() throws {
        if album != nil, query?.query.album != nil {
            throw ValidationError("--album and the album in --where contradict each other")
        }
        if group != nil, album != nil || query?.query.album != nil {
            throw ValidationError("--group and an album contradict each other")
        }
    }

    private var request: AssetRequest {
        var request = AssetRequest()
        (request.kinds, request.order) = (filter, sort)
        (request.from, request.to, request.near) = (from?.date, to?.date, near?.filter)
        request.album = album.map { FilePath($0) }
        request.place = place.map { PlaceFilter(containing: $0) }
        (request.search, request.stack) = (query?.query, stack)
        return request
    }

    /// How stacks are shown.
    ///
    /// - Parameter usual: how they are where neither the option nor the search says something else.
    func stacks(usual: StackChoice = .cover) -> StackChoice {
        var request = request
        if request.search?.asksForStacks != true { request.stack = stack ?? usual }
        return request.stacks
    }

    /// Returns the matching assets as a collection.
    ///
    /// - Parameter stacks: how stacks are shown; nil for the choice of the user.
    func collection(
        of library: PhotoLibrary, by unit: StandardGrouping.Unit = .all, stacks: StackChoice? = nil
    ) async throws -> AssetCollection {
        var request = request
        request.unit = unit
        request.stack = stacks ?? request.stack
        if unit == .place || place != nil { try await PlaceNames.reportMissing(in: library) }
        if let group, try await library.group(group.id) == nil { throw LibraryError.noAlbum }
        guard let name = request.albumName else {
            return library.collection(for: request, of: group?.id ?? .all)
        }
        let album = try await library.album(called: name, inAnyCase: true)
        return library.collection(for: request, of: album.id)
    }
}

extension PhotoLibrary {
    /// Returns an album by its name; what changes albums needs the name in its own case.
    func album(called name: String, inAnyCase: Bool = false) async throws -> AssetGroup {
        if let album = try await album(named: name, inAnyCase: inAnyCase) { return album }
        let albums = try await groups().filter { $0.kind == .album || $0.kind == .picks }
        let names = albums.map(\.name).joined(separator: ", ")
        throw ValidationError(
            "there is no album \(name), only \(names); create it with `viewport library albums create`")
    }
}
#endif
#endif

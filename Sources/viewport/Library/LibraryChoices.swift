public import ArgumentParser
public import PhotoLibrary

extension ImportLayout: ExpressibleByArgument {
    public init?(argument: String) { try? self.init(argument) }

    public var defaultValueDescription: String { template }
}

extension StandardGrouping.Unit: ExpressibleByArgument {}

extension AssetKinds: ExpressibleByArgument {
    private static let names: [(String, AssetKinds)] = [
        ("jpeg", .jpeg), ("png", .png), ("photo", .photo), ("video", .video), ("screenshot", .screenshot),
        ("all", .all),
    ]

    public init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        let kinds = parts.compactMap { part in Self.names.first { $0.0 == part }?.1 }
        guard kinds.count == parts.count else { return nil }
        self = kinds.reduce([]) { $0.union($1) }
    }

    public var defaultValueDescription: String {
        self == .all ? "all" : Self.names.filter { contains($0.1) }.map(\.0).joined(separator: ",")
    }
}

/// "asc", "desc", "date:asc" or "date:desc".
enum SortArgument: ExpressibleByArgument {
    case ascending
    case descending

    init?(argument: String) {
        switch argument {
        case "asc", "date:asc", "date": self = .ascending
        case "desc", "date:desc": self = .descending
        default: return nil
        }
    }

    var sorter: DateSorter { self == .ascending ? .dateAscending : .dateDescending }

    var defaultValueDescription: String { self == .ascending ? "date:asc" : "date:desc" }
}

/// The beginning of "2014-05-25T10:00:00": a year at least.
struct DateArgument: ExpressibleByArgument {
    let date: PartialDate

    /// Nil for what is no date; `PartialDate` throws a sentence that says why.
    init?(argument: String) {
        guard let date = try? PartialDate(argument) else { return nil }
        self.date = date
    }
}

extension UndatedRule: ExpressibleByArgument {}

/// What dates assets that say nothing of a date.
struct UndatedArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What dates photos that say nothing of a date: file-time (of the last change) or nothing.",
            discussion: "The date's source is then FileTime; unless given, photos stay as they are.",
            valueName: "rule"))
    var undatedBy: UndatedRule?
}

extension StandardGrouping.Unit {
    /// What an entry is called: its key, or "Undated" where it has none.
    func title(of key: EntryKey?) -> String {
        self == .all ? "all" : key?.description ?? (self == .place ? "No place" : "Undated")
    }
}

/// "47.05,8.3,10": a place in degrees and a distance in kilometres.
struct NearArgument: ExpressibleByArgument {
    let filter: NearFilter

    init?(argument: String) {
        guard let values = Numbers.list(argument[...], count: 3), abs(values[0]) <= 90, abs(values[1]) <= 180,
            values[2] >= 0
        else { return nil }
        filter = NearFilter(latitude: values[0], longitude: values[1], distance: values[2] * 1000)
    }
}

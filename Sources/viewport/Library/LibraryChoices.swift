public import ArgumentParser
public import PhotoLibrary

extension ImportLayout: ExpressibleByArgument, Explained {
    public init?(argument: String) { try? self.init(argument) }

    public var defaultValueDescription: String { template }

    static var understood: String { "a path of names and fields below the library" }
    static var example: String { "'\(standard.template)'" }

    static func fault(in text: String) -> String? {
        do throws(ImportError) {
            _ = try ImportLayout(text)
            return nil
        } catch {
            guard case .layout(_, let reason) = error else { return nil }
            return reason
        }
    }
}

extension StandardGrouping.Unit: ExpressibleByArgument {}

extension AssetKinds: ExpressibleByArgument, Explained {
    private static let names: [(String, AssetKinds)] = [
        ("jpeg", .jpeg), ("png", .png), ("photo", .photo), ("video", .video), ("screenshot", .screenshot),
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

    static var understood: String { "kinds with commas between: " + names.map(\.0).joined(separator: ", ") }
    static var example: String { "jpeg,png" }

    static func fault(in text: String) -> String? {
        let known = names.map(\.0)
        guard let other = parts(text).map(String.init).first(where: { !known.contains($0) }) else {
            return nil
        }
        let near = Suggestion.nearest(to: other, of: known).map { " (did you mean \($0)?)" } ?? ""
        return "'\(other)' is no kind\(near)"
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

/// The beginning of "2014-05-25T10:00:00": a year at least.
struct DateArgument: ExpressibleByArgument, Explained {
    let text: String

    init?(argument: String) {
        guard Self.fault(in: argument) == nil else { return nil }
        text = argument.replacing(" ", with: "T")
    }

    static var understood: String { "a year, or a date down to the second, as the camera's clock showed it" }
    static var example: String { "2014-05-25T10:00" }

    /// What no calendar and no clock shows.
    static func fault(in text: String) -> String? {
        let pattern = "0000-00-00T00:00:00"
        let text = text.replacing(" ", with: "T")
        guard [4, 7, 10, 13, 16, 19].contains(text.utf8.count),
            zip(text, pattern).allSatisfy({ $1 == "0" ? ("0"..."9").contains($0) : $0 == $1 })
        else { return "no date" }
        let parts = text.split { !$0.isNumber }.compactMap { Int($0) }
        let limits = [
            ("year", 1...9999), ("month", 1...12), ("day", 1...days(parts)), ("hour", 0...23),
            ("minute", 0...59),
            ("second", 0...59),
        ]
        for (part, (name, range)) in zip(parts, limits) where !range.contains(part) {
            return "there is no \(name) \(part)"
        }
        return nil
    }

    /// The days of the month.
    private static func days(_ parts: [Int]) -> Int {
        guard parts.count > 1, (1...12).contains(parts[1]) else { return 31 }
        let isLeap = parts[0] % 4 == 0 && (parts[0] % 100 != 0 || parts[0] % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][parts[1] - 1]
    }
}

/// "47.05,8.3,10": a place in degrees and a distance in kilometers.
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

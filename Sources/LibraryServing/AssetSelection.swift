internal import HTTPTypes
internal import PhotoCatalog
internal import TileServing

/// Which assets a page shows and in which order: what stands in its address.
struct AssetSelection: Equatable, Sendable {
    var group = AssetGroup.ID.all
    var unit = StandardGrouping.Unit.day
    var order = DateSorter.Order.descending
    var kinds = AssetKinds.all

    static let units: [StandardGrouping.Unit] = [.all, .year, .month, .week, .day, .hour]
    static let kinds: [(name: String, kinds: AssetKinds)] = [
        ("all", .all), ("photo", .photo), ("jpeg", .jpeg), ("png", .png), ("screenshot", .screenshot),
        ("video", .video),
    ]

    /// Reads group, by, order and show; what is not there is as it usually is.
    ///
    /// - Throws: `Failure` where one says what there is not.
    init(_ call: Call) throws(Failure) {
        if let text = call.value("group") {
            guard let group = AssetGroup.ID(addressed: text) else { throw .noGroup }
            self.group = group
        }
        if let text = call.value("by") {
            unit = try Self.choice(text, "by", Self.units.map { ($0.rawValue, $0) })
        }
        if let text = call.value("order") {
            order = try Self.choice(text, "order", DateSorter.Order.allCases.map { ($0.rawValue, $0) })
        }
        if let text = call.value("show") {
            kinds = try Self.choice(text, "show", Self.kinds.map { ($0.name, $0.kinds) })
        }
    }

    private static func choice<Value>(
        _ text: String, _ name: String, _ values: [(String, Value)]
    ) throws(Failure) -> Value {
        if let value = values.first(where: { $0.0 == text }) { return value.1 }
        throw Failure(.badRequest, "\(name)= is one of \(values.map(\.0).joined(separator: ", "))")
    }

    /// The same as it stands in addresses.
    var query: String {
        let show = Self.kinds.first { $0.kinds == kinds }?.name ?? "all"
        return "group=\(group.addressed)&by=\(unit.rawValue)&order=\(order.rawValue)&show=\(show)"
    }

    func collection(of library: PhotoLibrary) -> AssetCollection {
        library.collection(
            of: group, grouping: StandardGrouping(unit), filter: kinds,
            sorter: DateSorter(entries: order, assets: order))
    }
}

extension AssetGroup.ID {
    /// "all", "picks", "album-3" or "folder-12".
    var addressed: String {
        switch self {
        case .all: "all"
        case .picks: "picks"
        case .album(let id): "album-\(id)"
        case .folder(let id): "folder-\(id)"
        }
    }

    init?(addressed text: String) {
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

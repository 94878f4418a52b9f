internal import GRDB
internal import Places

/// Selects the assets of a collection.
///
/// The catalog evaluates the filters of this module. Filters of a program are called for every asset.
public protocol AssetFilter: Sendable {
    /// Whether the collection includes an asset.
    func includes(_ asset: Asset) -> Bool
}

extension AssetKinds: AssetFilter {
    /// Whether the asset is any of these.
    public func includes(_ asset: Asset) -> Bool { !isDisjoint(with: asset.kinds) }
}

extension AssetKinds {
    /// The kinds by their names, with what menus call them.
    package static let named: [(name: String, title: String, kinds: AssetKinds)] = [
        ("jpeg", "JPEG", .jpeg), ("png", "PNG", .png), ("photo", "Photo", .photo), ("video", "Video", .video),
        ("screenshot", "Screenshot", .screenshot), ("motion", "Motion", .motion),
        ("panorama", "Panorama", .panorama), ("all", "All", .all),
    ]

    /// The names of the kinds, separated by commas.
    package var words: String {
        self == .all ? "all" : Self.named.filter { contains($0.kinds) }.map(\.name).joined(separator: ",")
    }

    /// Reads names in any case that are separated by commas; nil if one of them is unknown.
    package init?(words text: String) {
        let parts = Self.words(in: text)
        let kinds = parts.compactMap { part in Self.named.first { $0.name == part }?.kinds }
        guard kinds.count == parts.count else { return nil }
        self = kinds.reduce([]) { $0.union($1) }
    }

    package static func words(in text: String) -> [Substring] {
        text.lowercased().filter { $0 != " " }.split(separator: ",", omittingEmptySubsequences: false)
    }
}

extension AssetFilter where Self == AssetKinds {
    /// Every asset.
    public static var all: Self { AssetKinds.all }
    /// Still pictures of any format, screenshots included.
    public static var photo: Self { AssetKinds.photo }
    /// Videos of any format.
    public static var video: Self { AssetKinds.video }
    /// Screenshots.
    public static var screenshot: Self { AssetKinds.screenshot }
    /// Photos with a film inside.
    public static var motion: Self { AssetKinds.motion }
    /// Photos whose metadata (GPano) states a panorama.
    public static var panorama: Self { AssetKinds.panorama }
}

extension AssetFilter where Self == AssetQuery {
    /// Raw files of cameras.
    public static var raw: Self { AssetQuery.raw }
}

/// A filter that the catalog can evaluate.
protocol CatalogFilter: AssetFilter {
    /// The condition for rows of `asset`, never NULL; nil if the catalog cannot evaluate the filter.
    var condition: SQL? { get }
    /// The condition for counts: rows `asset` with an hour, kinds and a place; nil if these do not suffice.
    var talliedCondition: SQL? { get }
    /// The keys of hours of which it includes only a part: their assets have to be read.
    var dividedHours: [Int] { get }
    /// Whether the condition depends on the kinds only.
    var asksOnlyForKinds: Bool { get }
    /// Whether the condition depends on the place.
    var asksForPlaces: Bool { get }
}

extension CatalogFilter {
    var talliedCondition: SQL? { nil }
    var dividedHours: [Int] { [] }
    var asksOnlyForKinds: Bool { false }
    var asksForPlaces: Bool { false }
}

extension AssetKinds: CatalogFilter {
    var condition: SQL? { self == .all ? "TRUE" : "asset.kinds & \(rawValue) <> 0" }
    var talliedCondition: SQL? { condition }
    var asksOnlyForKinds: Bool { true }
}

/// Selects the assets that several filters include.
public struct FilterIntersection: AssetFilter {
    private let filters: [any AssetFilter]

    /// Creates an intersection; without filters it includes every asset.
    public init(_ filters: [any AssetFilter]) { self.filters = filters }

    /// Whether all filters include an asset.
    public func includes(_ asset: Asset) -> Bool { filters.allSatisfy { $0.includes(asset) } }
}

extension FilterIntersection: CatalogFilter {
    var condition: SQL? { joined(\.condition) }
    var talliedCondition: SQL? { joined(\.talliedCondition) }
    var asksOnlyForKinds: Bool {
        filters.allSatisfy { ($0 as? any CatalogFilter)?.asksOnlyForKinds ?? false }
    }
    var dividedHours: [Int] {
        Set(filters.flatMap { ($0 as? any CatalogFilter)?.dividedHours ?? [] }).sorted()
    }
    var asksForPlaces: Bool {
        filters.contains { ($0 as? any CatalogFilter)?.asksForPlaces ?? false }
    }

    /// The conditions of all filters; nil if one has none.
    private func joined(_ part: (any CatalogFilter) -> SQL?) -> SQL? {
        let conditions = filters.compactMap { ($0 as? any CatalogFilter).flatMap(part) }
        guard conditions.count == filters.count else { return nil }
        return conditions.isEmpty ? "TRUE" : "(\(conditions.joined(separator: " AND ")))"
    }
}

/// Selects assets by a part of the name of their place or its country, ignoring case.
public struct PlaceFilter: AssetFilter, Hashable {
    private let text: String

    /// Creates a filter for a part of a name; an empty text includes every asset with a place.
    public init(containing text: String) { self.text = text.lowercased() }

    /// Whether the place of an asset contains the text.
    public func includes(_ asset: Asset) -> Bool { asset.place.map { Self.holds($0, text) } ?? false }

    private static func holds(_ name: String, _ text: String) -> Bool {
        name.lowercased().contains(text)
            || Country(ofPlace: name)?.names.lowercased().contains(text) ?? false
    }
}

extension PlaceFilter: CatalogFilter {
    var condition: SQL? {
        """
        (asset.place IS NOT NULL AND asset.place IN (SELECT id FROM place WHERE placeHolds(name, \(text))))
        """
    }
    var talliedCondition: SQL? { condition }
    var asksForPlaces: Bool { true }

    /// The SQL function that searches a name; SQLite itself ignores only the case of ASCII.
    static let placeHolds = DatabaseFunction("placeHolds", argumentCount: 2, pure: true) { values in
        guard let name = String.fromDatabaseValue(values[0]), let text = String.fromDatabaseValue(values[1])
        else { return nil }
        return holds(name, text)
    }
}

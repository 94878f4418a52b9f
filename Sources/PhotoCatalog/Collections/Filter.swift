internal import GRDB

/// Selects the assets that a collection shows.
///
/// The catalog evaluates the filters of this module. A filter of the client is asked about every asset.
public protocol AssetFilter: Sendable {
    /// Whether the collection shows an asset.
    func includes(_ asset: Asset) -> Bool
}

extension AssetKinds: AssetFilter {
    /// Whether the asset is any of these.
    public func includes(_ asset: Asset) -> Bool { !isDisjoint(with: asset.kinds) }
}

extension AssetFilter where Self == AssetKinds {
    /// Every asset.
    public static var all: Self { AssetKinds.all }
    /// Still pictures, screenshots included.
    public static var photo: Self { AssetKinds.photo }
    /// Videos.
    public static var video: Self { AssetKinds.video }
    /// JPEG files.
    public static var jpeg: Self { AssetKinds.jpeg }
    /// PNG files.
    public static var png: Self { AssetKinds.png }
    /// Pictures of a screen.
    public static var screenshot: Self { AssetKinds.screenshot }
}

/// A filter that the catalog can evaluate.
protocol CatalogFilter: AssetFilter {
    /// What holds for the rows of `asset` that it includes, never NULL; nil where the catalog cannot say so.
    var condition: SQL? { get }
    /// What holds for what is counted of the assets that it includes, in rows `asset` of an hour, kinds and a place;
    /// nil where these do not tell.
    var talliedCondition: SQL? { get }
    /// The hours' keys of which it includes some assets and others not: these have to be looked at themselves.
    var dividedHours: [Int] { get }
    /// Whether the kinds alone tell.
    var asksOnlyForKinds: Bool { get }
    /// Whether the hour and the kinds do not tell.
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

/// Selects the assets that all of several filters include.
public struct FilterIntersection: AssetFilter {
    private let filters: [any AssetFilter]

    /// Creates a filter of filters; without any, it includes every asset.
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

    /// All of the filters' conditions; nil where one has none.
    private func joined(_ part: (any CatalogFilter) -> SQL?) -> SQL? {
        let conditions = filters.compactMap { ($0 as? any CatalogFilter).flatMap(part) }
        guard conditions.count == filters.count else { return nil }
        return conditions.isEmpty ? "TRUE" : "(\(conditions.joined(separator: " AND ")))"
    }
}

/// Selects assets by a part of the name of their place or its country, ignoring case.
public struct PlaceFilter: AssetFilter, Hashable {
    private let text: String

    /// Creates a filter for a part of a name; the empty text includes every asset that has a place.
    public init(containing text: String) { self.text = text.lowercased() }

    /// Whether the place of an asset has the text in its name.
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

    /// Whether a name holds a text, for the catalog, which knows only the case of ASCII.
    static let placeHolds = DatabaseFunction("placeHolds", argumentCount: 2, pure: true) { values in
        guard let name = String.fromDatabaseValue(values[0]), let text = String.fromDatabaseValue(values[1])
        else { return nil }
        return holds(name, text)
    }
}

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

/// Selects the assets that several filters include.
public struct FilterIntersection: AssetFilter {
    package let filters: [any AssetFilter]

    /// Creates an intersection; without filters it includes every asset.
    public init(_ filters: [any AssetFilter]) { self.filters = filters }

    /// Whether all filters include an asset.
    public func includes(_ asset: Asset) -> Bool { filters.allSatisfy { $0.includes(asset) } }
}

/// Selects assets by a part of the name of their place or its country, ignoring case.
public struct PlaceFilter: AssetFilter, Hashable {
    package let text: String

    /// Creates a filter for a part of a name; an empty text includes every asset with a place.
    public init(containing text: String) { self.text = text.lowercased() }

    /// Whether the place of an asset contains the text.
    public func includes(_ asset: Asset) -> Bool { asset.place.map { Self.holds($0, text) } ?? false }

    package static func holds(_ name: String, _ text: String) -> Bool {
        name.lowercased().contains(text)
            || Country(ofPlace: name)?.names.lowercased().contains(text) ?? false
    }
}

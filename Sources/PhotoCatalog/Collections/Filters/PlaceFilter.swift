internal import GRDB

/// The assets at places whose names, or the names of their countries, hold a text, whatever its case.
public struct PlaceFilter: Filter, Hashable {
    private let text: String

    public init(containing text: String) { self.text = text.lowercased() }

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

/// An entry of a collection: assets with one key.
public struct AssetEntry: Hashable, Sendable {
    /// Nil for assets that have none, as undated ones.
    public var key: EntryKey?
    /// How many assets of the entry the collection shows.
    public var count: Int

    public init(key: EntryKey?, count: Int) {
        self.key = key
        self.count = count
    }
}

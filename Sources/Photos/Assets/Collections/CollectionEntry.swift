internal import Basics

/// An entry of a collection: assets with one key.
public struct CollectionEntry: Hashable, Sendable {
    /// The common key of the assets; nil for assets without a key, such as undated ones.
    public var key: EntryKey?
    /// The number of assets in the entry that the filter includes.
    public var count: Int

    package init(key: EntryKey?, count: Int) {
        self.key = key
        self.count = count
    }
}

extension CollectionEntry: CustomStringConvertible {
    /// The key and the number of assets: "201405: 31 assets".
    public var description: String { "\(key?.description ?? "no key"): \(count.counted("asset"))" }
}

/// The position of an asset in a collection: the entry, and the asset in it, both from 0.
public struct AssetIndexPath: Hashable, Codable, Sendable {
    /// The index of the entry.
    public var entry: Int
    /// The index of the asset in the entry.
    public var asset: Int

    /// Creates an index path.
    package init(entry: Int, asset: Int) {
        self.entry = entry
        self.asset = asset
    }
}

extension AssetIndexPath: Comparable {
    /// Compares entries, then assets.
    public static func < (a: AssetIndexPath, b: AssetIndexPath) -> Bool {
        (a.entry, a.asset) < (b.entry, b.asset)
    }
}

extension AssetIndexPath: CustomStringConvertible {
    /// "2.31" for the asset 31 of the entry 2.
    public var description: String { "\(entry).\(asset)" }
}

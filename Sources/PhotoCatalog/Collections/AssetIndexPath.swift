/// Where an asset stands in a collection: the entry, and the place in it; both count from 0.
public struct AssetIndexPath: Hashable, Sendable {
    public var entry: Int
    public var asset: Int

    public init(entry: Int, asset: Int) {
        self.entry = entry
        self.asset = asset
    }
}

extension AssetIndexPath: Comparable {
    public static func < (a: AssetIndexPath, b: AssetIndexPath) -> Bool {
        (a.entry, a.asset) < (b.entry, b.asset)
    }
}

extension AssetIndexPath: CustomStringConvertible {
    public var description: String { "\(entry).\(asset)" }
}

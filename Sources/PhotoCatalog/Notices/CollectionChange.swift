/// What has happened to a collection, good enough to bring a list up to date without loading it again.
///
/// To turn the old list into the new one: take out `removed` and the old places of `moved`, then
/// `deletedEntries`; put in `insertedEntries`, then `inserted` and the new places of `moved` in ascending order;
/// then show `updated` anew.
public struct CollectionChange: Equatable, Sendable {
    public struct Move: Hashable, Sendable {
        public var from: AssetIndexPath
        public var to: AssetIndexPath

        public init(from: AssetIndexPath, to: AssetIndexPath) {
            self.from = from
            self.to = to
        }
    }

    /// The collection before and after.
    public var before: Arrangement
    public var after: Arrangement
    /// Whether more has changed than is told one by one: then the rest is empty.
    public var isReload = false
    /// Places of entries in the old list, ascending.
    public var deletedEntries: [Int] = []
    /// Places of entries in the new list, ascending.
    public var insertedEntries: [Int] = []
    /// Old places of assets that are shown no more, ascending.
    public var removed: [AssetIndexPath] = []
    /// New places of assets that were not shown before, ascending.
    public var inserted: [AssetIndexPath] = []
    /// Assets that changed their place among those that stayed, by their new places.
    public var moved: [Move] = []
    /// New places of assets of which something else changed, ascending.
    public var updated: [AssetIndexPath] = []
}

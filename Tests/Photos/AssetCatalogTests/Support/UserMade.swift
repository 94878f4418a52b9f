import PhotoCatalog

/// Criteria that the catalog cannot evaluate, with the same results as the standard ones.
struct UserMadeGrouping: AssetGrouping {
    var base: any AssetGrouping
    func key(of asset: Asset) -> EntryKey? { base.key(of: asset) }
}

struct UserMadeFilter: AssetFilter {
    var base: any AssetFilter
    func includes(_ asset: Asset) -> Bool { base.includes(asset) }
}

struct UserMadeSorter: AssetSorter {
    var base: any AssetSorter
    func areInOrder(_ first: Asset, _ second: Asset) -> Bool { base.areInOrder(first, second) }
    func areInOrder(_ first: EntryKey?, _ second: EntryKey?) -> Bool { base.areInOrder(first, second) }
}

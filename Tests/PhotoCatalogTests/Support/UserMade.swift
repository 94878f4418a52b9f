import PhotoCatalog

/// Criteria that the catalog does not know, though they do the same as standard ones.
struct UserMadeGrouping: Grouping {
    var base: any Grouping
    func key(of asset: Asset) -> EntryKey? { base.key(of: asset) }
}

struct UserMadeFilter: Filter {
    var base: any Filter
    func includes(_ asset: Asset) -> Bool { base.includes(asset) }
}

struct UserMadeSorter: Sorter {
    var base: any Sorter
    func areInOrder(_ first: Asset, _ second: Asset) -> Bool { base.areInOrder(first, second) }
    func areInOrder(_ first: EntryKey?, _ second: EntryKey?) -> Bool { base.areInOrder(first, second) }
}

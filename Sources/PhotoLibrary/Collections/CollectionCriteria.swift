/// What makes a collection: which assets, how they are grouped, which of them are shown and in what order.
struct CollectionCriteria: Sendable {
    let source: AssetGroup.ID
    let grouping: any Grouping
    var filter: any Filter
    var sorter: any Sorter
    var omitsEmptyEntries: Bool

    /// The same as a query where all of it is standard, so that the catalogue can answer page by page.
    var query: CollectionQuery? {
        guard let grouping = (grouping as? StandardGrouping)?.unit, let sorter = sorter as? DateSorter,
            let condition = (filter as? any CatalogueFilter)?.condition
        else { return nil }
        return CollectionQuery(
            source: source, grouping: grouping, kinds: filter as? AssetKinds, condition: condition,
            sorter: sorter, omitsEmptyEntries: omitsEmptyEntries)
    }
}

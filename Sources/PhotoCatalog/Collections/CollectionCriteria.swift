internal import GRDB

/// What makes a collection: which assets, how they are grouped, which of them are shown and in what order.
struct CollectionCriteria: Sendable {
    let source: AssetGroup.ID
    let grouping: any Grouping
    var filter: any Filter
    var sorter: any Sorter
    var omitsEmptyEntries: Bool

    /// The same as a query where all of it is standard, so that the catalog can answer page by page.
    var query: CollectionQuery? {
        let isStandard = grouping is StandardGrouping && sorter is DateSorter && catalogFilter != nil
        return isStandard ? nearestQuery : nil
    }

    /// A query with all that is standard: the rest has to be asked for every asset.
    var nearestQuery: CollectionQuery {
        let (filter, condition) = catalogFilter ?? (AssetKinds.all, "TRUE")
        return CollectionQuery(
            source: source, grouping: (grouping as? StandardGrouping)?.unit ?? .all, filter: filter,
            condition: condition, sorter: sorter as? DateSorter ?? .dateAscending,
            omitsEmptyEntries: omitsEmptyEntries)
    }

    /// The filter and its condition; nil where it has none.
    var catalogFilter: (filter: any CatalogFilter, condition: SQL)? {
        guard let filter = filter as? any CatalogFilter, let condition = filter.condition else {
            return nil
        }
        return (filter, condition)
    }
}

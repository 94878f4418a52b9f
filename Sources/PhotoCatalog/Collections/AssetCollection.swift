internal import Synchronization

/// The assets of a group, arranged into entries by a grouping, then a filter, then a sorter.
///
/// Group and grouping are fixed; the filter and the sorter can be changed at any time. Questions are answered from
/// the catalog as it is at that moment, page by page; who needs an order that holds still takes an `arrangement`
/// and keeps it up to date with `changes`.
public final class AssetCollection: Sendable {
    public let library: PhotoLibrary
    private let state: Mutex<State>

    private struct State {
        var criteria: CollectionCriteria
        /// Grows with every change of the criteria.
        var version = 0
        /// The last arrangement of a collection that the catalog cannot answer page by page.
        var kept: Arrangement?
    }

    init(_ library: PhotoLibrary, _ criteria: CollectionCriteria) {
        self.library = library
        state = Mutex(State(criteria: criteria))
    }

    var criteria: CollectionCriteria { state.withLock { $0.criteria } }
    var version: Int { state.withLock { $0.version } }

    /// An arrangement of these criteria, for as long as neither they nor the catalog change.
    var kept: Arrangement? { state.withLock { $0.kept } }

    /// Keeps an arrangement that was made when the criteria had this version.
    func keep(_ arrangement: Arrangement, _ version: Int) {
        state.withLock { if $0.version == version { $0.kept = arrangement } }
    }

    /// The group that the assets belong to.
    public var source: AssetGroup.ID { criteria.source }
    public var grouping: any Grouping { criteria.grouping }

    /// Which assets are shown.
    public var filter: any Filter {
        get { criteria.filter }
        set { change { $0.filter = newValue } }
    }

    /// The order of the entries, and of the assets in them.
    public var sorter: any Sorter {
        get { criteria.sorter }
        set { change { $0.sorter = newValue } }
    }

    /// Whether entries are left out of which the filter leaves no asset.
    public var omitsEmptyEntries: Bool {
        get { criteria.omitsEmptyEntries }
        set { change { $0.omitsEmptyEntries = newValue } }
    }

    private func change(_ body: (inout CollectionCriteria) -> Void) {
        state.withLock { state in
            body(&state.criteria)
            state.version += 1
            state.kept = nil
        }
    }
}

extension PhotoLibrary {
    /// The assets of a group, arranged.
    ///
    /// Nothing is loaded before something is asked for.
    public func collection(
        of group: AssetGroup.ID = .all, grouping: some Grouping = .all, filter: some Filter = .all,
        sorter: some Sorter = .dateAscending, omitsEmptyEntries: Bool = true
    ) -> AssetCollection {
        AssetCollection(
            self,
            CollectionCriteria(
                source: group, grouping: grouping, filter: filter, sorter: sorter,
                omitsEmptyEntries: omitsEmptyEntries))
    }
}

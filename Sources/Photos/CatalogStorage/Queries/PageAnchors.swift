internal import Assets
internal import Files
internal import Synchronization

/// Positions of some assets in the pages that were read, so that a page deep in an entry is found by its key.
///
/// Without them, the page at position 900,000 reads 900,000 rows of an index first. They are valid for one state of
/// the catalog, and take about 100 bytes for each 512 assets that were paged over.
package final class PageAnchors: Sendable {
    package init() {}

    /// The sort key of the asset at `position`: the next asset is at `position + 1`.
    struct Anchor: Sendable {
        var position: Int
        var instant: Int
        var fraction: Int
        var path: String
    }

    private struct State {
        /// The last change of the catalog that they include.
        var sequence = -1
        /// By the bytes of the query and its arguments, such as the name of a place.
        var lists: [FilePath: [Anchor]] = [:]
    }

    private let state = Mutex(State())

    /// The number of assets between two anchors, and the most that are skipped before a page.
    static let stride = 512
    /// The number of different entries and filters that have anchors at the same time.
    private static let capacity = 16

    /// Returns the last anchor of a list before a position; nil if there is none.
    func anchor(before position: Int, in list: FilePath, _ sequence: Int) -> Anchor? {
        state.withLock { state in
            guard state.sequence == sequence, let anchors = state.lists[list] else { return nil }
            let end = anchors.partitioningIndex { $0.position >= position }
            return end > 0 ? anchors[end - 1] : nil
        }
    }

    /// Appends anchors that follow those of the list.
    func append(_ anchors: [Anchor], to list: FilePath, _ sequence: Int) {
        guard !anchors.isEmpty else { return }
        state.withLock { state in
            if state.sequence != sequence { state = State(sequence: sequence) }
            if state.lists[list] == nil, state.lists.count >= Self.capacity { state.lists = [:] }
            let last = state.lists[list]?.last?.position ?? -1
            state.lists[list, default: []] += anchors.filter { $0.position > last }
        }
    }
}

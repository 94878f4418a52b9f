public import ScrollModel
public import ViewportGeometry

/// A delegate that forwards every call to any number of delegates, and to closures.
///
/// ```swift
/// let relay = DelegateRelay(logger, loader)
/// relay.onReachBottom = { $0.addContent(400, at: .bottom) }
/// list.delegate = relay
/// ```
///
/// Delegates are held weakly and called in the order in which they were added; closures follow. A delegate that is added
/// during a call receives the next one; a delegate that is removed receives no more. Results are merged:
///
/// - `viewForZooming`: the first that is not nil. Later delegates are not asked.
/// - `scrollViewShouldScrollToTop`: all must agree, and all are asked.
/// - `scrollViewWillEndDragging`: each sees the target that the previous ones have set.
///
/// The view does not depend on the relay: without it, the view behaves as without a delegate.
@MainActor
public final class DelegateRelay: ScrollViewDelegate {
    private struct Entry {
        weak var delegate: (any ScrollViewDelegate)?
    }

    private var entries: [Entry] = []

    /// Called when the offset changed.
    public var onScroll: ((DelegatedScrollView) -> Void)?
    /// Called when the zoom scale changed.
    public var onZoom: ((DelegatedScrollView) -> Void)?
    /// Called when the top is reached.
    public var onReachTop: ((DelegatedScrollView) -> Void)?
    /// Called when the left edge is reached.
    public var onReachLeft: ((DelegatedScrollView) -> Void)?
    /// Called when the bottom is reached.
    public var onReachBottom: ((DelegatedScrollView) -> Void)?
    /// Called when the right edge is reached.
    public var onReachRight: ((DelegatedScrollView) -> Void)?

    /// Creates a relay to some delegates.
    public init(_ delegates: any ScrollViewDelegate...) {
        for delegate in delegates { add(delegate) }
    }

    /// The delegates that are alive, in order.
    public var delegates: [any ScrollViewDelegate] { entries.compactMap(\.delegate) }

    /// Adds a delegate behind the others, unless it is there already, or is the relay itself.
    public func add(_ delegate: any ScrollViewDelegate) {
        entries.removeAll { $0.delegate == nil }
        guard delegate !== self, !contains(delegate) else { return }
        entries.append(Entry(delegate: delegate))
    }

    /// Removes a delegate.
    public func remove(_ delegate: any ScrollViewDelegate) {
        entries.removeAll { $0.delegate == nil || $0.delegate === delegate }
    }

    private func contains(_ delegate: any ScrollViewDelegate) -> Bool {
        entries.contains { $0.delegate === delegate }
    }

    /// Calls the delegates, except those that are removed during the calls.
    private func forward(_ call: (any ScrollViewDelegate) -> Void) {
        for delegate in delegates where contains(delegate) { call(delegate) }
    }

    // MARK: ScrollViewDelegate

    public func scrollViewDidScroll(_ scrollView: DelegatedScrollView) {
        forward { $0.scrollViewDidScroll(scrollView) }
        onScroll?(scrollView)
    }

    public func scrollViewDidZoom(_ scrollView: DelegatedScrollView) {
        forward { $0.scrollViewDidZoom(scrollView) }
        onZoom?(scrollView)
    }

    public func scrollViewWillBeginDragging(_ scrollView: DelegatedScrollView) {
        forward { $0.scrollViewWillBeginDragging(scrollView) }
    }

    public func scrollViewWillEndDragging(
        _ scrollView: DelegatedScrollView, withVelocity velocity: Velocity,
        targetContentOffset: inout Point<ContentSpace>
    ) {
        var target = targetContentOffset
        forward {
            $0.scrollViewWillEndDragging(scrollView, withVelocity: velocity, targetContentOffset: &target)
        }
        targetContentOffset = target
    }

    public func scrollViewDidEndDragging(_ scrollView: DelegatedScrollView, willDecelerate decelerate: Bool) {
        forward { $0.scrollViewDidEndDragging(scrollView, willDecelerate: decelerate) }
    }

    public func scrollViewWillBeginDecelerating(_ scrollView: DelegatedScrollView) {
        forward { $0.scrollViewWillBeginDecelerating(scrollView) }
    }

    public func scrollViewDidEndDecelerating(_ scrollView: DelegatedScrollView) {
        forward { $0.scrollViewDidEndDecelerating(scrollView) }
    }

    public func scrollViewDidEndScrollingAnimation(_ scrollView: DelegatedScrollView) {
        forward { $0.scrollViewDidEndScrollingAnimation(scrollView) }
    }

    public func viewForZooming(in scrollView: DelegatedScrollView) -> View? {
        for delegate in delegates where contains(delegate) {
            if let view = delegate.viewForZooming(in: scrollView) { return view }
        }
        return nil
    }

    public func scrollViewWillBeginZooming(_ scrollView: DelegatedScrollView, with view: View?) {
        forward { $0.scrollViewWillBeginZooming(scrollView, with: view) }
    }

    public func scrollViewDidEndZooming(
        _ scrollView: DelegatedScrollView, with view: View?, atScale scale: Double
    ) {
        forward { $0.scrollViewDidEndZooming(scrollView, with: view, atScale: scale) }
    }

    public func scrollViewShouldScrollToTop(_ scrollView: DelegatedScrollView) -> Bool {
        var agrees = true
        forward { if !$0.scrollViewShouldScrollToTop(scrollView) { agrees = false } }
        return agrees
    }

    public func scrollViewDidScrollToTop(_ scrollView: DelegatedScrollView) {
        forward { $0.scrollViewDidScrollToTop(scrollView) }
    }

    public func scrollViewDidChangeAdjustedContentInset(_ scrollView: DelegatedScrollView) {
        forward { $0.scrollViewDidChangeAdjustedContentInset(scrollView) }
    }

    public func scrollView(_ scrollView: DelegatedScrollView, didReachEdge edge: RectEdge) {
        forward { $0.scrollView(scrollView, didReachEdge: edge) }
        let closure =
            switch edge {
            case .top: onReachTop
            case .left: onReachLeft
            case .bottom: onReachBottom
            case .right: onReachRight
            }
        closure?(scrollView)
    }
}

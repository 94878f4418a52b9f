public import ScrollModel
public import ViewportGeometry

/// Receives the events of a ``DelegatedScrollView``, with the methods of UIScrollViewDelegate.
///
/// All methods are optional. They are called after the operation that caused the events, in the order of the events;
/// operations in a method are performed at once, and their events are delivered before the rest.
@MainActor
public protocol ScrollViewDelegate: AnyObject {
    /// The offset changed.
    func scrollViewDidScroll(_ scrollView: DelegatedScrollView)
    /// The zoom scale changed.
    func scrollViewDidZoom(_ scrollView: DelegatedScrollView)
    /// A finger starts to drag the content.
    func scrollViewWillBeginDragging(_ scrollView: DelegatedScrollView)
    /// The finger is lifted; the content will come to rest at the target, which may be changed.
    ///
    /// - Parameter velocity: points per *millisecond*.
    func scrollViewWillEndDragging(
        _ scrollView: DelegatedScrollView, withVelocity velocity: Velocity,
        targetContentOffset: inout Point<ContentSpace>)
    /// The drag has ended.
    func scrollViewDidEndDragging(_ scrollView: DelegatedScrollView, willDecelerate decelerate: Bool)
    /// Deceleration begins.
    func scrollViewWillBeginDecelerating(_ scrollView: DelegatedScrollView)
    /// The content has come to rest.
    func scrollViewDidEndDecelerating(_ scrollView: DelegatedScrollView)
    /// An animation has ended.
    func scrollViewDidEndScrollingAnimation(_ scrollView: DelegatedScrollView)
    /// Returns the view that zooming scales, which the next two methods receive; nil for none.
    ///
    /// Unlike in UIKit, nil does not prevent zooming: the limits of the scale do.
    func viewForZooming(in scrollView: DelegatedScrollView) -> View?
    /// A zoom begins.
    func scrollViewWillBeginZooming(_ scrollView: DelegatedScrollView, with view: View?)
    /// The zoom has ended, including the bounce.
    func scrollViewDidEndZooming(_ scrollView: DelegatedScrollView, with view: View?, atScale scale: Double)
    /// Returns whether a tap on the status bar scrolls to the top.
    func scrollViewShouldScrollToTop(_ scrollView: DelegatedScrollView) -> Bool
    /// The content has arrived at the top after a tap on the status bar.
    func scrollViewDidScrollToTop(_ scrollView: DelegatedScrollView)
    /// The content inset changed, or the part of the safe area that is added to it.
    func scrollViewDidChangeAdjustedContentInset(_ scrollView: DelegatedScrollView)
    /// The offset reached an edge; called once per arrival, and again after content was added there.
    ///
    /// Not a method of UIScrollViewDelegate.
    func scrollView(_ scrollView: DelegatedScrollView, didReachEdge edge: RectEdge)
}

extension ScrollViewDelegate {
    /// Does nothing.
    public func scrollViewDidScroll(_ scrollView: DelegatedScrollView) {}
    /// Does nothing.
    public func scrollViewDidZoom(_ scrollView: DelegatedScrollView) {}
    /// Does nothing.
    public func scrollViewWillBeginDragging(_ scrollView: DelegatedScrollView) {}
    /// Keeps the target.
    public func scrollViewWillEndDragging(
        _ scrollView: DelegatedScrollView, withVelocity velocity: Velocity,
        targetContentOffset: inout Point<ContentSpace>
    ) {}
    /// Does nothing.
    public func scrollViewDidEndDragging(
        _ scrollView: DelegatedScrollView, willDecelerate decelerate: Bool
    ) {}
    /// Does nothing.
    public func scrollViewWillBeginDecelerating(_ scrollView: DelegatedScrollView) {}
    /// Does nothing.
    public func scrollViewDidEndDecelerating(_ scrollView: DelegatedScrollView) {}
    /// Does nothing.
    public func scrollViewDidEndScrollingAnimation(_ scrollView: DelegatedScrollView) {}
    /// Returns nil.
    public func viewForZooming(in scrollView: DelegatedScrollView) -> View? { nil }
    /// Does nothing.
    public func scrollViewWillBeginZooming(_ scrollView: DelegatedScrollView, with view: View?) {}
    /// Does nothing.
    public func scrollViewDidEndZooming(
        _ scrollView: DelegatedScrollView, with view: View?, atScale scale: Double
    ) {}
    /// Returns true.
    public func scrollViewShouldScrollToTop(_ scrollView: DelegatedScrollView) -> Bool { true }
    /// Does nothing.
    public func scrollViewDidScrollToTop(_ scrollView: DelegatedScrollView) {}
    /// Does nothing.
    public func scrollViewDidChangeAdjustedContentInset(_ scrollView: DelegatedScrollView) {}
    /// Does nothing.
    public func scrollView(_ scrollView: DelegatedScrollView, didReachEdge edge: RectEdge) {}
}

public import ViewportGeometry

/// Something that happened to a scroll view, in the words of UIScrollViewDelegate.
@frozen
public enum ScrollEvent: Equatable, Sendable {
    /// The offset changed.
    case didScroll
    /// The zoom scale changed; it follows the `didScroll` of the same change.
    case didZoom
    /// A finger starts to drag the content.
    case willBeginDragging
    /// The finger leaves at `velocity`, in points per *millisecond*; the content will come to rest at
    /// `target`.
    case willEndDragging(velocity: Velocity, target: Point<ContentSpace>)
    /// The finger has left.
    case didEndDragging(willDecelerate: Bool)
    /// The content goes on by itself.
    case willBeginDecelerating
    /// The content has come to rest, or was caught.
    case didEndDecelerating
    /// A pinch or an animated change of the zoom begins.
    case willBeginZooming
    /// It is over, bounces included; the scale lies within the limits.
    case didEndZooming(atScale: Double)
    /// An animated change has arrived, or another took its place.
    case didEndScrollingAnimation
    /// The content inset or the safe area changed.
    case didChangeAdjustedContentInset
    /// The offset arrived at an edge of its range: once per arrival.
    case reachedEdge(RectEdge)
}

extension ScrollEvent {
    /// The event's name in logs: that of the delegate's method without `scrollView`.
    public var name: StaticString {
        switch self {
        case .didScroll: "didScroll"
        case .didZoom: "didZoom"
        case .willBeginDragging: "willBeginDragging"
        case .willEndDragging: "willEndDragging"
        case .didEndDragging: "didEndDragging"
        case .willBeginDecelerating: "willBeginDecelerating"
        case .didEndDecelerating: "didEndDecelerating"
        case .willBeginZooming: "willBeginZooming"
        case .didEndZooming: "didEndZooming"
        case .didEndScrollingAnimation: "didEndScrollingAnimation"
        case .didChangeAdjustedContentInset: "didChangeAdjustedContentInset"
        case .reachedEdge: "reachedEdge"
        }
    }
}

import ScrollModel
import ViewportGeometry

// The values that a page reads and sets by name. It reads the names when it loads the module and derives the
// indices for its calls from them: see `tables` in Sources/Serving/ViewerPages/Assets/scroll-view.js. WebModuleTests
// compares every name with the model, so that names and values cannot get out of step.

/// The numbers of the state as a page reads them from memory: 64-bit floating-point numbers only.
private struct State {
    var contentOffset = Point<ContentSpace>.zero
    var zoomScale = 0.0
    var contentSize = Size<ContentSpace>.zero
    var visibleRect = Rect<ImageSpace>.zero
    var restingRect = Rect<ImageSpace>.zero
    var limits = (least: Point<ContentSpace>.zero, greatest: Point<ContentSpace>.zero)
    var adjustedContentInset = EdgeInsets.zero
    var flags = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    var time = 0.0
    var scales = (least: 0.0, greatest: 0.0, fitting: 0.0)
    var center = Point<ImageSpace>.zero
    var zoom = 0.0
    var rotation = 0.0
    var verticalScrollIndicator = Rect<ViewSpace>.zero
    var horizontalScrollIndicator = Rect<ViewSpace>.zero

    /// The names of the numbers, in the order of the properties.
    static let names: StaticString = """
        contentOffset.x contentOffset.y zoomScale contentSize.width contentSize.height \
        visibleRect.x visibleRect.y visibleRect.width visibleRect.height \
        restingRect.x restingRect.y restingRect.width restingRect.height \
        minimumContentOffset.x minimumContentOffset.y maximumContentOffset.x maximumContentOffset.y \
        adjustedContentInset.top adjustedContentInset.left adjustedContentInset.bottom \
        adjustedContentInset.right isTracking isDragging isDecelerating isZooming isZoomBouncing isAnimating \
        time minimumZoomScale maximumZoomScale fittingZoomScale \
        archive.center.x archive.center.y archive.zoom archive.rotation \
        verticalScrollIndicator.x verticalScrollIndicator.y \
        verticalScrollIndicator.width verticalScrollIndicator.height \
        horizontalScrollIndicator.x horizontalScrollIndicator.y \
        horizontalScrollIndicator.width horizontalScrollIndicator.height
        """

    mutating func read(_ view: borrowing ScrollView) {
        contentOffset = view.contentOffset
        zoomScale = view.zoomScale
        contentSize = view.contentSize
        visibleRect = view.visibleRect
        restingRect = view.projectedRestingState.visibleRect
        limits = (view.minimumContentOffset, view.maximumContentOffset)
        adjustedContentInset = view.adjustedContentInset
        flags = (
            number(view.isTracking), number(view.isDragging), number(view.isDecelerating),
            number(view.isZooming), number(view.isZoomBouncing), number(view.isAnimating)
        )
        time = view.time
        scales = (view.minimumZoomScale, view.maximumZoomScale, view.fittingZoomScale)
        let archive = view.archive
        (center, zoom, rotation) = (archive.center, archive.zoom, archive.rotation)
        verticalScrollIndicator = view.verticalScrollIndicator ?? .zero
        horizontalScrollIndicator = view.horizontalScrollIndicator ?? .zero
    }

    private func number(_ flag: Bool) -> Double { flag ? 1 : 0 }
}

nonisolated(unsafe) private var state = State()

/// Returns the address of the numbers of the state, which are valid until the next call.
@_cdecl("scroll_state") @_expose(wasm, "scroll_state")
public func readState() -> UnsafeRawPointer {
    state.read(view)
    // The address of a global variable stays valid after the closure.
    return withUnsafeBytes(of: &state) { $0.baseAddress! }
}

/// The properties that are a number or a flag.
private enum Property: Int32 {
    case bounces, bouncesHorizontally, bouncesVertically, bouncesZoom
    case alwaysBounceVertical, alwaysBounceHorizontal
    case isPagingEnabled, isDirectionalLockEnabled, isScrollEnabled, scrollsToTop
    case decelerationRate, displayScale, contentRotation, isReversed

    static let names: StaticString = """
        bounces bouncesHorizontally bouncesVertically bouncesZoom \
        alwaysBounceVertical alwaysBounceHorizontal \
        isPagingEnabled isDirectionalLockEnabled isScrollEnabled scrollsToTop \
        decelerationRate displayScale contentRotation isReversed
        """
}

/// Sets a property, a flag to 1 or 0, and returns the number of events.
@_cdecl("scroll_configure") @_expose(wasm, "scroll_configure")
public func configure(_ index: Int32, _ value: Double) -> Int32 {
    guard let property = Property(rawValue: index) else { return report(ScrollEvents()) }
    return report(set(property, value, of: &view))
}

private func set(_ property: Property, _ value: Double, of view: inout ScrollView) -> ScrollEvents {
    let flag = value != 0
    switch property {
    case .bounces: view.bounces = flag
    case .bouncesHorizontally: view.bouncesHorizontally = flag
    case .bouncesVertically: view.bouncesVertically = flag
    case .bouncesZoom: view.bouncesZoom = flag
    case .alwaysBounceVertical: view.alwaysBounceVertical = flag
    case .alwaysBounceHorizontal: view.alwaysBounceHorizontal = flag
    case .isPagingEnabled: view.isPagingEnabled = flag
    case .isDirectionalLockEnabled: view.isDirectionalLockEnabled = flag
    case .isScrollEnabled: view.isScrollEnabled = flag
    case .scrollsToTop: view.scrollsToTop = flag
    case .decelerationRate: view.decelerationRate = DecelerationRate(perMillisecond: value)
    case .displayScale: return view.setRounding(flag ? .pixel(displayScale: value) : .none)
    case .contentRotation: return view.setContentRotation(Rotation(degrees: value))
    case .isReversed: return view.setReversed(flag)
    }
    return ScrollEvents()
}

/// The names of the kinds of events: ``ScrollEvent/name``, followed by a period and a detail for the edge
/// that was reached and for content that will decelerate.
private let eventNames: StaticString = """
    didScroll didZoom willBeginDragging willEndDragging didEndDragging didEndDragging.willDecelerate \
    willBeginDecelerating didEndDecelerating willBeginZooming didEndZooming didEndScrollingAnimation \
    didChangeAdjustedContentInset reachedEdge.top reachedEdge.left reachedEdge.bottom reachedEdge.right \
    shouldScrollToTop didScrollToTop
    """

/// Returns the names of a list, separated by spaces, in the order of their indices.
@_cdecl("scroll_names") @_expose(wasm, "scroll_names")
public func names(_ list: Int32) -> UnsafePointer<UInt8> {
    let names: StaticString =
        switch list {
        case 0: State.names
        case 1: Property.names
        // ``ScrollView/Key``, as `KeyboardEvent.key` names them.
        case 2: "ArrowUp ArrowDown ArrowLeft ArrowRight PageUp PageDown Home End + - 0"
        case 3: "began moved ended cancelled"  // TouchPhase
        case 4: "nearest start center end"  // RectAlignment
        case 5: "automatic scrollableAxes never always"  // ContentInsetAdjustmentBehavior
        default: eventNames
        }
    return names.utf8Start
}

/// Returns the behavior with an index.
func adjustment(_ index: Int32) -> ContentInsetAdjustmentBehavior? {
    switch index {
    case 0: .automatic
    case 1: .scrollableAxes
    case 2: .never
    case 3: .always
    default: nil
    }
}

/// Returns the kind of an event of the last call, an index in its list of names; -1 after the last event.
@_cdecl("scroll_event") @_expose(wasm, "scroll_event")
public func event(_ index: Int32) -> Int32 {
    index >= 0 && index < events.count ? Int32(events.kind(at: Int(index))) : -1
}

import ScrollModel
import ViewportGeometry

// The one list of what the module can be asked by name. A page reads the names when it loads the module and
// finds the numbers for its calls from them, so nothing is kept in step by hand: see `tables` in
// Sources/ViewerPages/Assets/scroll-view.js.

/// Walks through a list up to one entry: entries have no numbers of their own, they are counted.
private struct Cursor {
    /// The number of entries before the requested one.
    var remaining: Int32
    var name: StaticString?
    var result = Double.nan

    init(_ index: Int32) { remaining = index }

    /// Whether the entry is the requested one.
    @inline(never)
    mutating func reaches(_ name: StaticString) -> Bool {
        remaining -= 1
        guard remaining == -1 else { return false }
        self.name = name
        return true
    }

    mutating func callAsFunction(_ name: StaticString, _ number: @autoclosure () -> Double) {
        if reaches(name) { result = number() }
    }

    mutating func callAsFunction(_ name: StaticString, _ isTrue: @autoclosure () -> Bool) {
        if reaches(name) { result = isTrue() ? 1 : 0 }
    }

    /// The name as a C string, nil behind the end of the list.
    var pointer: UnsafePointer<UInt8>? { name?.utf8Start }
}

/// The numbers of the state.
private func value(at index: Int32, of view: inout ScrollView) -> Cursor {
    var entry = Cursor(index)
    entry("contentOffset.x", view.contentOffset.x)
    entry("contentOffset.y", view.contentOffset.y)
    entry("zoomScale", view.zoomScale)
    entry("contentSize.width", view.contentSize.width)
    entry("contentSize.height", view.contentSize.height)
    entry("visibleRect.x", visible(view).minX)
    entry("visibleRect.y", visible(view).minY)
    entry("visibleRect.width", visible(view).width)
    entry("visibleRect.height", visible(view).height)
    entry("minimumContentOffset.x", view.minimumContentOffset.x)
    entry("minimumContentOffset.y", view.minimumContentOffset.y)
    entry("maximumContentOffset.x", view.maximumContentOffset.x)
    entry("maximumContentOffset.y", view.maximumContentOffset.y)
    entry("adjustedContentInset.top", inset(view).top)
    entry("adjustedContentInset.left", inset(view).left)
    entry("adjustedContentInset.bottom", inset(view).bottom)
    entry("adjustedContentInset.right", inset(view).right)
    entry("isTracking", view.isTracking)
    entry("isDragging", view.isDragging)
    entry("isDecelerating", view.isDecelerating)
    entry("isZooming", view.isZooming)
    entry("isZoomBouncing", view.isZoomBouncing)
    entry("isAnimating", view.isAnimating)
    entry("time", view.time)
    entry("minimumZoomScale", view.minimumZoomScale)
    entry("maximumZoomScale", view.maximumZoomScale)
    entry("fittingZoomScale", view.fittingZoomScale)
    entry("restingRect.x", resting(view).minX)
    entry("restingRect.y", resting(view).minY)
    entry("restingRect.width", resting(view).width)
    entry("restingRect.height", resting(view).height)
    entry("archive.center.x", archive(view).center.x)
    entry("archive.center.y", archive(view).center.y)
    entry("archive.zoom", archive(view).zoom)
    entry("archive.rotation", archive(view).rotation)
    entry("verticalScrollIndicator.x", vertical(view).minX)
    entry("verticalScrollIndicator.y", vertical(view).minY)
    entry("verticalScrollIndicator.width", vertical(view).width)
    entry("verticalScrollIndicator.height", vertical(view).height)
    entry("horizontalScrollIndicator.x", horizontal(view).minX)
    entry("horizontalScrollIndicator.y", horizontal(view).minY)
    entry("horizontalScrollIndicator.width", horizontal(view).width)
    entry("horizontalScrollIndicator.height", horizontal(view).height)
    return entry
}

// Not inlined: each of the entries that read one of them would carry a copy.
@inline(never)
private func visible(_ view: ScrollView) -> Rect<ImageSpace> { view.visibleRect }

@inline(never)
private func inset(_ view: ScrollView) -> EdgeInsets { view.adjustedContentInset }

/// The visible rectangle when all that moves has come to rest.
@inline(never)
private func resting(_ view: ScrollView) -> Rect<ImageSpace> { view.projectedRestingState.visibleRect }

@inline(never)
private func archive(_ view: ScrollView) -> ScrollView.Archive { view.archive }

/// The indicators, empty where there is nothing to scroll.
@inline(never)
private func vertical(_ view: ScrollView) -> Rect<ViewSpace> { view.verticalScrollIndicator ?? .zero }

@inline(never)
private func horizontal(_ view: ScrollView) -> Rect<ViewSpace> { view.horizontalScrollIndicator ?? .zero }

extension Cursor {
    /// An entry that sets a yes or no.
    @inline(never)
    mutating func flag(_ name: StaticString, _ value: Double?, _ change: (inout ScrollView, Bool) -> Void) {
        guard reaches(name), let value else { return }
        change(&view, value != 0)
        result = 0
    }

    /// An entry that sets a number.
    @inline(never)
    mutating func number(
        _ name: StaticString, _ value: Double?, _ change: (inout ScrollView, Double) -> ScrollEvents
    ) {
        guard reaches(name), let value else { return }
        result = Double(report(change(&view, value)))
    }
}

/// The properties that are a number or a yes (1) or no (0); nil only names one.
private func property(at index: Int32, set value: Double?) -> Cursor {
    var entry = Cursor(index)
    entry.flag("bounces", value) { $0.bounces = $1 }
    entry.flag("bouncesHorizontally", value) { $0.bouncesHorizontally = $1 }
    entry.flag("bouncesVertically", value) { $0.bouncesVertically = $1 }
    entry.flag("bouncesZoom", value) { $0.bouncesZoom = $1 }
    entry.flag("alwaysBounceVertical", value) { $0.alwaysBounceVertical = $1 }
    entry.flag("alwaysBounceHorizontal", value) { $0.alwaysBounceHorizontal = $1 }
    entry.flag("isPagingEnabled", value) { $0.isPagingEnabled = $1 }
    entry.flag("isDirectionalLockEnabled", value) { $0.isDirectionalLockEnabled = $1 }
    entry.flag("isScrollEnabled", value) { $0.isScrollEnabled = $1 }
    entry.flag("scrollsToTop", value) { $0.scrollsToTop = $1 }
    entry.number("decelerationRate", value) {
        $0.decelerationRate = DecelerationRate(perMillisecond: $1)
        return ScrollEvents()
    }
    entry.number("displayScale", value) { $0.setRounding($1 != 0 ? .pixel(displayScale: $1) : .none) }
    entry.number("contentRotation", value) { $0.setContentRotation(Rotation(degrees: $1)) }
    entry.number("isReversed", value) { $0.setReversed($1 != 0) }
    return entry
}

/// The keys, by their names in `KeyboardEvent.key`, in the order of ``ScrollView/Key``.
private func name(ofKey index: Int32) -> StaticString? {
    guard let key = UInt8(exactly: index).flatMap({ ScrollView.Key(rawValue: $0) }) else { return nil }
    return switch key {
    case .arrowUp: "ArrowUp"
    case .arrowDown: "ArrowDown"
    case .arrowLeft: "ArrowLeft"
    case .arrowRight: "ArrowRight"
    case .pageUp: "PageUp"
    case .pageDown: "PageDown"
    case .home: "Home"
    case .end: "End"
    case .plus: "+"
    case .minus: "-"
    case .zero: "0"
    }
}

/// The number of an entry of the state; NaN for an index behind the end.
@_cdecl("scroll_value") @_expose(wasm, "scroll_value")
public func value(_ index: Int32) -> Double { value(at: index, of: &view).result }

/// Sets a property; returns the number of events.
@_cdecl("scroll_configure") @_expose(wasm, "scroll_configure")
public func configure(_ index: Int32, _ value: Double) -> Int32 {
    let result = property(at: index, set: value).result
    return result == result ? Int32(result) : 0
}

@_cdecl("scroll_value_name") @_expose(wasm, "scroll_value_name")
public func valueName(_ index: Int32) -> UnsafePointer<UInt8>? { value(at: index, of: &view).pointer }

@_cdecl("scroll_property_name") @_expose(wasm, "scroll_property_name")
public func propertyName(_ index: Int32) -> UnsafePointer<UInt8>? { property(at: index, set: nil).pointer }

@_cdecl("scroll_key_name") @_expose(wasm, "scroll_key_name")
public func keyName(_ index: Int32) -> UnsafePointer<UInt8>? { name(ofKey: index)?.utf8Start }

@_cdecl("scroll_phase_name") @_expose(wasm, "scroll_phase_name")
public func phaseName(_ index: Int32) -> UnsafePointer<UInt8>? {
    let name: StaticString? =
        switch UInt8(exactly: index).flatMap({ TouchPhase(rawValue: $0) }) {
        case .began: "began"
        case .moved: "moved"
        case .ended: "ended"
        case .cancelled: "cancelled"
        case nil: nil
        }
    return name?.utf8Start
}

@_cdecl("scroll_alignment_name") @_expose(wasm, "scroll_alignment_name")
public func alignmentName(_ index: Int32) -> UnsafePointer<UInt8>? {
    let name: StaticString? =
        switch UInt8(exactly: index).flatMap({ RectAlignment(rawValue: $0) }) {
        case .nearest: "nearest"
        case .start: "start"
        case .center: "center"
        case .end: "end"
        case nil: nil
        }
    return name?.utf8Start
}

/// The behaviors of the safe area: `scroll_set_safe_area_insets` takes their numbers.
@_cdecl("scroll_adjustment_name") @_expose(wasm, "scroll_adjustment_name")
public func adjustmentName(_ index: Int32) -> UnsafePointer<UInt8>? {
    let name: StaticString? =
        switch adjustment(index) {
        case .automatic: "automatic"
        case .scrollableAxes: "scrollableAxes"
        case .never: "never"
        case .always: "always"
        case nil: nil
        }
    return name?.utf8Start
}

/// The behavior of a number.
func adjustment(_ index: Int32) -> ContentInsetAdjustmentBehavior? {
    switch index {
    case 0: .automatic
    case 1: .scrollableAxes
    case 2: .never
    case 3: .always
    default: nil
    }
}

/// The name of an event of the last call; nil behind the last.
///
/// It is that of ``ScrollEvent/name``, with what a page may want to know behind a point: the edge that was
/// reached, and whether the content will decelerate.
@_cdecl("scroll_event_name") @_expose(wasm, "scroll_event_name")
public func eventName(_ index: Int32) -> UnsafePointer<UInt8>? {
    guard index >= 0, index < events.count else { return nil }
    let name: StaticString =
        switch events[Int(index)] {
        case .reachedEdge(.top): "reachedEdge.top"
        case .reachedEdge(.left): "reachedEdge.left"
        case .reachedEdge(.bottom): "reachedEdge.bottom"
        case .reachedEdge(.right): "reachedEdge.right"
        case .didEndDragging(willDecelerate: true): "didEndDragging.willDecelerate"
        case let event: event.name
        }
    return name.utf8Start
}

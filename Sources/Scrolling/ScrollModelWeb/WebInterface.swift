import ScrollModel
import ViewportGeometry

// The functions that a browser page calls, with numbers as arguments. This folder is not a target of the
// package; `.ci/build-web` compiles it together with ScrollModel for wasm32. An instance of the module is one
// scroll view: a page with several views instantiates the compiled module several times.

/// The scroll view of this instance; nil until `scroll_create`.
// A WebAssembly instance has one thread. Stored as nil, it needs no initializer at run time.
nonisolated(unsafe) private var instance: ScrollView?

/// The scroll view of this instance.
///
/// A call before `scroll_create` traps.
var view: ScrollView {
    get { instance! }
    _modify { yield &instance! }
}

/// The events of the last call.
nonisolated(unsafe) var events = ScrollEvents()

/// Stores the events for the page to read and returns their number.
@inline(never)
func report(_ new: ScrollEvents) -> Int32 {
    events = new
    return Int32(new.count)
}

/// Returns the timing of an animation, or nil, for an immediate change, if the duration is negative.
@inline(never)
func timing(_ seconds: Double) -> Timing? { seconds < 0 ? nil : .easeInOut(duration: seconds) }

@_cdecl("scroll_create") @_expose(wasm, "scroll_create")
public func create(_ width: Double, _ height: Double, _ viewWidth: Double, _ viewHeight: Double) {
    instance = ScrollView(
        bounds: Size(width: width, height: height), viewSize: Size(width: viewWidth, height: viewHeight))
    events = ScrollEvents()
}

@_cdecl("scroll_advance") @_expose(wasm, "scroll_advance")
public func advance(_ time: Double) -> Int32 { report(view.advance(to: time)) }

@_cdecl("scroll_stop") @_expose(wasm, "scroll_stop")
public func stop() -> Int32 { report(view.stop()) }

/// Handles one finger, or two if `count` is 2.
@_cdecl("scroll_touches") @_expose(wasm, "scroll_touches")
public func touches(
    _ phase: Int32, _ count: Int32, _ firstID: Int32, _ firstX: Double, _ firstY: Double, _ secondID: Int32,
    _ secondX: Double, _ secondY: Double
) -> Int32 {
    guard let phase = TouchPhase(rawValue: UInt8(clamping: phase)) else { return report(ScrollEvents()) }
    let first = Touch(id: Int(firstID), location: Point(x: firstX, y: firstY))
    let second = Touch(id: Int(secondID), location: Point(x: secondX, y: secondY))
    return report(view.touches(first, count > 1 ? second : nil, phase: phase))
}

@_cdecl("scroll_wheel") @_expose(wasm, "scroll_wheel")
public func wheel(
    _ dx: Double, _ dy: Double, _ x: Double, _ y: Double, _ zooms: Int32, _ seconds: Double
) -> Int32 {
    report(
        view.wheel(
            dx: dx, dy: dy, at: Point(x: x, y: y), zooms: zooms != 0, animated: timing(seconds)))
}

@_cdecl("scroll_key") @_expose(wasm, "scroll_key")
public func key(_ key: Int32, _ seconds: Double) -> Int32 {
    guard let key = ScrollView.Key(rawValue: UInt8(clamping: key)) else { return report(ScrollEvents()) }
    return report(view.press(key, animated: timing(seconds)))
}

@_cdecl("scroll_double_tap") @_expose(wasm, "scroll_double_tap")
public func doubleTap(_ x: Double, _ y: Double, _ seconds: Double) -> Int32 {
    report(view.doubleTap(at: Point(x: x, y: y), animated: timing(seconds)))
}

@_cdecl("scroll_set_zoom_limits") @_expose(wasm, "scroll_set_zoom_limits")
public func setZoomLimits(_ least: Double, _ greatest: Double) -> Int32 {
    report(view.setZoomLimits(minimum: least, maximum: greatest))
}

@_cdecl("scroll_set_content_offset") @_expose(wasm, "scroll_set_content_offset")
public func setContentOffset(_ x: Double, _ y: Double, _ seconds: Double) -> Int32 {
    let offset = Point<ContentSpace>(x: x, y: y)
    guard let timing = timing(seconds) else { return report(view.setContentOffset(offset)) }
    return report(view.setContentOffset(offset, animated: timing))
}

/// Zooms about a point of the view, or about the center if a coordinate is NaN.
@_cdecl("scroll_set_zoom_scale") @_expose(wasm, "scroll_set_zoom_scale")
public func setZoomScale(_ scale: Double, _ x: Double, _ y: Double, _ seconds: Double) -> Int32 {
    let point = Point<ViewSpace>(x: x, y: y)
    let anchor = point.isFinite ? point : nil
    guard let timing = timing(seconds) else { return report(view.setZoomScale(scale, anchor: anchor)) }
    return report(view.setZoomScale(scale, anchor: anchor, animated: timing))
}

@_cdecl("scroll_zoom_to_rect") @_expose(wasm, "scroll_zoom_to_rect")
public func zoomToRect(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ seconds: Double)
    -> Int32
{
    let rect = Rect<ImageSpace>(x: x, y: y, width: width, height: height)
    guard let timing = timing(seconds) else { return report(view.zoom(to: rect)) }
    return report(view.zoom(to: rect, animated: timing))
}

@_cdecl("scroll_rect_to_visible") @_expose(wasm, "scroll_rect_to_visible")
public func scrollRectToVisible(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ alignment: Int32, _ seconds: Double
) -> Int32 {
    let rect = Rect<ContentSpace>(x: x, y: y, width: width, height: height)
    let alignment = RectAlignment(rawValue: UInt8(clamping: alignment)) ?? .nearest
    guard let timing = timing(seconds) else {
        return report(view.scrollRectToVisible(rect, alignment: alignment))
    }
    return report(view.scrollRectToVisible(rect, alignment: alignment, animated: timing))
}

/// Flies to a rectangle of the image.
///
/// With a negative duration the length of the path determines it.
@_cdecl("scroll_fly_to") @_expose(wasm, "scroll_fly_to")
public func flyTo(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ seconds: Double) -> Int32 {
    let rect = Rect<ImageSpace>(x: x, y: y, width: width, height: height)
    return report(view.fly(to: rect, duration: seconds < 0 ? nil : seconds))
}

@_cdecl("scroll_set_bounds") @_expose(wasm, "scroll_set_bounds")
public func setBounds(_ width: Double, _ height: Double) -> Int32 {
    report(view.setBounds(Size(width: width, height: height)))
}

@_cdecl("scroll_set_view_size") @_expose(wasm, "scroll_set_view_size")
public func setViewSize(_ width: Double, _ height: Double, _ keepsPlace: Int32) -> Int32 {
    report(view.setViewSize(Size(width: width, height: height), keepingPlace: keepsPlace != 0))
}

@_cdecl("scroll_set_content_inset") @_expose(wasm, "scroll_set_content_inset")
public func setContentInset(_ top: Double, _ left: Double, _ bottom: Double, _ right: Double) -> Int32 {
    report(view.setContentInset(EdgeInsets(top: top, left: left, bottom: bottom, right: right)))
}

/// Sets the safe area and its adjustment behavior.
///
/// An index without a behavior keeps the current one.
@_cdecl("scroll_set_safe_area_insets") @_expose(wasm, "scroll_set_safe_area_insets")
public func setSafeAreaInsets(
    _ top: Double, _ left: Double, _ bottom: Double, _ right: Double, _ behavior: Int32
) -> Int32 {
    let insets = EdgeInsets(top: top, left: left, bottom: bottom, right: right)
    var all = ScrollEvents()
    if let behavior = adjustment(behavior) {
        all = view.setContentInsetAdjustmentBehavior(behavior)
        // A second operation without a change would restart a deceleration.
        guard insets != view.safeAreaInsets else { return report(all) }
    }
    all.append(view.setSafeAreaInsets(insets))
    return report(all)
}

@_cdecl("scroll_set_content_alignment") @_expose(wasm, "scroll_set_content_alignment")
public func setContentAlignment(_ x: Double, _ y: Double) -> Int32 {
    report(view.setContentAlignment(ContentAlignment(x: x, y: y)))
}

/// Restores an archived view: its center, its scale relative to the fitting scale, and its rotation in
/// degrees.
@_cdecl("scroll_restore") @_expose(wasm, "scroll_restore")
public func restore(_ x: Double, _ y: Double, _ zoom: Double, _ rotation: Double) -> Int32 {
    guard let archive = ScrollView.Archive(center: Point(x: x, y: y), zoom: zoom, rotation: rotation) else {
        return report(ScrollEvents())
    }
    return report(view.restore(archive))
}

/// Scrolls to the top if the page allows it.
@_cdecl("scroll_status_bar_tap") @_expose(wasm, "scroll_status_bar_tap")
public func statusBarTap(_ isAllowed: Int32, _ seconds: Double) -> Int32 {
    report(view.statusBarTap(animated: timing(seconds)) { isAllowed != 0 })
}

/// Returns a coordinate of the image point at a view point; axis 0 is *x*, 1 is *y*.
@_cdecl("scroll_image_point") @_expose(wasm, "scroll_image_point")
public func imagePoint(_ x: Double, _ y: Double, _ axis: Int32) -> Double {
    let point = view.convert(Point<ViewSpace>(x: x, y: y), to: ImageSpace.self)
    return axis == 0 ? point.x : point.y
}

/// Returns a coordinate of the view point of an image point; axis 0 is *x*, 1 is *y*.
@_cdecl("scroll_view_point") @_expose(wasm, "scroll_view_point")
public func viewPoint(_ x: Double, _ y: Double, _ axis: Int32) -> Double {
    let point = view.convert(Point<ImageSpace>(x: x, y: y), to: ViewSpace.self)
    return axis == 0 ? point.x : point.y
}

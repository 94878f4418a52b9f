import ScrollModel
import ViewportGeometry

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

/// Zooms about a point of the view; one that is no number stands for the center.
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

/// Flies to a rectangle of the image; seconds below zero leave the duration to the length of the way.
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

@_cdecl("scroll_set_content_alignment") @_expose(wasm, "scroll_set_content_alignment")
public func setContentAlignment(_ x: Double, _ y: Double) -> Int32 {
    report(view.setContentAlignment(ContentAlignment(x: x, y: y)))
}

/// Shows an archived place: its middle, its zoom relative to the fitting one, and its rotation in degrees.
@_cdecl("scroll_restore") @_expose(wasm, "scroll_restore")
public func restore(_ x: Double, _ y: Double, _ zoom: Double, _ rotation: Double) -> Int32 {
    guard let archive = ScrollView.Archive(center: Point(x: x, y: y), zoom: zoom, rotation: rotation) else {
        return report(ScrollEvents())
    }
    return report(view.restore(archive))
}

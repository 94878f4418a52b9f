import ScrollModel
import ViewportGeometry

// The functions that a browser page calls to look into a panorama, with numbers as arguments. This folder is not a
// target of the package; `.ci/build-web` compiles it together with ScrollModel for wasm32. An instance of the module
// is one view. Points are CSS pixels of the view, angles are degrees, times are seconds.

/// The view of this instance; nil until `panorama_create`.
// A WebAssembly instance has one thread. Stored as nil, it needs no initializer at run time.
nonisolated(unsafe) private var instance: PanoramaView?

/// The view of this instance.
///
/// A call before `panorama_create` traps.
var view: PanoramaView {
    get { instance! }
    _modify { yield &instance! }
}

/// Returns the timing of an animation, or nil, for an immediate change, if the duration is negative.
@inline(never)
func timing(_ seconds: Double) -> Timing? { seconds < 0 ? nil : .easeInOut(duration: seconds) }

/// The panorama of the next view, without the look to begin with.
private typealias Facts = (
    projection: Panorama.Projection, size: Size<ImageSpace>, whole: Rect<ImageSpace>, pitch: Double,
    roll: Double
)
nonisolated(unsafe) private var facts: Facts?

/// Describes the panorama of the next view: its projection (0 equirectangular, 1 cylindrical), the size of its picture,
/// the whole panorama in pixels of it, and its pose.
@_cdecl("panorama_describe") @_expose(wasm, "panorama_describe")
public func describe(
    _ projection: Int32, _ width: Double, _ height: Double, _ wholeX: Double, _ wholeY: Double,
    _ wholeWidth: Double, _ wholeHeight: Double, _ posePitch: Double, _ poseRoll: Double
) {
    facts = (
        projection == 1 ? .cylindrical : .equirectangular, Size(width: width, height: height),
        Rect(x: wholeX, y: wholeY, width: wholeWidth, height: wholeHeight), posePitch, poseRoll
    )
}

/// Creates a view of a size with the look to begin with, or with that of the middle where the yaw is NaN.
///
/// Returns 0 where the description is impossible.
@_cdecl("panorama_create") @_expose(wasm, "panorama_create")
public func create(
    _ width: Double, _ height: Double, _ yaw: Double, _ pitch: Double, _ roll: Double, _ fieldOfView: Double
) -> Int32 {
    let look = yaw.isNaN ? nil : Look(yaw: yaw, pitch: pitch, roll: roll, fieldOfView: fieldOfView)
    guard let facts,
        let panorama = Panorama(
            facts.projection, size: facts.size, whole: facts.whole, posePitch: facts.pitch,
            poseRoll: facts.roll, initialLook: look)
    else { return 0 }
    instance = PanoramaView(panorama, bounds: Size(width: width, height: height))
    return 1
}

@_cdecl("panorama_advance") @_expose(wasm, "panorama_advance")
public func advance(_ time: Double) { view.advance(to: time) }

@_cdecl("panorama_set_bounds") @_expose(wasm, "panorama_set_bounds")
public func setBounds(_ width: Double, _ height: Double) {
    view.setBounds(Size(width: width, height: height))
}

/// Handles one finger.
@_cdecl("panorama_touch") @_expose(wasm, "panorama_touch")
public func touch(_ phase: Int32, _ id: Int32, _ x: Double, _ y: Double) {
    guard let phase = TouchPhase(rawValue: UInt8(clamping: phase)) else { return }
    view.touches(Touch(id: Int(id), location: Point(x: x, y: y)), phase: phase)
}

@_cdecl("panorama_wheel") @_expose(wasm, "panorama_wheel")
public func wheel(_ dx: Double, _ dy: Double, _ x: Double, _ y: Double, _ zooms: Int32) {
    view.wheel(dx: dx, dy: dy, at: Point(x: x, y: y), zooms: zooms != 0)
}

@_cdecl("panorama_key") @_expose(wasm, "panorama_key")
public func key(_ key: Int32, _ seconds: Double) {
    guard let key = ScrollView.Key(rawValue: UInt8(clamping: key)) else { return }
    view.press(key, animated: timing(seconds))
}

@_cdecl("panorama_double_tap") @_expose(wasm, "panorama_double_tap")
public func doubleTap(_ x: Double, _ y: Double, _ seconds: Double) {
    view.doubleTap(at: Point(x: x, y: y), animated: timing(seconds))
}

/// Zooms about the middle.
@_cdecl("panorama_zoom") @_expose(wasm, "panorama_zoom")
public func zoom(_ fieldOfView: Double, _ seconds: Double) {
    view.zoom(to: fieldOfView, animated: timing(seconds))
}

@_cdecl("panorama_set_look") @_expose(wasm, "panorama_set_look")
public func setLook(_ yaw: Double, _ pitch: Double, _ fieldOfView: Double, _ seconds: Double) {
    let look = Look(yaw: yaw, pitch: pitch, fieldOfView: fieldOfView)
    if let timing = timing(seconds) { view.setLook(look, animated: timing) } else { view.setLook(look) }
}

/// Returns a coordinate of the image point at a view point; axis 0 is *x*, 1 is *y*.
@_cdecl("panorama_image_point") @_expose(wasm, "panorama_image_point")
public func imagePoint(_ x: Double, _ y: Double, _ axis: Int32) -> Double {
    guard let point = LookMap(view.panorama, view.frame).imagePoint(at: Point(x: x, y: y)) else {
        return .nan
    }
    return axis == 0 ? point.x : point.y
}

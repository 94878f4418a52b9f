import ScrollModel
import ViewportGeometry

// The values that a page reads by name. It reads the names when it loads the module and derives the indices for its
// calls from them: see Sources/Serving/ViewerPages/Assets/panorama-view.js.

/// The numbers of the state as a page reads them from memory: 64-bit floating-point numbers only.
private struct State {
    var look = (0.0, 0.0, 0.0, 0.0)
    var resting = (0.0, 0.0, 0.0)
    var initial = (0.0, 0.0, 0.0)
    var limits = (0.0, 0.0)
    var pointsPerDegree = 0.0
    var flags = (0.0, 0.0)
    var time = 0.0

    /// The names of the numbers, in the order of the properties.
    static let names: StaticString = """
        yaw pitch roll fieldOfView resting.yaw resting.pitch resting.fieldOfView \
        initial.yaw initial.pitch initial.fieldOfView leastFieldOfView greatestFieldOfView pointsPerDegree \
        isMoving isTracking time
        """

    mutating func read(_ view: borrowing PanoramaView) {
        let now = view.look
        look = (now.yaw, now.pitch, now.roll, now.fieldOfView)
        let rest = view.restingLook
        resting = (rest.yaw, rest.pitch, rest.fieldOfView)
        let first = view.panorama.initialLook
        initial = (first.yaw, first.pitch, first.fieldOfView)
        let range = view.fieldOfViewLimits
        limits = (range.lowerBound, range.upperBound)
        pointsPerDegree = view.frame.pointsPerDegree
        flags = (view.isMoving ? 1 : 0, view.isTracking ? 1 : 0)
        time = view.time
    }
}

nonisolated(unsafe) private var state = State()

/// Returns the address of the numbers of the state, which are valid until the next call.
@_cdecl("panorama_state") @_expose(wasm, "panorama_state")
public func readState() -> UnsafeRawPointer {
    state.read(view)
    // The address of a global variable stays valid after the closure.
    return withUnsafeBytes(of: &state) { $0.baseAddress! }
}

/// Returns the names of a list, separated by spaces, in the order of their indices.
@_cdecl("panorama_names") @_expose(wasm, "panorama_names")
public func names(_ list: Int32) -> UnsafePointer<UInt8> {
    let names: StaticString =
        switch list {
        case 0: State.names
        // ``ScrollView/Key``, as `KeyboardEvent.key` names them.
        case 1: "ArrowUp ArrowDown ArrowLeft ArrowRight PageUp PageDown Home End + - 0"
        default: "began moved ended cancelled"  // TouchPhase
        }
    return names.utf8Start
}

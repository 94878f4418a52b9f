package import ScrollModel

/// A side of the cube around a viewer.
package enum CubeFace: String, CaseIterable, Sendable {
    case front, right, back, left, up, down

    /// The look that shows it.
    package var look: Look {
        switch self {
        case .front: Look(yaw: 0, pitch: 0, fieldOfView: 90)
        case .right: Look(yaw: 90, pitch: 0, fieldOfView: 90)
        case .back: Look(yaw: 180, pitch: 0, fieldOfView: 90)
        case .left: Look(yaw: -90, pitch: 0, fieldOfView: 90)
        case .up: Look(yaw: 0, pitch: 90, fieldOfView: 90)
        case .down: Look(yaw: 0, pitch: -90, fieldOfView: 90)
        }
    }

    /// The side at which a pixel in the middle of a face is a pixel of the panorama: the sphere's radius, twice.
    package static func side(of panorama: Panorama) -> Double {
        max(1, (panorama.whole.width / .pi).rounded())
    }
}

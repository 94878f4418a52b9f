/// A look into a panorama: a direction, and how much is seen, in degrees.
///
/// Yaw 0 is the middle of the whole panorama; to the right is positive. Pitch 0 is the horizon; up is positive. A positive
/// roll turns the viewer clockwise, and what is seen counterclockwise.
public struct Look: Equatable, Sendable {
    /// The direction to the right, from -180 up to 180.
    public let yaw: Double
    /// The direction upwards, from -90 to 90.
    public let pitch: Double
    /// The turn of the viewer clockwise, from -180 up to 180.
    public let roll: Double
    /// The angle that is seen from the left to the right, from 0.01 to 360.
    public let fieldOfView: Double

    /// Creates a look; angles are wrapped or clamped to their ranges, and those that are not finite count as 0.
    public init(yaw: Double = 0, pitch: Double = 0, roll: Double = 0, fieldOfView: Double = 90) {
        self.yaw = Self.wrapped(yaw)
        self.pitch = pitch.isFinite ? min(max(pitch, -90), 90) : 0
        self.roll = Self.wrapped(roll)
        self.fieldOfView = fieldOfView.isFinite ? min(max(fieldOfView, 0.01), 360) : 90
    }

    /// Returns an angle from -180 up to 180.
    static func wrapped(_ degrees: Double) -> Double {
        guard degrees.magnitude < 1e9 else { return 0 }
        guard degrees < -180 || degrees >= 180 else { return degrees }
        return degrees - 360 * ((degrees + 180) / 360).rounded(.down)
    }

    /// Returns the look with another field of view.
    public func zoomed(to fieldOfView: Double) -> Look {
        Look(yaw: yaw, pitch: pitch, roll: roll, fieldOfView: fieldOfView)
    }
}

/// How the sphere around a viewer is shown on a flat picture.
public enum LookProjection: String, CaseIterable, Sendable {
    /// Straight lines stay straight, as in most cameras; up to 170 degrees.
    case rectilinear
    /// Small shapes keep their form; up to 330 degrees, as a little planet.
    case stereographic
    /// Columns are directions, and vertical lines stay straight; up to 360 degrees.
    case cylindrical
    /// Columns are directions and rows are heights, as in a whole panorama; up to 360 degrees.
    case equirectangular

    /// The greatest horizontal field of view, in degrees.
    public var greatestFieldOfView: Double {
        switch self {
        case .rectilinear: 170
        case .stereographic: 330
        case .cylindrical, .equirectangular: 360
        }
    }

    /// Returns the distance of the left and the right edge from the middle, in radii of the sphere.
    func extent(_ fieldOfView: Double) -> Double {
        let degrees = min(fieldOfView, greatestFieldOfView)
        return switch self {
        case .rectilinear: PortableMath.tangent(degrees: degrees / 2)
        case .stereographic: 2 * PortableMath.tangent(degrees: degrees / 4)
        case .cylindrical, .equirectangular: degrees / 2 * Direction.radian
        }
    }

    /// Returns the field of view with this distance of the edges.
    func fieldOfView(_ extent: Double) -> Double {
        let degrees =
            switch self {
            case .rectilinear: 2 * PortableMath.arcTangent(extent, 1) / Direction.radian
            case .stereographic: 4 * PortableMath.arcTangent(extent, 2) / Direction.radian
            case .cylindrical, .equirectangular: 2 * extent / Direction.radian
            }
        return min(degrees, greatestFieldOfView)
    }

    /// Returns the direction to a point of the picture, in radii from its middle; nil where the sphere has none.
    @inline(__always)
    func direction(_ x: Double, _ y: Double) -> Direction? {
        switch self {
        case .rectilinear: return Direction(x: x, y: y, z: 1)
        case .stereographic:
            let square = (x * x + y * y) / 4
            return Direction(x: x, y: y, z: 1 - square)
        case .cylindrical:
            guard x.magnitude <= .pi else { return nil }
            let (cosine, sine) = PortableMath.cosineAndSine(radians: x)
            return Direction(x: sine, y: y, z: cosine)
        case .equirectangular:
            guard x.magnitude <= .pi, y.magnitude <= .pi / 2 else { return nil }
            return Direction(longitude: x, latitude: y)
        }
    }

    /// Returns the point of the picture in a direction, in radii from its middle; nil where there is none.
    func point(_ direction: Direction) -> (x: Double, y: Double)? {
        let (x, y, z) = (direction.x, direction.y, direction.z)
        switch self {
        case .rectilinear: return z > 0 ? (x / z, y / z) : nil
        case .stereographic:
            let length = (x * x + y * y + z * z).squareRoot()
            guard length + z > 1e-9 * length else { return nil }
            return (2 * x / (length + z), 2 * y / (length + z))
        case .cylindrical:
            let across = (x * x + z * z).squareRoot()
            return across > 0 ? (PortableMath.arcTangent(x, z), y / across) : nil
        case .equirectangular: return (direction.longitude, direction.latitude)
        }
    }
}

/// A direction from the viewer: a vector of any length to the right, up and ahead.
public struct Direction: Equatable, Sendable {
    /// The component to the right.
    public var x: Double
    /// The component upwards.
    public var y: Double
    /// The component ahead.
    public var z: Double

    /// Creates a direction from its components.
    @inline(__always)
    public init(x: Double, y: Double, z: Double) {
        (self.x, self.y, self.z) = (x, y, z)
    }

    /// A degree in radians.
    static let radian = 0.017_453_292_519_943_295

    /// Creates a direction of length 1 from angles in radians: to the right, and up.
    public init(longitude: Double, latitude: Double) {
        let (across, up) = PortableMath.cosineAndSine(radians: latitude)
        let (ahead, right) = PortableMath.cosineAndSine(radians: longitude)
        self.init(x: across * right, y: up, z: across * ahead)
    }

    /// The angle to the right, in radians from -pi to pi.
    public var longitude: Double { PortableMath.arcTangent(x, z) }
    /// The angle upwards, in radians from -pi/2 to pi/2.
    public var latitude: Double { PortableMath.arcTangent(y, (x * x + z * z).squareRoot()) }
}

/// A turn of directions: first by a roll, then by a pitch, then by a yaw.
struct Turn: Equatable, Sendable {
    private(set) var right: Direction
    private(set) var up: Direction
    private(set) var ahead: Direction

    init(yaw: Double, pitch: Double, roll: Double) {
        let (cy, sy) = PortableMath.cosineAndSine(degrees: yaw)
        let (cp, sp) = PortableMath.cosineAndSine(degrees: pitch)
        let (cr, sr) = PortableMath.cosineAndSine(degrees: roll)
        // The images of the three axes.
        func turned(_ x: Double, _ y: Double, _ z: Double) -> Direction {
            let (x1, y1) = (x * cr + y * sr, y * cr - x * sr)
            let (y2, z2) = (y1 * cp + z * sp, z * cp - y1 * sp)
            return Direction(x: x1 * cy + z2 * sy, y: y2, z: z2 * cy - x1 * sy)
        }
        (right, up, ahead) = (turned(1, 0, 0), turned(0, 1, 0), turned(0, 0, 1))
    }

    init(_ look: Look) { self.init(yaw: look.yaw, pitch: look.pitch, roll: look.roll) }

    @inline(__always)
    func applied(_ d: Direction) -> Direction {
        Direction(
            x: right.x * d.x + up.x * d.y + ahead.x * d.z, y: right.y * d.x + up.y * d.y + ahead.y * d.z,
            z: right.z * d.x + up.z * d.y + ahead.z * d.z)
    }

    /// Returns the direction that is turned into `d`.
    @inline(__always)
    func reversed(_ d: Direction) -> Direction {
        Direction(
            x: right.x * d.x + right.y * d.y + right.z * d.z, y: up.x * d.x + up.y * d.y + up.z * d.z,
            z: ahead.x * d.x + ahead.y * d.y + ahead.z * d.z)
    }

    /// Returns this turn, followed by the reverse of another one.
    func reversing(_ other: Turn) -> Turn {
        var turn = self
        (turn.right, turn.up, turn.ahead) = (
            other.reversed(right), other.reversed(up), other.reversed(ahead)
        )
        return turn
    }
}

#if !hasFeature(Embedded)
extension Look: Hashable {}
extension LookProjection: Codable {}
extension Direction: Hashable, Codable {}

/// Coded as an object of degrees.
extension Look: Codable {
    private enum Key: String, CodingKey { case yaw, pitch, roll, fov }

    /// Decodes a look; angles that are missing have their defaults, and are wrapped or clamped as by the initializer.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(
            yaw: try values.decodeIfPresent(Double.self, forKey: .yaw) ?? 0,
            pitch: try values.decodeIfPresent(Double.self, forKey: .pitch) ?? 0,
            roll: try values.decodeIfPresent(Double.self, forKey: .roll) ?? 0,
            fieldOfView: try values.decodeIfPresent(Double.self, forKey: .fov) ?? 90)
    }

    /// Encodes the angles.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(yaw, forKey: .yaw)
        try values.encode(pitch, forKey: .pitch)
        try values.encode(roll, forKey: .roll)
        try values.encode(fieldOfView, forKey: .fov)
    }
}

extension Look: CustomStringConvertible {
    /// The direction and the field of view: "yaw 30.0, pitch -10.0, roll 0.0, fov 90.0".
    public var description: String { "yaw \(yaw), pitch \(pitch), roll \(roll), fov \(fieldOfView)" }
}
#endif

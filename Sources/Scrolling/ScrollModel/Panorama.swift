public import ViewportGeometry

/// A picture of the sphere around a viewer, or of a part of it.
///
/// Source of the formulas: Snyder, "Map Projections: A Working Manual", 1987, equidistant cylindrical and central
/// cylindrical projection.
public struct Panorama: Equatable, Sendable {
    /// How the sphere is drawn on the picture.
    public enum Projection: String, CaseIterable, Sendable {
        /// Columns are longitudes, and rows are latitudes.
        case equirectangular
        /// Columns are longitudes, and the height is that of a cylinder around the viewer.
        case cylindrical
    }

    /// How the sphere is drawn on the picture.
    public let projection: Projection
    /// The upright size of the picture.
    public let size: Size<ImageSpace>
    /// The whole panorama in the coordinates of the picture; its origin is negative where the left or the top is missing.
    public let whole: Rect<ImageSpace>
    /// The angle of the middle of the whole panorama above the horizon, in degrees.
    public let posePitch: Double
    /// The turn of the camera, in degrees.
    public let poseRoll: Double
    private let start: Look?
    private let pose: Turn

    /// Creates a panorama; nil where a size is empty, or a number is not finite.
    ///
    /// - Parameters:
    ///   - size: the upright size of the picture.
    ///   - whole: the whole panorama in the coordinates of the picture; nil where the picture is all of it.
    ///   - posePitch: the angle of the middle of the whole panorama above the horizon.
    ///   - poseRoll: the turn of the camera: positive angles turn the horizon counterclockwise in the picture.
    ///   - initialLook: the look to begin with; nil for the middle of the picture.
    public init?(
        _ projection: Projection = .equirectangular, size: Size<ImageSpace>, whole: Rect<ImageSpace>? = nil,
        posePitch: Double = 0, poseRoll: Double = 0, initialLook: Look? = nil
    ) {
        let whole = whole ?? Rect(origin: .zero, size: size)
        guard !size.isEmpty, size.isFinite, !whole.isEmpty, whole.isFinite, posePitch.isFinite,
            poseRoll.isFinite, whole.width < 1e12, whole.height < 1e12, size.width < 1e12, size.height < 1e12
        else { return nil }
        self.projection = projection
        self.size = size
        self.whole = whole
        self.posePitch = posePitch
        self.poseRoll = poseRoll
        pose = Turn(yaw: 0, pitch: posePitch, roll: poseRoll)
        start = initialLook
    }

    /// The look to begin with.
    public var initialLook: Look { start ?? middle }

    /// Whether the picture goes around the viewer: its right edge continues at its left one.
    public var isFullCircle: Bool { size.width >= whole.width * (1 - 1e-9) }

    /// The pixels of a degree at the horizon.
    public var pixelsPerDegree: Double { whole.width / 360 }

    /// Returns the point of the picture in a direction, which may be outside of the picture.
    ///
    /// The longitude is taken from the nearest turn to the middle of the whole panorama.
    public func imagePoint(_ direction: Direction) -> Point<ImageSpace> {
        position(pose.reversed(direction))
    }

    /// Returns the direction of a point of the picture, of length 1.
    public func direction(_ point: Point<ImageSpace>) -> Direction {
        let longitude = ((point.x - whole.minX) / whole.width - 0.5) * 2 * .pi
        return pose.applied(Direction(longitude: longitude, latitude: latitude(ofRow: point.y)))
    }

    /// The latitude of a row, in radians: from -pi/2 to pi/2.
    private func latitude(ofRow y: Double) -> Double {
        switch projection {
        case .equirectangular:
            return min(max((0.5 - (y - whole.minY) / whole.height) * .pi, -.pi / 2), .pi / 2)
        case .cylindrical:
            return PortableMath.arcTangent((whole.midY - y) * 2 * .pi / whole.width, 1)
        }
    }

    /// Returns the position of a direction in the frame of the picture.
    @inline(__always)
    func position(_ direction: Direction) -> Point<ImageSpace> {
        let x = whole.minX + (direction.longitude / (2 * .pi) + 0.5) * whole.width
        switch projection {
        case .equirectangular:
            return Point(x: x, y: whole.minY + (0.5 - direction.latitude / .pi) * whole.height)
        case .cylindrical:
            let across = (direction.x * direction.x + direction.z * direction.z).squareRoot()
            // Straight up and down are infinitely far away.
            let slope = direction.y / max(across, 1e-9 * direction.y.magnitude)
            return Point(x: x, y: whole.midY - slope * whole.width / (2 * .pi))
        }
    }

    /// Returns a turn of the viewer in the frame of the picture.
    func inPicture(_ turn: Turn) -> Turn { turn.reversing(pose) }

    /// The longitudes of the left and the right edge, in degrees.
    var longitudes: ClosedRange<Double> {
        guard !isFullCircle else { return -180...180 }
        let left = -360 * (whole.minX / whole.width + 0.5)
        return left...(left + 360 * size.width / whole.width)
    }

    /// The latitudes of the bottom and the top edge, in degrees.
    var latitudes: ClosedRange<Double> {
        let (bottom, top) = (latitude(ofRow: size.height), latitude(ofRow: 0))
        return (bottom / Direction.radian)...(max(bottom, top) / Direction.radian)
    }

    /// Whether the picture reaches up to the pole above and down to the one below.
    public var reachesPoles: (up: Bool, down: Bool) {
        guard projection == .equirectangular else { return (false, false) }
        let slack = 1e-9 * whole.height
        return (whole.minY >= -slack, whole.maxY <= size.height + slack)
    }

    /// The look at the middle of the picture.
    private var middle: Look {
        let (across, up) = (longitudes, latitudes)
        let width = across.upperBound - across.lowerBound
        return Look(
            yaw: isFullCircle ? 0 : (across.lowerBound + across.upperBound) / 2,
            pitch: (up.lowerBound + up.upperBound) / 2, fieldOfView: min(90, width))
    }
}

/// What a look shows on a rectangle, by a projection.
public struct LookFrame: Equatable, Sendable {
    /// The look.
    public let look: Look
    /// The projection.
    public let projection: LookProjection
    /// The size of the rectangle.
    public let size: Size<ViewSpace>
    /// View points of the radius of the sphere in the middle.
    let radius: Double
    private let turn: Turn

    /// Creates a frame; a field of view above the projection's greatest one counts as that.
    public init(_ look: Look, _ projection: LookProjection = .rectilinear, size: Size<ViewSpace>) {
        let look = look.zoomed(to: min(look.fieldOfView, projection.greatestFieldOfView))
        self.look = look
        self.projection = projection
        self.size = size.isEmpty || !size.isFinite ? Size(width: 1, height: 1) : size
        radius = self.size.width / 2 / projection.extent(look.fieldOfView)
        turn = Turn(look)
    }

    /// The view points of a degree in the middle.
    public var pointsPerDegree: Double { radius * Direction.radian }

    /// The angle that is seen from the top to the bottom, in degrees.
    public var verticalFieldOfView: Double {
        let extent = size.height / 2 / radius
        let degrees =
            switch projection {
            case .rectilinear, .cylindrical: 2 * PortableMath.arcTangent(extent, 1) / Direction.radian
            case .stereographic: 4 * PortableMath.arcTangent(extent, 2) / Direction.radian
            case .equirectangular: 2 * extent / Direction.radian
            }
        return min(degrees, 360)
    }

    /// Returns the direction that a point shows; nil where the projection has none.
    public func direction(at point: Point<ViewSpace>) -> Direction? {
        // A method as a closure would be allocated, which modules for browsers cannot.
        ray(at: point).map { turn.applied($0) }
    }

    /// Returns the point that shows a direction; nil where it is behind the viewer.
    public func point(_ direction: Direction) -> Point<ViewSpace>? {
        guard let (x, y) = projection.point(turn.reversed(direction)) else { return nil }
        return Point(x: size.width / 2 + x * radius, y: size.height / 2 - y * radius)
    }

    /// Returns the direction of a point from the viewer's own axes.
    @inline(__always)
    func ray(at point: Point<ViewSpace>) -> Direction? {
        projection.direction((point.x - size.width / 2) / radius, (size.height / 2 - point.y) / radius)
    }
}

/// The positions in a panorama's picture of the points of a frame.
public struct LookMap: Equatable, Sendable {
    /// The panorama.
    public let panorama: Panorama
    /// The frame.
    public let frame: LookFrame
    private let turn: Turn

    /// Creates a map.
    public init(_ panorama: Panorama, _ frame: LookFrame) {
        self.panorama = panorama
        self.frame = frame
        turn = panorama.inPicture(Turn(frame.look))
    }

    /// Returns the position that a point of the frame shows, which may be outside of the picture; nil where the projection
    /// shows nothing.
    @inline(__always)
    public func imagePoint(at point: Point<ViewSpace>) -> Point<ImageSpace>? {
        frame.ray(at: point).map { panorama.position(turn.applied($0)) }
    }

    /// Returns the pixels of the picture, at its equator, that a view point is wide and high: the least of all directions.
    public func leastPixels(at point: Point<ViewSpace>) -> Double? {
        func unit(_ point: Point<ViewSpace>) -> Direction? {
            frame.ray(at: point).map { ray in
                let length = (ray.x * ray.x + ray.y * ray.y + ray.z * ray.z).squareRoot()
                return Direction(x: ray.x / length, y: ray.y / length, z: ray.z / length)
            }
        }
        guard let here = unit(point), let right = unit(Point(x: point.x + 1, y: point.y)),
            let below = unit(Point(x: point.x, y: point.y + 1))
        else { return nil }
        let u = Direction(x: right.x - here.x, y: right.y - here.y, z: right.z - here.z)
        let v = Direction(x: below.x - here.x, y: below.y - here.y, z: below.z - here.z)
        let (a, b) = (u.x * u.x + u.y * u.y + u.z * u.z, v.x * v.x + v.y * v.y + v.z * v.z)
        let c = u.x * v.x + u.y * v.y + u.z * v.z
        // The lesser singular value of the two steps.
        let square = (a + b - ((a - b) * (a - b) + 4 * c * c).squareRoot()) / 2
        return max(square, 0).squareRoot() * panorama.whole.width / (2 * .pi)
    }

    /// Returns the point of the frame that shows a position of the picture; nil where it shows none.
    public func point(at position: Point<ImageSpace>) -> Point<ViewSpace>? {
        frame.point(panorama.direction(position))
    }
}

#if !hasFeature(Embedded)
extension Panorama.Projection: Codable {}

/// Coded as the arguments of its initializer.
extension Panorama: Codable, Hashable {
    private enum Key: String, CodingKey { case projection, size, whole, posePitch, poseRoll, initialLook }

    /// Decodes a panorama, whose sizes must not be empty.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let panorama = Panorama(
            try values.decode(Projection.self, forKey: .projection),
            size: try values.decode(Size<ImageSpace>.self, forKey: .size),
            whole: try values.decode(Rect<ImageSpace>.self, forKey: .whole),
            posePitch: try values.decode(Double.self, forKey: .posePitch),
            poseRoll: try values.decode(Double.self, forKey: .poseRoll),
            initialLook: try values.decodeIfPresent(Look.self, forKey: .initialLook))
        guard let panorama else {
            throw DecodingError.dataCorruptedError(
                forKey: .size, in: values, debugDescription: "a size is empty, or a number is not finite")
        }
        self = panorama
    }

    /// Encodes the arguments.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(projection, forKey: .projection)
        try values.encode(size, forKey: .size)
        try values.encode(whole, forKey: .whole)
        try values.encode(posePitch, forKey: .posePitch)
        try values.encode(poseRoll, forKey: .poseRoll)
        try values.encodeIfPresent(start, forKey: .initialLook)
    }

    /// Hashes the arguments.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(projection)
        hasher.combine(size)
        hasher.combine(whole)
        hasher.combine(posePitch)
        hasher.combine(poseRoll)
        hasher.combine(start)
    }
}
#endif

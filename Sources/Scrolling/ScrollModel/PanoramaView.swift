public import ViewportGeometry

/// A view into a panorama that fingers, wheels and keys turn and zoom: a pure value, as `ScrollView` is for flat pictures.
///
/// Time passes by ``advance(to:)`` only; the same calls give the same looks on every machine.
public struct PanoramaView: Equatable, Sendable {
    /// The panorama.
    public let panorama: Panorama
    /// The size of the view.
    public private(set) var bounds: Size<ViewSpace>
    /// How the sphere is shown.
    public let projection: LookProjection
    /// The rate at which a flick slows down.
    public var decelerationRate = DecelerationRate.normal
    /// The time of the last step, in seconds.
    public private(set) var time = 0.0
    /// The direction, in degrees: out of its limits while a rubber band is stretched.
    var yaw: Double
    var pitch: Double
    private let roll: Double
    /// The distance of the view's edges in radii of the sphere: the zoom.
    var extent: Double
    private var leastFieldOfView: Double
    private var greatestFieldOfView: Double
    var motion = PanoramaMotion.none
    var gesture = PanoramaGesture()

    /// Creates a view that shows the panorama's initial look.
    ///
    /// The least field of view shows a pixel of the picture on four points; the greatest is 120 degrees in rectilinear
    /// projection and the projection's own in others. Both end at the edges of a partial panorama.
    public init(
        _ panorama: Panorama, bounds: Size<ViewSpace>, projection: LookProjection = .rectilinear
    ) {
        self.panorama = panorama
        self.projection = projection
        self.bounds = bounds.isEmpty || !bounds.isFinite ? Size(width: 1, height: 1) : bounds
        let look = panorama.initialLook
        (yaw, pitch, roll) = (look.yaw, look.pitch, look.roll)
        extent = projection.extent(look.fieldOfView)
        leastFieldOfView = min(max(self.bounds.width / (4 * panorama.pixelsPerDegree), 0.01), 60)
        greatestFieldOfView = projection == .rectilinear ? 120 : projection.greatestFieldOfView
        settle()
    }

    /// What is seen.
    public var look: Look {
        Look(yaw: yaw, pitch: pitch, roll: roll, fieldOfView: projection.fieldOfView(extent))
    }

    /// What is seen where.
    public var frame: LookFrame { LookFrame(look, projection, size: bounds) }

    /// The fields of view at which the view rests, in degrees.
    public var fieldOfViewLimits: ClosedRange<Double> {
        var greatest = greatestFieldOfView
        if !panorama.isFullCircle {
            let across = panorama.longitudes
            greatest = min(greatest, across.upperBound - across.lowerBound)
        }
        let (up, reach) = (panorama.latitudes, panorama.reachesPoles)
        if !reach.up || !reach.down {
            let height = min(up.upperBound - up.lowerBound, 170)
            let vertical = projection.verticalExtent(height) * bounds.width / bounds.height
            greatest = min(greatest, projection.fieldOfView(vertical))
        }
        greatest = max(greatest, 0.01)
        return min(leastFieldOfView, greatest)...greatest
    }

    /// Changes the fields of view at which the view rests; angles are clamped to what the projection can show.
    public mutating func setFieldOfViewLimits(least: Double, greatest: Double) {
        guard least.isFinite, greatest.isFinite else { return }
        leastFieldOfView = min(max(least, 0.01), projection.greatestFieldOfView)
        greatestFieldOfView = min(max(greatest, leastFieldOfView), projection.greatestFieldOfView)
        settle()
    }

    /// Changes the size of the view; the scale of the picture stays.
    public mutating func setBounds(_ size: Size<ViewSpace>) {
        guard !size.isEmpty, size.isFinite else { return }
        extent = min(extent * size.width / bounds.width, projection.extent(projection.greatestFieldOfView))
        bounds = size
        settle()
    }

    /// Looks somewhere else, at once.
    public mutating func setLook(_ look: Look) {
        motion = .none
        (yaw, pitch) = (look.yaw, look.pitch)
        extent = projection.extent(look.fieldOfView)
        settle()
    }

    /// Moves to a look within the limits, around the sphere by the shorter way.
    public mutating func setLook(_ look: Look, animated timing: Timing) {
        let (from, target) = (stand, resting(look))
        gesture = PanoramaGesture()
        motion = .transition(from: from, to: target, timing: timing, start: time)
    }

    /// Whether the view moves without fingers.
    public var isMoving: Bool { motion != .none }

    /// The look at which the motion ends; the present one where nothing moves.
    package var restingLook: Look {
        let end =
            switch motion {
            case .none: stand
            case .transition(_, let target, _, _): target
            case .deceleration(let motion):
                Stand(
                    yaw: motion.across.rest / motion.pointsPerDegree,
                    pitch: motion.down.rest / motion.pointsPerDegree, extent: extent)
            }
        return Look(
            yaw: end.yaw, pitch: end.pitch, roll: roll, fieldOfView: projection.fieldOfView(end.extent))
    }

    /// Whether a finger is on the view.
    public var isTracking: Bool { gesture.count > 0 }

    // MARK: Limits

    /// Where a view stands: angles that are not wrapped, and the zoom.
    struct Stand: Equatable, Sendable {
        var yaw: Double
        var pitch: Double
        var extent: Double
    }

    var stand: Stand { Stand(yaw: yaw, pitch: pitch, extent: extent) }

    /// The extents at which the view rests.
    var extents: (least: Double, greatest: Double) {
        let limits = fieldOfViewLimits
        return (projection.extent(limits.lowerBound), projection.extent(limits.upperBound))
    }

    /// The yaws at which the view rests; nil where all are allowed.
    var yawSpan: ScrollRange.Span? {
        guard !panorama.isFullCircle else { return nil }
        let half = projection.fieldOfView(extent) / 2
        return Self.span(panorama.longitudes, half, half)
    }

    /// The pitches at which the view rests.
    var pitchSpan: ScrollRange.Span {
        let half = frame.verticalFieldOfView / 2
        let reach = panorama.reachesPoles
        return Self.span(panorama.latitudes, reach.down ? 0 : half, reach.up ? 0 : half)
    }

    private static func span(_ range: ClosedRange<Double>, _ low: Double, _ high: Double) -> ScrollRange.Span
    {
        let (lower, upper) = (range.lowerBound + low, range.upperBound - high)
        guard lower > upper else { return ScrollRange.Span(lower: lower, upper: upper) }
        return ScrollRange.Span(lower: (lower + upper) / 2, upper: (lower + upper) / 2)
    }

    /// Moves into the limits.
    mutating func settle() {
        let (least, greatest) = extents
        extent = min(max(extent, least), greatest)
        pitch = pitchSpan.clamped(pitch)
        if let span = yawSpan {
            yaw = span.clamped(nearest(yaw, to: (span.lower + span.upper) / 2))
        } else {
            yaw = Look.wrapped(yaw)
        }
    }

    /// Returns the yaw of the same direction that is nearest to another one.
    func nearest(_ yaw: Double, to other: Double) -> Double { other + Look.wrapped(yaw - other) }

    /// Returns where a look rests: within the limits, and by the shorter way from here.
    func resting(_ look: Look) -> Stand {
        var view = self
        view.motion = .none
        (view.yaw, view.pitch, view.extent) = (look.yaw, look.pitch, projection.extent(look.fieldOfView))
        view.settle()
        let yaw = panorama.isFullCircle ? nearest(view.yaw, to: self.yaw) : view.yaw
        return Stand(yaw: yaw, pitch: view.pitch, extent: view.extent)
    }

    /// Turns so that a point shows a direction, as far as that is possible without a roll.
    ///
    /// Of the ray (x, y, z) of the point and the direction D: *pitch = asin(D.y / sqrt(y² + z²)) - atan2(y, z)*, and yaw is
    /// the difference of the longitudes.
    func turned(_ direction: Direction, at point: Point<ViewSpace>) -> (yaw: Double, pitch: Double)? {
        guard let own = frame.ray(at: point) else { return nil }
        let (cosine, sine) = PortableMath.cosineAndSine(degrees: roll)
        let ray = Direction(x: own.x * cosine + own.y * sine, y: own.y * cosine - own.x * sine, z: own.z)
        let length = (ray.x * ray.x + ray.y * ray.y + ray.z * ray.z).squareRoot()
        let wanted =
            direction.y
            / (direction.x * direction.x + direction.y * direction.y + direction.z * direction.z).squareRoot()
        let across = (ray.y * ray.y + ray.z * ray.z).squareRoot() / length
        guard across > 1e-9 else { return nil }
        let share = min(max(wanted / across, -1), 1)
        let rise = PortableMath.arcTangent(share, (1 - share * share).squareRoot())
        let own0 = PortableMath.arcTangent(ray.y, ray.z)
        // Two pitches show the direction at this height: the one nearer to the present pitch.
        let (low, high) = (
            Look.wrapped((rise - own0) / Direction.radian),
            Look.wrapped((.pi - rise - own0) / Direction.radian)
        )
        let pitch = (low - self.pitch).magnitude <= (high - self.pitch).magnitude ? low : high
        let turn = Turn(yaw: 0, pitch: pitch, roll: 0)
        let yaw = (direction.longitude - turn.applied(ray).longitude) / Direction.radian
        return (nearest(yaw, to: self.yaw), min(max(pitch, -90), 90))
    }

    /// The limits that were set, whatever the panorama allows.
    var ownLimits: [Double] { [leastFieldOfView, greatestFieldOfView] }

    #if !hasFeature(Embedded)
    /// Takes the rest of a decoded state over, or throws `error`.
    mutating func restore(
        _ stand: Stand, _ gesture: PanoramaGesture, _ motion: PanoramaMotion, _ time: Double,
        _ error: some Error
    ) throws {
        let isPlaced =
            stand.yaw.magnitude < 1e9 && stand.pitch.magnitude <= 90 && stand.extent > 1e-9
            && stand.extent < 1e3
        let points = [gesture.first, gesture.second]
        guard isPlaced, (0...2).contains(gesture.count), gesture.tracker.isSound,
            points.allSatisfy({ $0.x.magnitude < 1e9 && $0.y.magnitude < 1e9 }), gesture.spread >= 1,
            gesture.spread < 1e10, gesture.pull > 1e-9, gesture.pull < 1e9,
            gesture.slackYaw.magnitude < 1e9, gesture.slackPitch.magnitude < 1e9
        else { throw error }
        switch motion {
        case .none: break
        case .deceleration(let motion):
            guard motion.start.isFinite, motion.pointsPerDegree > 1e-9, motion.pointsPerDegree < 1e12,
                motion.across.rest.magnitude < 1e15, motion.down.rest.magnitude < 1e15
            else { throw error }
        case .transition(let from, let to, _, let start):
            guard start.isFinite, from.extent > 1e-9, to.extent > 1e-9, from.extent < 1e3, to.extent < 1e3,
                from.yaw.magnitude < 1e9, to.yaw.magnitude < 1e9, from.pitch.magnitude <= 90,
                to.pitch.magnitude <= 90
            else { throw error }
        }
        (yaw, pitch, extent) = (stand.yaw, stand.pitch, stand.extent)
        (self.gesture, self.motion, self.time) = (gesture, motion, time)
    }
    #endif

    // MARK: Time

    /// Moves to a time, in seconds; earlier times are ignored.
    public mutating func advance(to time: Double) {
        guard time.isFinite, time >= self.time else { return }
        self.time = time
        switch motion {
        case .none: return
        case .deceleration(let motion): decelerate(motion)
        case .transition(let from, let to, let timing, let start):
            let elapsed = time - start
            let share = timing.progress(at: elapsed)
            guard elapsed < timing.duration else {
                (yaw, pitch, extent) = (to.yaw, to.pitch, to.extent)
                motion = .none
                settle()
                return
            }
            yaw = from.yaw + (to.yaw - from.yaw) * share
            pitch = from.pitch + (to.pitch - from.pitch) * share
            extent = from.extent * PortableMath.exp(PortableMath.log(to.extent / from.extent) * share)
        }
    }

    private mutating func decelerate(_ motion: PanoramaMotion.Deceleration) {
        let elapsed = time - motion.start
        yaw = motion.across.value(at: elapsed) / motion.pointsPerDegree
        pitch = min(max(motion.down.value(at: elapsed) / motion.pointsPerDegree, -90), 90)
        guard elapsed >= max(motion.across.duration, motion.down.duration) else { return }
        self.motion = .none
        settle()
    }
}

/// A motion of a view into a panorama, as a function of time.
enum PanoramaMotion: Equatable, Sendable {
    case none
    case deceleration(Deceleration)
    case transition(from: PanoramaView.Stand, to: PanoramaView.Stand, timing: Timing, start: Double)

    /// A deceleration of both angles, in view points.
    struct Deceleration: Equatable, Sendable {
        var start: Double
        var pointsPerDegree: Double
        var across: DecelerationCurve
        var down: DecelerationCurve
    }
}

extension LookProjection {
    /// Returns the distance of the top and the bottom edge from the middle, in radii of the sphere.
    func verticalExtent(_ degrees: Double) -> Double {
        switch self {
        case .rectilinear, .cylindrical: PortableMath.tangent(degrees: min(degrees, 170) / 2)
        case .stereographic: 2 * PortableMath.tangent(degrees: min(degrees, 330) / 4)
        case .equirectangular: degrees / 2 * Direction.radian
        }
    }
}

#if !hasFeature(Embedded)
extension PanoramaMotion: Codable {}
extension PanoramaMotion.Deceleration: Codable {}
extension PanoramaView.Stand: Codable {}
#endif

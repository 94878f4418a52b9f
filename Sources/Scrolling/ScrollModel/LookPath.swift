/// The path of a viewer's look into a panorama, from pose to pose, as a function of time.
///
/// Each leg turns the shorter way around and keeps the horizon where it is: yaw, pitch and roll change in proportion, and
/// the field of view by a constant factor, so that zooming appears to have constant speed. The path has no clock and no
/// state: ``look(at:)`` gives the look at any time.
public struct LookPath: Equatable, Sendable {
    /// A look at which the path begins, passes or ends.
    public struct Pose: Equatable, Sendable {
        /// The look.
        public var look: Look
        /// The rest at the pose, in seconds.
        public var hold: Double
        /// The duration of the leg that leads to the pose, in seconds; nil for a share of the free time.
        public var duration: Double?
        /// The easing of the leg that leads to the pose.
        public var easing: FlightPath.Easing

        /// Creates a pose; without arguments it does not rest, and takes a share of the free time.
        public init(
            _ look: Look, hold: Double = 0, duration: Double? = nil,
            easing: FlightPath.Easing = .easeInOut
        ) {
            (self.look, self.hold, self.duration, self.easing) = (look, hold, duration, easing)
        }
    }

    /// The looks at the poses.
    public let stops: [Look]
    /// The duration of the whole path, in seconds.
    public var duration: Double { schedule.duration }
    private let schedule: PathSchedule

    /// Creates a path.
    ///
    /// Times are those of ``FlightPath``. Without `duration`, a leg takes a second for each field of view that the look
    /// moves by, and for each zoom by *e*: the root of the sum of both squares.
    ///
    /// - Parameters:
    ///   - poses: at least one.
    ///   - duration: the duration of the whole path, in seconds.
    public init(_ poses: [Pose], duration: Double? = nil) throws(FlightPathError) {
        guard !poses.isEmpty else { throw .empty }
        let stops = poses.map { $0.look }
        schedule = try PathSchedule(
            poses.map { PathSchedule.Step(hold: $0.hold, duration: $0.duration, easing: $0.easing) },
            lengths: stops.indices.dropFirst().map { Self.length(from: stops[$0 - 1], to: stops[$0]) },
            duration: duration)
        self.stops = stops
    }

    private static func length(from: Look, to: Look) -> Double {
        let (first, last) = (Turn(from).ahead, Turn(to).ahead)
        let cosine = first.x * last.x + first.y * last.y + first.z * last.z
        let (x, y) = (first.x - cosine * last.x, first.y - cosine * last.y)
        let z = first.z - cosine * last.z
        let angle = PortableMath.arcTangent((x * x + y * y + z * z).squareRoot(), cosine) / Direction.radian
        // At a pole, yaw turns the picture as roll does.
        let turn = Look.wrapped(to.yaw + to.roll - from.yaw - from.roll).magnitude
        let field = (from.fieldOfView * to.fieldOfView).squareRoot()
        let across = max(angle, (from.pitch + to.pitch).magnitude > 179 ? turn : 0) / field
        let rolled = Look.wrapped(to.roll - from.roll) / 90
        let zoom = PortableMath.log(to.fieldOfView / from.fieldOfView)
        return (across * across + rolled * rolled + zoom * zoom).squareRoot()
    }

    /// Returns the look at a time, in seconds from the start.
    ///
    /// Before the start it is the first of ``stops``, after the end the last one. Times that are not numbers count as
    /// the start.
    public func look(at time: Double) -> Look {
        let (index, share) = schedule.place(at: time)
        guard share > 0 else { return stops[index] }
        guard share < 1 else { return stops[index + 1] }
        let (from, to) = (stops[index], stops[index + 1])
        let zoom = PortableMath.log(to.fieldOfView / from.fieldOfView)
        return Look(
            yaw: from.yaw + share * Look.wrapped(to.yaw - from.yaw),
            pitch: from.pitch + share * (to.pitch - from.pitch),
            roll: from.roll + share * Look.wrapped(to.roll - from.roll),
            fieldOfView: from.fieldOfView * PortableMath.exp(share * zoom))
    }

    /// The number of frames of a film: one each 1 / `framesPerSecond` seconds from the start, and the last at the end.
    ///
    /// A rate that is not positive and finite gives 1.
    public func frameCount(framesPerSecond: Double) -> Int {
        schedule.frameCount(framesPerSecond: framesPerSecond)
    }

    /// Returns the look at `index / framesPerSecond` seconds; that of the last frame is the last of ``stops``.
    public func look(ofFrame index: Int, framesPerSecond: Double) -> Look {
        index + 1 >= frameCount(framesPerSecond: framesPerSecond)
            ? stops[stops.count - 1] : look(at: Double(index) / framesPerSecond)
    }
}

#if !hasFeature(Embedded)
extension LookPath.Pose: Codable, Hashable {}
#endif

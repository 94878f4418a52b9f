public import ViewportGeometry

/// The path of a camera over an image, from pose to pose, as a function of time.
///
/// Each leg between two poses is a path of van Wijk and Nuij, as that of ``ScrollView/fly(to:duration:)``: out, across
/// and in again, at constant perceived speed. The path has no clock and no state: ``rect(at:)`` gives the visible part
/// of the image at any time.
///
/// A visible part always has the aspect ratio of the film. It is moved into the image along each axis where the image
/// is large enough, and centered on the image along the others. So, other than a flight of a scroll view, a path shows
/// no more background than necessary at any time.
///
/// - Source: van Wijk and Nuij, "Smooth and efficient zooming and panning", 2003, with rho = sqrt 2. Their length of a
///   path, which is a time at speed 1, divides the free time among the legs.
/// - An easing changes the progress along one leg. With the usual one the camera slows down at each pose.
/// - Every frame is computed on its own, with the same bits on every machine, so that a film can be made in parts.
public struct FlightPath: Equatable, Sendable {
    /// A part of the image at which the path begins, passes or ends.
    public struct Pose: Equatable, Sendable {
        /// The part of the image that is visible at least.
        public var rect: Rect<ImageSpace>
        /// The rest at the pose, in seconds.
        public var hold: Double
        /// The duration of the leg that leads to the pose, in seconds; nil for a share of the free time.
        public var duration: Double?
        /// The easing of the leg that leads to the pose.
        public var easing: Easing

        /// Creates a pose; without arguments it does not rest, and takes a share of the free time.
        public init(
            _ rect: Rect<ImageSpace>, hold: Double = 0, duration: Double? = nil, easing: Easing = .easeInOut
        ) {
            (self.rect, self.hold, self.duration, self.easing) = (rect, hold, duration, easing)
        }
    }

    /// The progress along a leg as a function of time: a cubic Bézier curve from (0, 0) to (1, 1), as in CSS.
    public struct Easing: Equatable, Sendable {
        /// The two control points; their coordinates are clamped to 0 to 1.
        let x1: Double, y1: Double, x2: Double, y2: Double

        /// Creates an easing from two control points; coordinates are clamped to 0 to 1.
        ///
        /// Returns nil if a coordinate is not finite.
        public init?(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) {
            guard x1.isFinite, y1.isFinite, x2.isFinite, y2.isFinite else { return nil }
            self.init(exactly: x1, y1, x2, y2)
        }

        private init(exactly x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) {
            func share(_ value: Double) -> Double { min(max(value, 0), 1) }
            (self.x1, self.y1, self.x2, self.y2) = (share(x1), share(y1), share(x2), share(y2))
        }

        /// Constant perceived speed.
        public static let linear = Easing(exactly: 0, 0, 1, 1)
        /// CSS's `ease`.
        public static let ease = Easing(exactly: 0.25, 0.1, 0.25, 1)
        /// A slow start: CSS's `ease-in`.
        public static let easeIn = Easing(exactly: 0.42, 0, 1, 1)
        /// A slow end: CSS's `ease-out`.
        public static let easeOut = Easing(exactly: 0, 0, 0.58, 1)
        /// A slow start and a slow end: CSS's `ease-in-out`.
        public static let easeInOut = Easing(exactly: 0.42, 0, 0.58, 1)

        func timing(_ duration: Double) -> Timing {
            self == .linear
                ? .linear(duration: duration) : .cubicBezier(x1, y1, x2, y2, duration: duration)
        }
    }

    /// The visible parts at the poses.
    public let stops: [Rect<ImageSpace>]
    /// The duration of the whole path, in seconds.
    public var duration: Double { schedule.duration }
    private let flights: [Flight]
    private let schedule: PathSchedule
    private let frame: Frame

    /// Creates a path.
    ///
    /// The free time, which is what `duration` leaves beside holds and the durations of poses, is divided among the
    /// other legs in proportion to their lengths. Without `duration`, these legs take as many seconds as they are
    /// long: speed 1.
    ///
    /// - Parameters:
    ///   - poses: at least one.
    ///   - size: the size of the film, of which only the aspect ratio matters.
    ///   - imageSize: the upright size of the image.
    ///   - duration: the duration of the whole path, in seconds.
    public init(
        _ poses: [Pose], size: Size<ViewSpace>, imageSize: Size<ImageSpace>, duration: Double? = nil
    ) throws(FlightPathError) {
        guard !size.isEmpty, size.isFinite, !imageSize.isEmpty, imageSize.isFinite, !poses.isEmpty else {
            throw .empty
        }
        let frame = Frame(aspect: size, image: imageSize)
        var stops: [Rect<ImageSpace>] = []
        for (index, pose) in poses.enumerated() {
            guard pose.rect.isFinite, Self.range.contains(pose.rect.width),
                Self.range.contains(pose.rect.height), Self.range.contains(imageSize.width),
                Self.range.contains(imageSize.height)
            else { throw .invalidRect(pose: index) }
            guard pose.rect.intersection(Rect(origin: .zero, size: imageSize)) != nil else {
                throw .outside(pose: index)
            }
            stops.append(frame.around(pose.rect))
        }
        let flights = stops.indices.dropFirst().map {
            Flight(from: Self.stop(stops[$0 - 1]), to: Self.stop(stops[$0]))
        }
        schedule = try PathSchedule(
            poses.map { PathSchedule.Step(hold: $0.hold, duration: $0.duration, easing: $0.easing) },
            lengths: flights.map { $0.length }, duration: duration)
        (self.stops, self.flights, self.frame) = (stops, flights, frame)
    }

    /// The range of rectangles' sides, in which the arithmetic is exact enough.
    private static let range = 1e-6...1e9

    private static func stop(_ rect: Rect<ImageSpace>) -> Flight.Stop {
        Flight.Stop(center: rect.center, width: rect.width)
    }

    /// Returns the visible part of the image at a time, in seconds from the start.
    ///
    /// Before the start it is the first of ``stops``, after the end the last one. Times that are not numbers count as
    /// the start.
    public func rect(at time: Double) -> Rect<ImageSpace> {
        let (index, share) = schedule.place(at: time)
        // Exactly the stops at the poses, whatever the formula rounds.
        guard share > 0 else { return stops[index] }
        guard share < 1 else { return stops[index + 1] }
        let stop = flights[index].stop(at: share)
        return frame.placed(center: stop.center, width: stop.width)
    }
}

/// Frames of a film.
extension FlightPath {
    /// The number of frames of a film: one each 1 / `framesPerSecond` seconds from the start, and the last at the end.
    ///
    /// A rate that is not positive and finite gives 1.
    public func frameCount(framesPerSecond: Double) -> Int {
        schedule.frameCount(framesPerSecond: framesPerSecond)
    }

    /// Returns the visible part at `index / framesPerSecond` seconds; that of the last frame is the last of ``stops``.
    public func rect(ofFrame index: Int, framesPerSecond: Double) -> Rect<ImageSpace> {
        index + 1 >= frameCount(framesPerSecond: framesPerSecond)
            ? stops[stops.count - 1] : rect(at: Double(index) / framesPerSecond)
    }

    /// Returns the poses of a slow zoom.
    ///
    /// The first pose is the largest part of the image that fills the film, in the middle of the image; the second one
    /// is a part of 0.7 times its sides, around `focus` and moved into the image.
    public static func kenBurns(
        towards focus: Point<ImageSpace>, size: Size<ViewSpace>, imageSize: Size<ImageSpace>
    ) -> [Pose] {
        let frame = Frame(aspect: size, image: imageSize)
        let width = min(imageSize.width, imageSize.height * size.width / size.height)
        let middle = Point<ImageSpace>(x: imageSize.width / 2, y: imageSize.height / 2)
        return [
            Pose(frame.placed(center: middle, width: width)),
            Pose(frame.placed(center: focus, width: width * 0.7)),
        ]
    }

    /// The aspect ratio of the film and the image, which place every visible part.
    private struct Frame: Equatable {
        let aspect: Size<ViewSpace>
        let image: Size<ImageSpace>

        /// The smallest part of the film's aspect ratio that contains a rectangle, around the same center.
        func around(_ rect: Rect<ImageSpace>) -> Rect<ImageSpace> {
            let (across, down) = (rect.width * aspect.height, rect.height * aspect.width)
            var part = rect
            if across > down {
                part.size.height = across / aspect.width
                part.origin.y -= (part.height - rect.height) / 2
            } else if down > across {
                part.size.width = down / aspect.height
                part.origin.x -= (part.width - rect.width) / 2
            }
            return inside(part)
        }

        func placed(center: Point<ImageSpace>, width: Double) -> Rect<ImageSpace> {
            let height = width * aspect.height / aspect.width
            return inside(
                Rect(x: center.x - width / 2, y: center.y - height / 2, width: width, height: height))
        }

        private func inside(_ rect: Rect<ImageSpace>) -> Rect<ImageSpace> {
            func origin(_ origin: Double, _ length: Double, in whole: Double) -> Double {
                length > whole ? (whole - length) / 2 : min(max(origin, 0), whole - length)
            }
            return Rect(
                x: origin(rect.minX, rect.width, in: image.width),
                y: origin(rect.minY, rect.height, in: image.height), width: rect.width, height: rect.height)
        }
    }
}

/// A problem of the poses or the duration of a ``FlightPath``.
///
/// Poses are counted from 0.
public enum FlightPathError: Error, Equatable, Sendable {
    /// There is no pose, or the film or the image has no area.
    case empty
    /// The rectangle of a pose has a side that is not a number from 10⁻⁶ to 10⁹.
    case invalidRect(pose: Int)
    /// The rectangle of a pose lies outside the image.
    case outside(pose: Int)
    /// The hold or the duration of a pose is not a number from 0 to 86,400.
    case invalidTime(pose: Int)
    /// The duration of the path is not a number above 0 and at most 86,400.
    case invalidDuration
    /// The path has no length, no hold and no duration.
    case noDuration
    /// The holds and durations of the poses, in seconds, leave no time for the other legs, or another duration.
    case conflict(poses: Double, duration: Double)
}

#if !hasFeature(Embedded)
extension FlightPathError: CustomStringConvertible {
    /// One sentence that names the pose and the cause.
    public var description: String {
        switch self {
        case .empty: "there is no pose, or a size without area"
        case .invalidRect(let pose):
            "pose \(pose + 1): the sides of its rectangle are not numbers from 0.000001 to 1000000000"
        case .outside(let pose): "pose \(pose + 1): its rectangle lies outside the image"
        case .invalidTime(let pose): "pose \(pose + 1): its hold or duration is not a number from 0 to 86400"
        case .invalidDuration: "the duration is not a number above 0 and at most 86400"
        case .noDuration: "the path has no length and no duration"
        case .conflict(let poses, let duration):
            "holds and durations of the poses take \(poses) s, the whole path \(duration) s"
        }
    }
}
#endif

#if !hasFeature(Embedded)
extension FlightPath.Pose: Codable, Hashable {}

extension FlightPath.Easing: Hashable {}

/// Coded as the coordinates of both control points, `[x1, y1, x2, y2]`.
extension FlightPath.Easing: Codable {
    /// Decodes `[x1, y1, x2, y2]`; coordinates are clamped as by `init`, and must be finite.
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        let numbers = try (0..<4).map { _ in try list.decode(Double.self) }
        guard list.isAtEnd, let easing = Self(numbers[0], numbers[1], numbers[2], numbers[3]) else {
            throw DecodingError.dataCorruptedError(
                in: list, debugDescription: "an easing consists of four finite numbers")
        }
        self = easing
    }

    /// Encodes `[x1, y1, x2, y2]`.
    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        for number in [x1, y1, x2, y2] { try list.encode(number) }
    }
}
#endif

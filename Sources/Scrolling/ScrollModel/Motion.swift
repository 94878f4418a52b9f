internal import ViewportGeometry

/// A motion as a function of time.
///
/// Nothing accumulates from step to step.
enum Motion: Equatable, Sendable {
    case none
    case deceleration(Deceleration)
    case transition(Transition)
    case flight(FlightPlan)

    /// A deceleration: two curves along the axes of the range.
    struct Deceleration: Equatable, Sendable {
        var start: Double
        var range: ScrollRange
        var first: DecelerationCurve
        var second: DecelerationCurve

        var duration: Double { max(first.duration, second.duration) }
        var rest: Point<ContentSpace> { range.point(first.rest, second.rest) }

        func offset(after t: Double) -> Point<ContentSpace> {
            range.point(first.value(at: t), second.value(at: t))
        }

        func velocity(after t: Double) -> Velocity {
            let point = range.point(first.velocity(at: t), second.velocity(at: t))
            return Velocity(x: point.x, y: point.y)
        }
    }

    /// A transition between placements in which every image point moves along a straight line on screen.
    ///
    /// The position on screen of an image point *p* is *p z - o*. It moves straight if *o* and *z* change by
    /// the same share. The scale itself changes exponentially.
    struct Transition: Equatable, Sendable {
        enum Purpose: UInt8, Equatable, Sendable { case scroll, zoom, zoomBounce, scrollToTop }

        var start: Double
        var from: ScrollView.Placement
        var to: ScrollView.Placement
        var timing: Timing
        var purpose: Purpose
        /// Whether both ends are in range, so that the path between them stays in range, too.
        var staysInRange: Bool

        func placement(after t: Double) -> ScrollView.Placement {
            // Exactly the goal at the end: the sums below could miss it by a rounding.
            guard t < timing.duration else { return to }
            let progress = timing.progress(at: t)
            let power = PortableMath.log(to.scale / from.scale)
            var scale = from.scale
            var share = progress
            // Where the scale hardly changes, its share would be a quotient of two roundings.
            if power.magnitude > 1e-9 {
                scale = from.scale * PortableMath.exp(power * progress)
                share = (scale - from.scale) / (to.scale - from.scale)
            }
            return ScrollView.Placement(
                scale: scale,
                offset: Point(
                    x: from.offset.x + (to.offset.x - from.offset.x) * share,
                    y: from.offset.y + (to.offset.y - from.offset.y) * share))
        }
    }

    /// A flight with its start time and duration.
    struct FlightPlan: Equatable, Sendable {
        var start: Double
        var duration: Double
        var flight: Flight
        var to: ScrollView.Placement
    }
}

#if !hasFeature(Embedded)
extension Motion: Codable {}
extension Motion.Deceleration: Codable {}
extension Motion.Transition: Codable {}
extension Motion.Transition.Purpose: Codable {}
extension Motion.FlightPlan: Codable {}
#endif

/// A smooth flight from one part of the image to another: out, across and in again.
///
/// Source: van Wijk and Nuij, "Smooth and efficient zooming and panning", 2003, section 4, with rho = sqrt 2.
/// The image appears to move at constant speed. A stop is an image point at the center and the visible width
/// *w*, in image points.
struct Flight: Equatable, Sendable {
    struct Stop: Equatable, Sendable {
        var center: Point<ImageSpace>
        var width: Double
    }

    static let rho = 1.414_213_562_373_095_1

    let from: Stop
    let to: Stop
    /// The distance between the two centers.
    private let distance: Double
    /// The paper's r0 and the length S of the path.
    private let start: Double
    let length: Double

    init(from: Stop, to: Stop) {
        self.from = from
        self.to = to
        let (dx, dy) = (to.center.x - from.center.x, to.center.y - from.center.y)
        let apart = (dx * dx + dy * dy).squareRoot()
        // Below this distance the flight is a pure zoom, exponential in w.
        distance = apart > 1e-9 * min(from.width, to.width) ? apart : 0
        guard distance > 0 else {
            start = 0
            length = PortableMath.log(to.width / from.width).magnitude / Self.rho
            return
        }
        let (w0, w1, u) = (from.width, to.width, distance)
        let r0 = Self.negativeAreaSine((w1 * w1 - w0 * w0 + 4 * u * u) / (4 * w0 * u))
        let r1 = Self.negativeAreaSine((w1 * w1 - w0 * w0 - 4 * u * u) / (4 * w1 * u))
        start = r0
        length = (r1 - r0) / Self.rho
    }

    /// Returns ln(-b + sqrt(b^2 + 1)), without cancellation.
    private static func negativeAreaSine(_ b: Double) -> Double {
        let size = PortableMath.log(b.magnitude + (b * b + 1).squareRoot())
        return b > 0 ? -size : size
    }

    /// Returns the stop at a share of the path's length.
    func stop(at share: Double) -> Stop {
        guard share < 1 else { return to }
        let s = share * length
        guard distance > 0 else {
            let width = from.width * PortableMath.exp(share * PortableMath.log(to.width / from.width))
            return Stop(center: to.center, width: width)
        }
        let now = Self.rho * s + start
        let across =
            from.width / 2 * (PortableMath.cosh(start) * PortableMath.tanh(now) - PortableMath.sinh(start))
        let part = across / distance
        return Stop(
            center: Point(
                x: from.center.x + (to.center.x - from.center.x) * part,
                y: from.center.y + (to.center.y - from.center.y) * part),
            width: from.width * PortableMath.cosh(start) / PortableMath.cosh(now))
    }
}

#if !hasFeature(Embedded)
extension Flight: Codable {}
extension Flight.Stop: Codable {}
#endif

/// One coordinate as a function of time, from the end of a drag until it rests.
///
/// Every segment has the form x(t) = rest + (a + b t) e^(-rate t). With b = 0 it is the exponential decay of
/// a flick; with b = v0 + rate a it is a critically damped spring. A curve has up to three segments: back
/// from beyond one edge, along the content, and into the spring of the other edge.
///
/// - The curve is in closed form. Nothing accumulates from frame to frame, so the frame rate changes nothing, and the
///   resting place is known when the finger is lifted: for targets and prefetching.
/// - The rates of the decay are UIScrollView's: 0.998 (normal) or 0.99 (fast) of the velocity remains after each
///   millisecond. The spring has mass 1 and stiffness 100.
/// - Exponentials never arrive. The coordinate is at rest when less than half a point is left.
/// - Exponentials and logarithms are those of `PortableMath`, so that a gesture ends at the same bits in browsers
///   and on servers.
struct DecelerationCurve: Equatable, Sendable {
    struct Segment: Equatable, Sendable {
        var start = 0.0
        var rest = 0.0
        var a = 0.0
        var b = 0.0
        var rate = DecelerationCurve.spring

        func value(at t: Double) -> Double {
            let t = t - start
            return rest + (a + b * t) * PortableMath.exp(-rate * t)
        }

        func velocity(at t: Double) -> Double {
            let t = t - start
            return (b - rate * (a + b * t)) * PortableMath.exp(-rate * t)
        }
    }

    /// The square root of the edge spring's stiffness 100, at mass 1; critically damped.
    static let spring = 10.0
    /// The remaining distance, in points, below which the coordinate is at rest.
    static let restDistance = 0.5

    private var first = Segment()
    private var second = Segment()
    private var third = Segment()
    private var count = 0
    /// The final coordinate.
    private(set) var rest: Double
    /// The seconds from the start until the coordinate is at rest.
    private(set) var duration = 0.0

    /// Creates a curve that stays at `value`.
    init(at value: Double) { rest = value }

    /// Returns the coordinate at a time, in seconds from the start.
    func value(at t: Double) -> Double {
        t >= duration ? rest : segment(at: t).value(at: t)
    }

    /// Returns the velocity at a time, in points per second.
    func velocity(at t: Double) -> Double {
        t >= duration ? 0 : segment(at: t).velocity(at: t)
    }

    private func segment(at t: Double) -> Segment {
        if count > 2, t >= third.start { return third }
        return count > 1 && t >= second.start ? second : first
    }

    private mutating func append(_ segment: Segment) {
        switch count {
        case 0: first = segment
        case 1: second = segment
        default: third = segment
        }
        count += 1
        rest = segment.rest
    }
}

extension DecelerationCurve {
    /// Creates a deceleration at the rate `decay`.
    ///
    /// An edge's spring absorbs the velocity left there.
    init(
        from x: Double, velocity v: Double, in span: ScrollRange.Span, decay: Double, bounces: Bool
    ) {
        self.init(at: x)
        var (x, v, t) = (x, v, 0.0)
        let edge = span.clamped(x)
        if edge != x {
            let back = Segment(rest: edge, a: x - edge, b: v + Self.spring * (x - edge))
            append(back)
            // An inward flick crosses the edge before the spring stops it and continues over the content.
            guard back.a * back.b < 0 else {
                finish()
                return
            }
            t = -back.a / back.b
            v = back.velocity(at: t)
            x = edge
        }
        // The integral of a velocity that decays exponentially.
        let travel = v / decay
        // Too slow to travel: the spring ends the motion, or the content rests where it is.
        guard travel.magnitude >= Self.restDistance else {
            if count == 0 { append(Segment(rest: x, rate: decay)) }
            finish()
            return
        }
        append(Segment(start: t, rest: x + travel, a: -travel, rate: decay))
        let far = span.clamped(x + travel)
        guard far != x + travel else {
            finish()
            return
        }
        // The time at which the distance that is left is the one behind the edge,
        // and the velocity there, which is proportional to that distance.
        if far != x { t += PortableMath.log(travel / (x + travel - far)) / decay }
        // Without bouncing the content stops at the edge.
        let speed = bounces ? decay * (x + travel - far) : 0
        append(Segment(start: t, rest: far, a: 0, b: speed))
        finish()
    }

    /// Creates a motion to `target` that starts at velocity `v` and never overshoots.
    ///
    /// `rate` is the spring's minimum rate. If exponential decay ends exactly at the target, the curve is
    /// that decay.
    init(from x: Double, velocity v: Double, to target: Double, rate: Double) {
        self.init(at: x)
        let a = x - target
        var rate = rate
        // Fast enough to reach the target without the spring: at this rate b is zero, so that the
        // spring becomes the decay that ends there. A lower rate would overshoot.
        if a * v < 0 { rate = min(max(rate, v.magnitude / a.magnitude), 1000) }
        append(Segment(rest: target, a: a, b: v + rate * a, rate: rate))
        finish()
    }

    /// Computes when the last segment comes to rest.
    private mutating func finish() {
        let last = count > 2 ? third : count > 1 ? second : first
        let (a, b, rate) = (last.a, last.b, last.rate)
        func distance(_ t: Double) -> Double { ((a + b * t) * PortableMath.exp(-rate * t)).magnitude }
        guard b != 0 else {
            let left = a.magnitude / Self.restDistance
            duration = last.start + (left > 1 ? PortableMath.log(left) / rate : 0)
            return
        }
        // The distance peaks at 1/rate - a/b and is zero at -a/b if that lies ahead. It falls monotonically
        // after the peak, or before the zero if the peak is already close enough.
        var near = max(0, 1 / rate - a / b)
        var far = near
        if distance(near) < Self.restDistance {
            (near, far) = (0, max(0, -a / b))
            guard distance(near) >= Self.restDistance else { return duration = last.start }
        } else {
            var step = 1 / rate
            while distance(far) >= Self.restDistance, step < 1e6 {
                far += step
                step *= 2
            }
        }
        // More halvings than a double has bits.
        for _ in 0..<60 {
            let middle = (near + far) / 2
            if distance(middle) >= Self.restDistance { near = middle } else { far = middle }
        }
        duration = last.start + far
    }
}

#if !hasFeature(Embedded)
extension DecelerationCurve: Codable {}
extension DecelerationCurve.Segment: Codable {}
#endif

/// The rate at which content loses its velocity after a flick.
@frozen
public struct DecelerationRate: Equatable, Sendable {
    /// The share of the velocity that remains after a millisecond, from 0.5 to 0.9999.
    public let perMillisecond: Double

    /// Creates a rate from the share of the velocity that remains after a millisecond.
    ///
    /// Values are clamped to 0.5 to 0.9999; NaN counts as 0.5.
    public init(perMillisecond: Double) {
        self.perMillisecond = perMillisecond > 0.5 ? min(perMillisecond, 0.9999) : 0.5
    }

    /// UIScrollView's default: content released at 1000 points per second travels 499.5 points.
    public static let normal = DecelerationRate(perMillisecond: 0.998)
    /// A fast rate: content released at 1000 points per second travels 99.5 points.
    public static let fast = DecelerationRate(perMillisecond: 0.99)

    /// The constant *k* of v(t) = v0 e^(-k t), per second.
    var decay: Double { -1000 * PortableMath.log(perMillisecond) }
}

#if !hasFeature(Embedded)
extension DecelerationRate: Hashable {}

/// Coded as the share of the velocity that remains after a millisecond.
extension DecelerationRate: Codable {
    /// Decodes a share, clamped as by `init(perMillisecond:)`.
    public init(from decoder: any Decoder) throws {
        self.init(perMillisecond: try decoder.singleValueContainer().decode(Double.self))
    }

    /// Encodes the share.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(perMillisecond)
    }
}
#endif

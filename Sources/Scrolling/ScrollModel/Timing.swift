/// The timing of an animation: a duration and a curve.
public struct Timing: Equatable, Sendable {
    enum Curve: Equatable, Sendable {
        case linear
        case cubicBezier(x1: Double, y1: Double, x2: Double, y2: Double)
        /// `frequency` is in radians per second.
        case spring(frequency: Double, dampingRatio: Double)
    }

    let curve: Curve
    /// The time until the animation has arrived, in seconds; 0 arrives at once.
    public let duration: Double

    init(curve: Curve, duration: Double) {
        self.curve = curve
        self.duration = duration > 0 && duration.isFinite ? min(duration, 1e6) : 0
    }

    /// The approximate timing of UIScrollView's animations: 0.3 seconds, ease in and ease out.
    public static let standard = easeInOut(duration: 0.3)

    /// Returns a linear timing.
    ///
    /// A duration that is not positive and finite counts as 0.
    public static func linear(duration: Double) -> Timing { Timing(curve: .linear, duration: duration) }

    /// Returns a timing that eases in and out: Core Animation's easeInEaseOut, (0.42, 0, 0.58, 1).
    public static func easeInOut(duration: Double) -> Timing {
        cubicBezier(0.42, 0, 0.58, 1, duration: duration)
    }

    /// Returns a cubic Bézier timing from (0, 0) to (1, 1) with two control points, as in CSS.
    ///
    /// *x* coordinates are clamped to 0 to 1. Coordinates that are not finite give a linear timing.
    public static func cubicBezier(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, duration: Double
    ) -> Timing {
        guard x1.isFinite, y1.isFinite, x2.isFinite, y2.isFinite else { return linear(duration: duration) }
        func share(_ x: Double) -> Double { min(max(x, 0), 1) }
        func height(_ y: Double) -> Double { min(max(y, -10), 10) }
        let curve = Curve.cubicBezier(x1: share(x1), y1: height(y1), x2: share(x2), y2: height(y2))
        return Timing(curve: curve, duration: duration)
    }

    /// Returns a spring timing.
    ///
    /// `response` is the period of the undamped spring, in seconds.
    ///
    /// It ends when less than a ten-thousandth of the distance is left. A damping ratio below 1 overshoots.
    public static func spring(dampingRatio: Double = 1, response: Double = 0.3) -> Timing {
        let ratio = dampingRatio > 0.05 ? min(dampingRatio, 20) : 0.05
        let period = response > 1e-3 ? min(response, 1e3) : 1e-3
        return spring(frequency: 6.283_185_307_179_586 / period, dampingRatio: ratio, until: 1e-4)
    }

    static func spring(frequency: Double, dampingRatio: Double, until rest: Double) -> Timing {
        let curve = Curve.spring(frequency: frequency, dampingRatio: dampingRatio)
        // The time at which the envelope, which falls monotonically, reaches `rest`.
        var far = 1 / frequency
        while curve.envelope(far) >= rest, far < 1e6 { far *= 2 }
        var near = 0.0
        // Bisection: the envelope has no inverse in closed form where the spring is damped critically or more.
        for _ in 0..<60 {
            let middle = (near + far) / 2
            if curve.envelope(middle) >= rest { near = middle } else { far = middle }
        }
        return Timing(curve: curve, duration: far)
    }

    /// Returns the progress `time` seconds after the start, from 0 to 1.
    ///
    /// Springs may overshoot.
    func progress(at time: Double) -> Double {
        guard time < duration else { return 1 }
        guard time > 0 else { return 0 }
        switch curve {
        case .linear:
            return time / duration
        case .cubicBezier(let x1, let y1, let x2, let y2):
            return Self.bezier(y1, y2, at: Self.parameter(x1, x2, for: time / duration))
        case .spring:
            return 1 - curve.distance(time)
        }
    }

    /// Returns one coordinate of the curve: B(s) = 3 (1-s)^2 s p1 + 3 (1-s) s^2 p2 + s^3.
    private static func bezier(_ p1: Double, _ p2: Double, at s: Double) -> Double {
        let r = 1 - s
        return 3 * r * r * s * p1 + 3 * r * s * s * p2 + s * s * s
    }

    /// Returns the parameter at which the curve's *x* is `x`, by bisection: *x* grows monotonically.
    private static func parameter(_ x1: Double, _ x2: Double, for x: Double) -> Double {
        var (low, high) = (0.0, 1.0)
        for _ in 0..<54 {
            let middle = (low + high) / 2
            if bezier(x1, x2, at: middle) < x { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }
}

extension Timing.Curve {
    /// Returns the remaining share of a spring's distance, `t` seconds after its release.
    func distance(_ t: Double) -> Double {
        guard case .spring(let w, let ratio) = self else { return 0 }
        if ratio < 1 {
            let damped = w * (1 - ratio * ratio).squareRoot()
            let (c, s) = PortableMath.cosineAndSine(radians: damped * t)
            return PortableMath.exp(-ratio * w * t) * (c + ratio * w / damped * s)
        }
        return envelope(t)
    }

    /// Returns an upper bound of the remaining share from `t` on.
    @inline(never)
    func envelope(_ t: Double) -> Double {
        guard case .spring(let w, let ratio) = self else { return 0 }
        if ratio < 1 { return PortableMath.exp(-ratio * w * t) / (1 - ratio * ratio).squareRoot() }
        if ratio < 1.000_001 { return (1 + w * t) * PortableMath.exp(-w * t) }
        let root = (ratio * ratio - 1).squareRoot()
        let (slow, fast) = (w * (ratio - root), w * (ratio + root))
        return (fast * PortableMath.exp(-slow * t) - slow * PortableMath.exp(-fast * t)) / (fast - slow)
    }
}

#if !hasFeature(Embedded)
extension Timing: Codable, Hashable {}
extension Timing.Curve: Codable, Hashable {}
#endif

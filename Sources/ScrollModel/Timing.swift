/// How an animated change goes from its start to its end: a duration and the progress at each moment.
public struct Timing: Equatable, Sendable {
    enum Curve: Equatable, Sendable {
        case linear
        case cubicBezier(x1: Double, y1: Double, x2: Double, y2: Double)
        /// `frequency` is in radians per second.
        case spring(frequency: Double, dampingRatio: Double)
    }

    let curve: Curve
    /// Seconds from start to end.
    public let duration: Double

    init(curve: Curve, duration: Double) {
        self.curve = curve
        self.duration = duration > 0 && duration.isFinite ? min(duration, 1e6) : 0
    }

    /// The timing of UIScrollView's own animations, as near as it is known: 0.3 seconds, slow at both ends.
    public static let standard = easeInOut(duration: 0.3)

    /// The same speed all the way; a duration that is not positive and finite is none.
    public static func linear(duration: Double) -> Timing { Timing(curve: .linear, duration: duration) }

    /// Slow at both ends: the cubic Bézier curve (0.42, 0, 0.58, 1) of Core Animation's easeInEaseOut.
    public static func easeInOut(duration: Double) -> Timing {
        cubicBezier(0.42, 0, 0.58, 1, duration: duration)
    }

    /// A cubic Bézier curve from (0, 0) to (1, 1) with two control points, as in CSS; their *x* is in 0 to 1.
    ///
    /// Coordinates that are not finite give the linear timing.
    public static func cubicBezier(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, duration: Double
    ) -> Timing {
        guard x1.isFinite, y1.isFinite, x2.isFinite, y2.isFinite else { return linear(duration: duration) }
        func share(_ x: Double) -> Double { min(max(x, 0), 1) }
        func height(_ y: Double) -> Double { min(max(y, -10), 10) }
        let curve = Curve.cubicBezier(x1: share(x1), y1: height(y1), x2: share(x2), y2: height(y2))
        return Timing(curve: curve, duration: duration)
    }

    /// A spring that is let go at rest; `response` is the period, in seconds, that it would have undamped.
    ///
    /// It lasts until less than a ten-thousandth of the distance is left. A damping ratio below 1 overshoots.
    public static func spring(dampingRatio: Double = 1, response: Double = 0.3) -> Timing {
        let ratio = dampingRatio > 0.05 ? min(dampingRatio, 20) : 0.05
        let period = response > 1e-3 ? min(response, 1e3) : 1e-3
        return spring(frequency: 6.283_185_307_179_586 / period, dampingRatio: ratio, until: 1e-4)
    }

    static func spring(frequency: Double, dampingRatio: Double, until rest: Double) -> Timing {
        let curve = Curve.spring(frequency: frequency, dampingRatio: dampingRatio)
        // The time after which the envelope, which only falls, stays below `rest`.
        var far = 1 / frequency
        while curve.envelope(far) >= rest, far < 1e6 { far *= 2 }
        var near = 0.0
        for _ in 0..<60 {
            let middle = (near + far) / 2
            if curve.envelope(middle) >= rest { near = middle } else { far = middle }
        }
        return Timing(curve: curve, duration: far)
    }

    /// The progress `time` seconds after the start, from 0 to 1; springs may overshoot.
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

    /// One coordinate of the curve: B(s) = 3 (1-s)^2 s p1 + 3 (1-s) s^2 p2 + s^3.
    private static func bezier(_ p1: Double, _ p2: Double, at s: Double) -> Double {
        let r = 1 - s
        return 3 * r * r * s * p1 + 3 * r * s * s * p2 + s * s * s
    }

    /// The parameter at which the curve's *x* is `x`; *x* only grows, so halving always finds it.
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
    /// The share of the distance that a spring has still before it, `t` seconds after it was let go.
    func distance(_ t: Double) -> Double {
        guard case .spring(let w, let ratio) = self else { return 0 }
        if ratio < 1 {
            let damped = w * (1 - ratio * ratio).squareRoot()
            let (c, s) = PortableMath.cosineAndSine(radians: damped * t)
            return PortableMath.exp(-ratio * w * t) * (c + ratio * w / damped * s)
        }
        return envelope(t)
    }

    /// What that share stays below from `t` on.
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
extension Timing: Codable {}
extension Timing.Curve: Codable {}
#endif

/// Elementary functions with the same bits on every platform.
///
/// C libraries and JavaScript differ in the last bit of `exp` and `log`, so a script replayed in a browser
/// would drift from the same script replayed on a server. These functions are accurate to about one unit in
/// the last place and never trap. NaN gives NaN.
enum PortableMath {
    /// Returns *e* to the power of `x`: 0 on underflow, the greatest finite number on overflow.
    @inline(never)
    static func exp(_ x: Double) -> Double {
        guard x == x else { return x }
        guard x > -708 else { return 0 }
        guard x < 709 else { return .greatestFiniteMagnitude }
        let power = (x * 1.442_695_040_888_963_4).rounded(.toNearestOrEven)
        // ln 2 in two parts keeps the difference exact.
        let r = (x - power * 6.931_471_803_691_238e-1) - power * 1.908_214_929_270_587_7e-10
        var sum = 1.0
        var n = 14.0
        while n > 0 {
            sum = 1 + r / n * sum
            n -= 1
        }
        return sum * Double(bitPattern: UInt64(Int64(power) + 1023) << 52)
    }

    /// Returns the natural logarithm of a positive, normal `x`, and the most negative finite number
    /// otherwise.
    @inline(never)
    static func log(_ x: Double) -> Double {
        guard x >= .leastNormalMagnitude else { return x == x ? -.greatestFiniteMagnitude : x }
        guard x <= .greatestFiniteMagnitude else { return x }
        var exponent = Double(Int64(x.bitPattern >> 52) - 1023)
        var mantissa = Double(bitPattern: x.bitPattern & 0x000F_FFFF_FFFF_FFFF | 0x3FF0_0000_0000_0000)
        if mantissa > 1.414_213_562_373_095_1 {
            mantissa /= 2
            exponent += 1
        }
        let f = (mantissa - 1) / (mantissa + 1)
        let square = f * f
        var sum = 0.0
        var n = 23.0
        while n > 1 {
            sum = (sum + 1 / n) * square
            n -= 2
        }
        return exponent * 6.931_471_803_691_238e-1
            + (2 * f * (1 + sum) + exponent * 1.908_214_929_270_587_7e-10)
    }

    /// Returns the hyperbolic cosine.
    static func cosh(_ x: Double) -> Double { (exp(x) + exp(-x)) / 2 }

    /// Returns the hyperbolic sine.
    ///
    /// Near zero, where the two exponentials cancel, it uses the series.
    static func sinh(_ x: Double) -> Double {
        guard x.magnitude < 0.3 else { return (exp(x) - exp(-x)) / 2 }
        var sum = 1.0
        var n = 14.0
        while n > 0 {
            sum = 1 + x * x / (n * (n + 1)) * sum
            n -= 2
        }
        return x * sum
    }

    /// Returns the hyperbolic tangent.
    static func tanh(_ x: Double) -> Double {
        guard x.magnitude < 20 else { return x < 0 ? -1 : 1 }
        return sinh(x) / cosh(x)
    }

    /// Returns cosine and sine of an angle in degrees, exact at multiples of 90.
    static func cosineAndSine(degrees: Double) -> (cosine: Double, sine: Double) {
        guard degrees.magnitude < 1e15 else { return (1, 0) }
        let turned = degrees - 360 * (degrees / 360).rounded(.down)
        let quarter = (turned / 90).rounded(.toNearestOrEven)
        let r = (turned - 90 * quarter) * 0.017_453_292_519_943_295
        let (c, s) = cosineAndSine(radians: r)
        switch Int(quarter) & 3 {
        case 0: return (c, s)
        case 1: return (-s, c)
        case 2: return (-c, -s)
        default: return (s, -c)
        }
    }

    /// Returns cosine and sine of an angle in radians.
    static func cosineAndSine(radians x: Double) -> (cosine: Double, sine: Double) {
        // Large angles carry no information about the phase, and halving infinity or NaN never ends.
        guard x.magnitude < 1e9 else { return (1, 0) }
        guard x.magnitude < 0.8 else {
            let half = cosineAndSine(radians: x / 2)
            return (half.cosine * half.cosine - half.sine * half.sine, 2 * half.sine * half.cosine)
        }
        let square = x * x
        var cosine = 1.0
        var sine = 1.0
        var n = 18.0
        while n > 0 {
            cosine = 1 - square / (n * (n - 1)) * cosine
            sine = 1 - square / (n * (n + 1)) * sine
            n -= 2
        }
        return (cosine, x * sine)
    }

    /// Returns the tangent of an angle in degrees: the greatest finite number at 90 degrees.
    static func tangent(degrees: Double) -> Double {
        let (cosine, sine) = cosineAndSine(degrees: degrees)
        return cosine == 0 ? (sine < 0 ? -1 : 1) * .greatestFiniteMagnitude : sine / cosine
    }

    /// Returns the angle of a point from the positive *x* axis, in radians from -pi to pi; 0 at the origin.
    static func arcTangent(_ y: Double, _ x: Double) -> Double {
        let (across, up) = (x.magnitude, y.magnitude)
        guard across > 0 || up > 0 else { return 0 }
        let isSteep = up > across
        var angle = arcTangent(isSteep ? across / up : up / across)
        if isSteep { angle = 1.570_796_326_794_896_6 - angle }
        if x < 0 { angle = 3.141_592_653_589_793 - angle }
        return y < 0 ? -angle : angle
    }

    /// The arc tangents of 0/8 to 8/8.
    private static func arcTangent(ofEighths eighths: Int) -> Double {
        switch eighths {
        case 0: 0
        case 1: 0.124_354_994_546_761_44
        case 2: 0.244_978_663_126_864_14
        case 3: 0.358_770_670_270_572_25
        case 4: 0.463_647_609_000_806_1
        case 5: 0.558_599_315_343_562_4
        case 6: 0.643_501_108_793_284_4
        case 7: 0.718_829_999_621_624_5
        default: 0.785_398_163_397_448_3
        }
    }

    /// Returns the arc tangent of a number from 0 to 1.
    private static func arcTangent(_ x: Double) -> Double {
        guard x >= 0, x <= 1 else { return x == x ? 0.785_398_163_397_448_3 : x }
        // The sum theorem leaves a sixteenth at most, where the series ends soon.
        let eighths = (x * 8).rounded(.toNearestOrEven)
        let near = eighths / 8
        let r = (x - near) / (1 + x * near)
        let s = r * r
        let series =
            1 - s * (1 / 3.0 - s * (1 / 5.0 - s * (1 / 7.0 - s * (1 / 9.0 - s * (1 / 11.0 - s / 13)))))
        return arcTangent(ofEighths: Int(eighths)) + r * series
    }
}

/// Smooth random numbers on a plane, from which mountains, clouds and waves are computed.
struct Noise: Sendable {
    /// The seed; each seed gives a different landscape.
    var seed: UInt32

    /// Returns a random number from 0 to 1 for a grid point.
    func hash(_ x: Int32, _ y: Int32) -> Double {
        var h = UInt32(bitPattern: x) &* 0x8DA6_B343 ^ UInt32(bitPattern: y) &* 0xD816_3841 ^ seed
        h = (h ^ h >> 15) &* 0x2C1B_3C6D
        h = (h ^ h >> 12) &* 0x297A_2D39
        return Double(h ^ h >> 15) * (1 / 4_294_967_296)
    }

    /// Returns a value from 0 to 1 and its slope, interpolated from the four nearest grid points by a cubic.
    // Inlined, so that callers that ignore the slope do not compute it.
    @inline(__always)
    func sample(_ x: Double, _ y: Double) -> (value: Double, dx: Double, dy: Double) {
        let (ix, iy) = (floor(x), floor(y))
        let (fx, fy) = (x - Double(ix), y - Double(iy))
        let (ux, uy) = (fx * fx * (3 - 2 * fx), fy * fy * (3 - 2 * fy))
        let (a, b) = (hash(ix, iy), hash(ix &+ 1, iy))
        let (c, d) = (hash(ix, iy &+ 1), hash(ix &+ 1, iy &+ 1))
        let (right, down, both) = (b - a, c - a, a - b - c + d)
        return (
            a + right * ux + down * uy + both * ux * uy,
            6 * fx * (1 - fx) * (right + both * uy), 6 * fy * (1 - fy) * (down + both * ux)
        )
    }

    private func floor(_ x: Double) -> Int32 {
        let whole = Int32(x)
        return x < Double(whole) ? whole &- 1 : whole
    }

    /// Returns octaves of noise, each half as strong and twice as fine; from 0 to 1, mostly near 0.5.
    func octaves(_ count: Int, _ x: Double, _ y: Double) -> Double {
        var (x, y, sum, weight) = (x, y, 0.0, 0.5)
        for _ in 0..<count {
            sum += weight * sample(x, y).value
            (x, y) = turned(x, y)
            weight *= 0.5
        }
        return sum / (1 - 2 * weight)
    }

    /// Returns octaves that are weaker on steep slopes: ridges stay sharp and valleys smooth, as if eroded.
    ///
    /// - Parameter count: The number of octaves; a fraction fades the finest one, so that detail changes continuously.
    func eroded(_ count: Double, _ x: Double, _ y: Double) -> Double {
        var (x, y, sum, weight, dx, dy) = (x, y, 0.0, 1.0, 0.0, 0.0)
        var left = count
        while left > 0 {
            let n = sample(x, y)
            dx += n.dx
            dy += n.dy
            sum += weight * min(left, 1) * n.value / (1 + dx * dx + dy * dy)
            (x, y) = turned(x, y)
            weight *= 0.5
            left -= 1
        }
        return sum
    }

    /// Returns octaves of folded noise with sharp crests, from 0 to 1.
    func ridges(_ count: Int, _ x: Double, _ y: Double) -> Double {
        var (x, y, sum, weight) = (x, y, 0.0, 0.5)
        for _ in 0..<count {
            let fold = 1 - abs(2 * sample(x, y).value - 1)
            sum += weight * fold * fold
            (x, y) = turned(x, y)
            weight *= 0.5
        }
        return sum / (1 - 2 * weight)
    }

    // Rotates by the angle of the 3-4-5 triangle between octaves, so that their grids are not aligned.
    private func turned(_ x: Double, _ y: Double) -> (Double, Double) {
        (1.6 * x - 1.2 * y + 17.3, 1.2 * x + 1.6 * y + 9.1)
    }
}

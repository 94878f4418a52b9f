private import Platform

/// The terrain: a lake between wooded slopes, with a massif and mountain ranges behind it.
///
/// All lengths are in meters; the lake is at height 0.
struct Terrain: Sendable {
    let noise: Noise
    /// Slowly changing values, computed once.
    private let plan: CoarseMap<Plan>

    init(noise: Noise) {
        self.noise = noise
        plan = CoarseMap { x, z in Plan(noise, x, z) }
    }

    /// Returns the height of the ground without trees.
    ///
    /// - Parameter detail: The size of the smallest shape to include, in meters.
    func height(_ x: Double, _ z: Double, detail: Double) -> Double {
        let octaves = min(max(log2(2600 / detail), 3), 13)
        let rough = noise.eroded(octaves, x / 2600 + 3.1, z / 2600 + 7.7)
        let plan = plan.value(x, z)
        return plan.base + plan.rise * rough
    }

    /// Returns the minimum distance to the shore from a point on the lake.
    func water(_ x: Double, _ z: Double) -> Double { max(-plan.value(x, z).shore - 40, 0) * 0.5 }

    /// Returns noise of a few hundred meters' width, from 0 to 1, which places forest, meadow and snow.
    func patch(_ x: Double, _ z: Double) -> Double { plan.value(x, z).patch }

    /// Returns the density of the forest, from 0 to 1.
    func forest(_ x: Double, _ z: Double, height: Double) -> Double {
        guard height > 3, height < 1000 else { return 0 }
        let patch = patch(x, z)
        let line = smoothstep(760, 480, height + 420 * (patch - 0.5)) * smoothstep(3, 9, height)
        return line * smoothstep(0.3, 0.42, patch + 0.1)
    }

    /// Returns the height of the trees above the ground, and the relative height in a tree: 1 at its tip.
    ///
    /// Each cell of 6.5 meters has one conifer if the forest is dense enough.
    func trees(_ x: Double, _ z: Double, forest: Double) -> (height: Double, tip: Double) {
        let cell = 6.5
        let (cx, cz) = ((x / cell).rounded(), (z / cell).rounded())
        // Branches roughen the outline of the cone.
        let branch = 0.75 + 0.5 * noise.sample(x / 0.8, z / 0.8).value
        var best = (height: 0.0, tip: 0.0)
        for j in -1...0 {
            for i in -1...0 {
                let (ix, iz) = (Int32(cx) + Int32(i), Int32(cz) + Int32(j))
                let chance = noise.hash(ix &+ 9001, iz)
                guard chance < forest else { continue }
                let size = 0.6 + 0.4 * noise.hash(ix, iz &+ 7001)
                let dx = x - (Double(ix) + 0.5 + 0.5 * (noise.hash(ix &+ 101, iz) - 0.5)) * cell
                let dz = z - (Double(iz) + 0.5 + 0.5 * (noise.hash(ix, iz &+ 303) - 0.5)) * cell
                let tip = 1 - (dx * dx + dz * dz).squareRoot() * branch / (2.9 * size)
                let height = tip * 17 * size
                if height > best.height { best = (height, tip) }
            }
        }
        return best
    }
}

/// The slowly changing properties of the ground; its height is `base` + `rise` x roughness.
private struct Plan: Blendable {
    var base: Double
    var rise: Double
    /// The distance to the lake in meters; negative on the lake.
    var shore: Double
    var patch: Double

    init(_ noise: Noise, _ x: Double, _ z: Double) {
        let bend = noise.octaves(3, x / 900 + 31, z / 900) - 0.5
        let axis = 150 * sin(z / 900 + 0.4) - 40
        let lake = 400 - 180 * smoothstep(700, 1500, z) - 420 * smoothstep(2300, 3900, z)
        patch = noise.octaves(3, x / 260 + 11, z / 260 + 5)
        shore = abs(x - axis) - lake + 420 * bend

        let foot = 780 * smoothstep(-60, 2300, shore) + 380 * smoothstep(3000, 7000, z)
        let bank = 26 * smoothstep(0, 60, shore)
        let peak =
            Self.bump(x - 900, z - 8800, 1500, 1900) * 2700 + Self.bump(x + 2100, z - 9900, 1500, 1700) * 1700
        let wall = Self.bump(x - 3900, z - 7000, 1300, 2600) * 900
        let far = 1500 * smoothstep(11000, 17000, z)
        let crest = noise.ridges(3, x / 4200 + 5.2, z / 4200 + 1.7)
        let floor = -14 + 20 * smoothstep(-150, 120, shore) + 6 * smoothstep(2600, 3600, z)
        base =
            floor + 0.12 * foot - 0.5 * bank + (peak + wall) * (0.35 + 0.55 * crest)
            + far * (0.3 + 0.7 * crest)
        rise = 0.9 * foot + bank + 0.42 * (peak + wall)
    }

    private static func bump(_ x: Double, _ z: Double, _ width: Double, _ depth: Double) -> Double {
        exp(-(x * x) / (width * width) - z * z / (depth * depth))
    }

    static func + (a: Plan, b: Plan) -> Plan {
        var sum = a
        sum.base += b.base
        sum.rise += b.rise
        sum.shore += b.shore
        sum.patch += b.patch
        return sum
    }

    static func * (a: Plan, factor: Double) -> Plan {
        var product = a
        product.base *= factor
        product.rise *= factor
        product.shore *= factor
        product.patch *= factor
        return product
    }
}

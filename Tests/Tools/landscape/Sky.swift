private import Platform

/// The sky: its color in every direction, clouds, and the haze over distant objects.
struct Sky: Sendable {
    let noise: Noise

    static let sun = Color(1.34, 1.02, 0.70) * 2.75
    static let ambient = Color(0.27, 0.40, 0.64) * 0.66

    /// Returns the color of the sky without clouds.
    ///
    /// - Parameters:
    ///   - side: The horizontal slope of the direction: right divided by ahead.
    ///   - rise: The vertical slope of the direction: up divided by ahead.
    func air(_ side: Double, _ rise: Double) -> Color {
        let up = max(rise, 0)
        let deep = 1 - exp(-3.2 * up)
        let glow = exp(-5.5 * up) * (0.65 - 0.8 * side)
        return Color(0.80, 0.84, 0.90).mixed(Color(0.10, 0.25, 0.60), deep)
            + Color(0.32, 0.17, 0.05) * max(glow, 0)
    }

    /// Returns the color of the sky with clouds.
    func color(_ side: Double, _ rise: Double) -> Color {
        let base = air(side, rise)
        guard rise > 0.01 else { return base }
        // The clouds are a flat layer, so that distant ones are small and low.
        let far = 1 / (rise + 0.16)
        let (u, v) = (side * far * 1.25 + 4, far * 1.9)
        let density = cloud(u, v)
        let veil = smoothstep(0.5, 0.95, noise.octaves(5, u * 0.7 + 3 * v * 0.2 + 40, v * 2.4)) * 0.35
        var result = base.mixed(Color(1.0, 0.97, 0.95), veil)
        guard density > 0 else { return result }
        // A cloud is brighter where its density decreases towards the sun.
        let lit = min(max(0.62 + 2.2 * (density - cloud(u - 0.08, v - 0.05)), 0), 1)
        let body = Color(0.42, 0.47, 0.58).mixed(Color(1.75, 1.48, 1.20), lit)
        let cover = smoothstep(0, 0.30, density) * smoothstep(0.03, 0.16, rise)
        result = result.mixed(body, 0.92 * cover)
        return result
    }

    private func cloud(_ u: Double, _ v: Double) -> Double {
        let warp = noise.octaves(3, u * 1.3 + 7, v * 1.3 + 3)
        return max(noise.octaves(7, u + 0.55 * warp, v + 0.4 * warp) - 0.54, 0) * 3.4
    }

    /// Returns a color seen through air: bluer and paler with distance, most of all in the mist at low heights.
    func haze(_ color: Color, _ side: Double, distance: Double, height: Double) -> Color {
        let low = exp(-max(height, 0) / 420)
        let depth = distance / 36000 * (0.6 + 1.3 * low)
        let through = exp(-depth)
        let veil = Color(0.50, 0.62, 0.80) + Color(0.22, 0.13, 0.03) * max(0.5 - side, 0)
        return color * through + veil * (1 - through)
    }
}

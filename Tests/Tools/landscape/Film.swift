private import Platform

/// Converts light to sRGB bytes like a film: with soft highlights and fine grain.
struct Film: Sendable {
    let noise: Noise
    private let curve: [Double]

    init(noise: Noise) {
        self.noise = noise
        // Exposure, roll-off towards white, and the sRGB curve, in steps of 1/1024 of light.
        curve = (0...8192).map { index in
            let light = Double(index) / 1024 * 0.66
            let value = min(light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14), 1)
            return 255 * (value <= 0.003_130_8 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055)
        }
    }

    /// Returns the three bytes of a pixel.
    ///
    /// - Parameter shade: The vignetting: 1 in the center of the picture, less in its corners.
    func develop(_ light: Color, shade: Double, x: Int, y: Int) -> (UInt8, UInt8, UInt8) {
        let (i, j) = (Int32(truncatingIfNeeded: x), Int32(truncatingIfNeeded: y))
        let grain = noise.hash(i, j) + noise.hash(i &+ 50021, j) - 1
        return (
            byte(light.red * shade, grain), byte(light.green * shade, grain), byte(light.blue * shade, grain)
        )
    }

    private func byte(_ light: Double, _ grain: Double) -> UInt8 {
        let value = curve[Int(min(max(light, 0), 7.99) * 1024 + 0.5)]
        return UInt8(min(max(value + 3.4 * grain + 0.5, 0), 255))
    }
}

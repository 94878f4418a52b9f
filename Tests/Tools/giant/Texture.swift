/// Pixels with the statistics of a photograph, computed from their positions only.
///
/// Areas of color, up to thousands of pixels wide and bounded by edges, have texture of varying strength and fine
/// grain. No two regions are equal, so caches gain nothing from repetition.
struct Texture: Sendable {
    private let seed: UInt32
    /// Noise that is computed once; each run of 16 pixels starts at a random position in it.
    private let grain: [Int32]
    private static let grains: UInt32 = 1 << 15

    init(seed: UInt32) {
        self.seed = seed &* 0x9E37_79B9 ^ 0x7F4A_7C15
        let count = Self.grains
        let white = (0..<count + 18).map { index in
            Int32(Self.mix(index &* 0x85EB_CA6B ^ seed) & 511) - 256
        }
        // A lens is less sharp than the sensor, so neighbors share some of their noise.
        grain = (0..<white.count - 1).map { (white[$0] * 3 + white[$0 + 1] * 2) / 4 }
    }

    /// Fills one row with RGB samples.
    func fill(_ y: Int, _ row: inout MutableSpan<UInt8>) {
        let width = row.count / 3
        let y = UInt32(y)
        var start = coarse(0, y)
        for x in stride(from: 0, to: width, by: 16) {
            let end = coarse(UInt32(x) + 16, y)
            paint(x, y, start, end, min(16, width - x), &row)
            start = end
        }
    }

    /// Slowly changing values, in 256ths of a byte.
    private struct Coarse {
        var light: Int32
        var blue: Int32
        var red: Int32
        /// The strength of the texture, from 0 to 65535.
        var busy: Int32
    }

    private func coarse(_ x: UInt32, _ y: UInt32) -> Coarse {
        let light =
            value(x, y, 11, 1) * 22 + value(x, y, 9, 2) * 18 + value(x, y, 7, 3) * 12 + value(x, y, 5, 4) * 7
        let blue = value(x, y, 12, 5) + value(x, y, 9, 6) / 2
        let red = value(x, y, 11, 7) + value(x, y, 8, 8) / 2
        let busy = value(x, y, 10, 9) + value(x, y, 7, 10) / 2 - 24000
        return Coarse(
            light: light / 64, blue: (blue - 49152) / 7, red: (red - 49152) / 7,
            busy: min(max(busy * 2, 5000), 65535))
    }

    /// Paints up to 16 pixels: linear interpolation of coarse values, fine texture, edges and grain.
    private func paint(
        _ x: Int, _ y: UInt32, _ start: Coarse, _ end: Coarse, _ count: Int, _ row: inout MutableSpan<UInt8>
    ) {
        let first = Int((hash(UInt32(x), y, 11)) & (Self.grains - 1))
        let busy = start.busy >> 8
        var (light, blue, red) = (start.light, start.blue, start.red)
        let steps = (
            (end.light - start.light) / 16, (end.blue - start.blue) / 16, (end.red - start.red) / 16
        )
        var fine = texture(UInt32(x), y)
        var fineStep: Int32 = 0
        for i in 0..<count {
            if i & 3 == 0 { fineStep = (texture(UInt32(x + i + 4), y) - fine) / 4 }
            // Steps of the light produce outlines, like those of objects that are lit from one side.
            let edge = (light >> 12 & 3) * 2900
            let detail = fine * busy / 256 + grain[first + i] * (3 * busy + 200) / 50
            let luma = light + edge + detail - 2200
            let at = 3 * (x + i)
            row[at] = byte(luma + red + red >> 1)
            row[at + 1] = byte(luma - blue / 3 - red * 3 / 4)
            row[at + 2] = byte(luma + blue + blue * 3 / 4)
            fine += fineStep
            light += steps.0
            blue += steps.1
            red += steps.2
        }
    }

    /// Returns texture of a few pixels' width, around 0.
    private func texture(_ x: UInt32, _ y: UInt32) -> Int32 {
        (value(x, y, 3, 12) + value(x, y, 2, 13) * 3 / 4 - 57344) / 5
    }

    private func byte(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: min(max(value >> 8, 0), 255)) }

    /// Returns value noise with cells of 2^`shift` pixels, from 0 to 65535.
    @inline(__always)
    private func value(_ x: UInt32, _ y: UInt32, _ shift: UInt32, _ octave: UInt32) -> Int32 {
        let (i, j) = (x >> shift, y >> shift)
        let (u, v) = (smooth(x, shift), smooth(y, shift))
        let (a, b) = (corner(i, j, octave), corner(i &+ 1, j, octave))
        let (c, d) = (corner(i, j &+ 1, octave), corner(i &+ 1, j &+ 1, octave))
        let top = a + (((b - a) * u) >> 10)
        let bottom = c + (((d - c) * u) >> 10)
        return top + (((bottom - top) * v) >> 10)
    }

    private func corner(_ i: UInt32, _ j: UInt32, _ octave: UInt32) -> Int32 {
        Int32(truncatingIfNeeded: hash(i, j, octave) >> 16)
    }

    /// Returns the position of a point in its cell, smoothed by a cubic, from 0 to 1024.
    private func smooth(_ x: UInt32, _ shift: UInt32) -> Int32 {
        let t = Int32(truncatingIfNeeded: ((x & ((1 << shift) - 1)) << 10) >> shift)
        return t * t / 1024 * (3072 - 2 * t) / 1024
    }

    private func hash(_ x: UInt32, _ y: UInt32, _ octave: UInt32) -> UInt32 {
        Self.mix(x &* 0x8DA6_B343 ^ y &* 0xD816_3841 ^ octave &* 0xCB1A_B31F ^ seed)
    }

    private static func mix(_ x: UInt32) -> UInt32 {
        let h = (x ^ x >> 15) &* 0x2C1B_3C6D
        return (h ^ h >> 12) &* 0x297A_2D39
    }
}

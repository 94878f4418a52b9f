private import Platform
internal import ViewportGeometry
internal import ViewportRendering

#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// A blurred picture in about 25 bytes, to show until the thumbnail is loaded.
///
/// The lowest frequencies of a cosine transform of luminance, two color differences and alpha, in 4 bits each.
/// Source: Evan Wallace, ThumbHash, 2023, https://evanw.github.io/thumbhash.
struct ThumbHash {
    let bytes: [UInt8]

    /// The longest side of the input; more pixels make no difference.
    static let greatestSide = 100

    /// - Parameter rgba: rows from the top, straight alpha.
    /// - Precondition: sides from 1 to `greatestSide`, and four bytes per pixel.
    init(width: Int, height: Int, rgba: [UInt8]) {
        precondition((1...Self.greatestSide).contains(width) && (1...Self.greatestSide).contains(height))
        precondition(rgba.count == width * height * 4)
        let pixels = HashedPixels(width: width, height: height, rgba: rgba)
        let waves = pixels.hasAlpha ? 5 : 7
        let longest = Double(max(width, height))
        let across = max(1, Int((Double(waves * width) / longest).rounded()))
        let down = max(1, Int((Double(waves * height) / longest).rounded()))
        let light = pixels.waves(of: pixels.light, max(3, across), max(3, down))
        let yellow = pixels.waves(of: pixels.yellowBlue, 3, 3)
        let red = pixels.waves(of: pixels.redGreen, 3, 3)
        let isLandscape = width > height
        var bits = BitList()
        bits.append(63 * light.mean, bits: 6)
        bits.append(31.5 + 31.5 * yellow.mean, bits: 6)
        bits.append(31.5 + 31.5 * red.mean, bits: 6)
        bits.append(31 * light.scale, bits: 5)
        bits.append(pixels.hasAlpha ? 1 : 0, bits: 1)
        bits.append(Double(isLandscape ? down : across), bits: 3)
        bits.append(63 * yellow.scale, bits: 6)
        bits.append(63 * red.scale, bits: 6)
        bits.append(isLandscape ? 1 : 0, bits: 1)
        var channels = [light, yellow, red]
        if pixels.hasAlpha {
            let alpha = pixels.waves(of: pixels.alpha, 5, 5)
            bits.append(15 * alpha.mean, bits: 4)
            bits.append(15 * alpha.scale, bits: 4)
            channels.append(alpha)
        }
        for channel in channels {
            for wave in channel.waves { bits.append(15 * wave, bits: 4) }
        }
        bytes = bits.bytes
    }

    /// Creates the hash of a small picture; nil for CMYK.
    init?(_ picture: Picture) {
        guard let rgba = try? picture.rgba() else { return nil }
        self.init(width: picture.size.width, height: picture.size.height, rgba: rgba)
    }

    /// The hash in base64.
    var base64: String { Data(bytes).base64EncodedString() }
}

/// Luminance, color differences and alpha of a picture, from 0 or -1 to 1.
private struct HashedPixels {
    let width: Int
    let height: Int
    let hasAlpha: Bool
    private(set) var light: [Double] = []
    private(set) var yellowBlue: [Double] = []
    private(set) var redGreen: [Double] = []
    private(set) var alpha: [Double] = []

    init(width: Int, height: Int, rgba: [UInt8]) {
        self.width = width
        self.height = height
        let pixels = stride(from: 0, to: rgba.count, by: 4).map { index in
            SIMD4(rgba[index], rgba[index + 1], rgba[index + 2], rgba[index + 3])
        }
        let values = pixels.map { SIMD4<Double>($0) / 255 }
        let sum = values.reduce(SIMD4<Double>.zero) { sum, value in
            sum + SIMD4(value.x * value.w, value.y * value.w, value.z * value.w, value.w)
        }
        let average = sum.w > 0 ? sum / sum.w : .zero
        hasAlpha = pixels.contains { $0.w < 255 }
        // Transparent pixels get the average color.
        for value in values {
            let color = average * (1 - value.w) + value * value.w
            light.append((color.x + color.y + color.z) / 3)
            yellowBlue.append((color.x + color.y) / 2 - color.z)
            redGreen.append(color.x - color.y)
            alpha.append(value.w)
        }
    }

    /// The mean of a channel, its largest coefficient, and all coefficients scaled to 0...1 by that one.
    func waves(
        of channel: [Double], _ across: Int, _ down: Int
    ) -> (mean: Double, scale: Double, waves: [Double]) {
        var waves: [Double] = []
        for y in 0..<down {
            let columnWave = Self.cosines(y, height)
            for x in 0..<across where x * down < across * (down - y) {
                let rowWave = Self.cosines(x, width)
                var sum = 0.0
                for row in 0..<height {
                    for column in 0..<width {
                        sum += channel[row * width + column] * rowWave[column] * columnWave[row]
                    }
                }
                waves.append(sum / Double(width * height))
            }
        }
        let mean = waves.removeFirst()
        let scale = waves.reduce(0) { max($0, abs($1)) }
        // A uniform color only leaves rounding noise.
        guard scale > 1e-9 else { return (mean, 0, waves.map { _ in 0 }) }
        return (mean, scale, waves.map { 0.5 + 0.5 / scale * $0 })
    }

    private static func cosines(_ wave: Int, _ count: Int) -> [Double] {
        (0..<count).map { cos(Double.pi / Double(count) * Double(wave) * (Double($0) + 0.5)) }
    }
}

/// Packed numbers of a few bits; the first is in the lowest bits of the first byte.
private struct BitList {
    private(set) var bytes: [UInt8] = []
    private var count = 0

    /// Appends a number, rounded and clamped to the bits.
    mutating func append(_ number: Double, bits: Int) {
        let value = Int(min(max(number.rounded(), 0), Double(1 << bits - 1)))
        for bit in 0..<bits {
            if count % 8 == 0 { bytes.append(0) }
            bytes[count / 8] |= UInt8(value >> bit & 1) << (count % 8)
            count += 1
        }
    }
}

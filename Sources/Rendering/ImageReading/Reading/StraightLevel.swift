internal import Resampling
internal import TilePyramid
internal import ViewportGeometry

/// A level whose colors are multiplied by alpha, read with straight alpha.
///
/// Alpha is the last sample of a pixel. Colors of transparent pixels, which are lost, become 0.
struct StraightLevel: LevelReader {
    let base: any LevelReader

    var level: PyramidLevel { base.level }
    var pixels: SourcePixelFormat { base.pixels }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        let layout = pixels.layout
        try base.read(rect) { bytes in
            var collector = RowCollector(byteCount: bytes.byteCount)
            collector.push(bytes)
            var samples = collector.pixels
            switch layout.type {
            case .uint8: Self.divide(&samples, bands: layout.bands)
            case .uint16: Self.divideWide(&samples, bands: layout.bands)
            default: break
            }
            try samples.withRow(samples.indices, row)
        }
    }

    private static func divide(_ samples: inout [UInt8], bands: Int) {
        for pixel in stride(from: 0, to: samples.count, by: bands) {
            let alpha = Int(samples[pixel + bands - 1])
            guard alpha < 255 else { continue }
            for at in pixel..<(pixel + bands - 1) {
                samples[at] = UInt8(straight(Int(samples[at]), alpha, most: 255))
            }
        }
    }

    /// Divides samples of 16 bits in the byte order of the machine.
    private static func divideWide(_ samples: inout [UInt8], bands: Int) {
        func value(_ at: Int) -> Int {
            Int(UInt16(littleEndian: UInt16(samples[at]) | UInt16(samples[at + 1]) << 8))
        }
        for pixel in stride(from: 0, to: samples.count, by: 2 * bands) {
            let alpha = value(pixel + 2 * (bands - 1))
            for at in stride(from: pixel, to: pixel + 2 * (bands - 1), by: 2) {
                let color = UInt16(straight(value(at), alpha, most: 65535)).littleEndian
                (samples[at], samples[at + 1]) = (UInt8(truncatingIfNeeded: color), UInt8(color >> 8))
            }
        }
    }

    private static func straight(_ color: Int, _ alpha: Int, most: Int) -> Int {
        alpha == 0 ? 0 : min(most, (color * most + alpha / 2) / alpha)
    }
}

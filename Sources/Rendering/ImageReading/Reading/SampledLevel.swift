internal import Resampling
internal import TilePyramid
package import ViewportGeometry

extension LevelReader {
    /// Lends the rows of a rectangle from the samples of the whole level, which are in its format.
    package func lend(_ rect: PixelRect<StoredGrid>, of samples: [UInt8], row: (RawSpan) throws -> Void)
        throws
    {
        let pixelBytes = pixels.layout.pixelBytes
        for y in rect.y..<rect.maxY {
            let start = (y * level.size.width + rect.x) * pixelBytes
            try samples.withRow(start..<(start + rect.width * pixelBytes), row)
        }
    }
}

/// A level whose samples are in memory.
struct SampledLevel: LevelReader {
    let level: PyramidLevel
    let pixels: SourcePixelFormat
    let samples: [UInt8]

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        try lend(rect, of: samples, row: row)
    }
}

internal import Resampling
package import TilePyramid
package import ViewportGeometry

/// A source with further levels behind its own, each made by averaging four pixels of the previous one.
///
/// A small picture costs less that way than filtering all pixels, and a pyramid in the cache keeps just these
/// levels: whether a picture is made from the file or from the cache, its bytes are the same.
struct HalvedSource: ImageSource {
    let base: any ImageSource
    let pyramid: Pyramid

    init(_ base: any ImageSource) {
        self.base = base
        pyramid = base.pyramid.continuedByHalving
    }

    var nativePyramid: Pyramid { base.pyramid }
    var description: String { base.description }
    var capabilities: SourceCapabilities { base.capabilities }

    func sharpeningCompensation(of level: PyramidLevel) -> Double {
        isNative(level) ? base.sharpeningCompensation(of: level) : SharpeningCompensation.ofMeans(level)
    }

    func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
        // A pyramid has a level.
        let last = base.pyramid.levels.last!
        guard level.index > last.index else { return try base.open(level) }
        return HalvedLevel(try base.open(last), times: level.index - last.index)
    }
}

/// A level that is averaged from a closer one while it is read.
package struct HalvedLevel: LevelReader {
    private let reader: any LevelReader
    private let times: Int
    package let level: PyramidLevel

    /// - Parameter times: how often the level of `reader` is halved, at least once.
    package init(_ reader: any LevelReader, times: Int) {
        self.reader = reader
        self.times = times
        level = reader.level.halved(times)
    }

    package var pixels: SourcePixelFormat { reader.pixels }

    package func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        guard !rect.isEmpty else { return }
        let size = reader.level.size
        let (x, y) = (rect.x << times, rect.y << times)
        let source = PixelRect<StoredGrid>(
            x: x, y: y, width: min(rect.maxX << times, size.width) - x,
            height: min(rect.maxY << times, size.height) - y)
        let shrinker = RowShrinker(width: source.width, layout: pixels.layout, times: times)
        var left = source.height
        try reader.read(source) { bytes in
            left -= 1
            try shrinker.push(bytes, isLast: left == 0, row)
        }
    }
}

extension Pyramid {
    /// Levels end where the longer side has at most so many pixels: less work cannot be seen in any measurement.
    private static let smallestSide = 128

    /// The same levels and those that are made from the last by averaging.
    var continuedByHalving: Pyramid {
        // A pyramid has a level.
        var last = levels.last!
        var levels = levels
        // Of a thin strip little would be left but its last, partial rows.
        while max(last.size.width, last.size.height) > Self.smallestSide,
            min(last.size.width, last.size.height) >= 8
        {
            last = last.halved(1)
            levels.append(last)
        }
        return Pyramid(levels: levels)
    }
}

extension PyramidLevel {
    /// The level of which each pixel covers two by two of the one before, so many times on; a partial last row or
    /// column is kept.
    func halved(_ times: Int) -> PyramidLevel {
        var level = self
        let last = 1 << times - 1
        level.index += times
        level.size = PixelSize(width: (size.width + last) >> times, height: (size.height + last) >> times)
        level.downsampleX *= Double(1 << times)
        level.downsampleY *= Double(1 << times)
        return level
    }
}

/// The sharpening that makes up for what reduced levels have lost when they are shrunk further.
///
/// The mean of n samples lowers a wave of w (radians a mean) by (1 - 1/n²) w²/24 in the first place; taking the share
/// s of the neighbors on both sides from each raises it by s w².
enum SharpeningCompensation {
    /// A level of means.
    static func ofMeans(_ level: PyramidLevel) -> Double {
        let count = max(1, level.downsampleX)
        return (1 - 1 / (count * count)) / 24
    }

    /// A scale of a JPEG: at 1/8 each sample is its block's mean; at 1/4 and 1/2 inverse transforms of fewer waves
    /// keep more of the shorter ones, and how much helps was found by trying photographs.
    static func ofJPEG(_ level: PyramidLevel) -> Double {
        switch level.index {
        case 0: 0
        case 1: 0.01
        case 2: 0.025
        default: ofMeans(level)
        }
    }
}

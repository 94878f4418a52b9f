internal import Pictures
internal import Resampling
package import TilePyramid
package import ViewportGeometry

/// A source with further levels, each made by averaging four pixels of the previous one.
///
/// Small pictures cost less that way than by filtering all pixels. A pyramid in the cache stores the same
/// levels, so pictures have the same bytes from the file and from the cache.
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

/// A level that is averaged from a larger one while it is read.
package struct HalvedLevel: LevelReader {
    private let reader: any LevelReader
    private let times: Int
    package let level: PyramidLevel

    /// - Parameter times: how many times the level of `reader` is halved, at least once.
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
    /// The longer side of the smallest level: smaller levels save no measurable time.
    private static let smallestSide = 128

    /// The levels, followed by those that are averaged from the last one.
    var continuedByHalving: Pyramid {
        // A pyramid has a level.
        var last = levels.last!
        var levels = levels
        // Little more than the last, partial rows would remain of a thin strip.
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
    /// Returns the level whose pixels each cover 2 by 2 of the previous one, several times; a partial last row or
    /// column is kept.
    func halved(_ times: Int) -> PyramidLevel {
        var level = self
        let last = 1 << times - 1
        level.index += times
        level.isOverview = false
        level.size = PixelSize(width: (size.width + last) >> times, height: (size.height + last) >> times)
        level.downsampleX *= Double(1 << times)
        level.downsampleY *= Double(1 << times)
        return level
    }
}

/// The sharpening that compensates for the loss of reduced levels when they are shrunk further.
///
/// To first order, the mean of n samples reduces a wave of w (radians per mean) by (1 - 1/n²) w²/24; subtracting the
/// share s of both neighbors raises it by s w².
enum SharpeningCompensation {
    /// Returns the compensation for a level of means.
    static func ofMeans(_ level: PyramidLevel) -> Double {
        let count = max(1, level.downsampleX)
        return (1 - 1 / (count * count)) / 24
    }

    /// Returns the compensation for a scale of a JPEG: at 1/8 each sample is the mean of its block; 1/4 and 1/2 are
    /// means, too, but their chroma has lost less, and the values were found with photographs.
    static func ofJPEG(_ level: PyramidLevel) -> Double {
        switch level.index {
        case 0: 0
        case 1: 0.025
        case 2: 0.035
        default: ofMeans(level)
        }
    }
}

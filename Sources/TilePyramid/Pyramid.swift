public import ViewportGeometry

/// The levels that an image can be read at, from the most pixels to the fewest.
public struct Pyramid: Hashable, Sendable {
    public let levels: [PyramidLevel]

    /// - Precondition: there is a level 0; the order does not matter.
    public init(levels: [PyramidLevel]) {
        precondition(levels.contains { $0.index == 0 }, "every image has its full resolution")
        self.levels = levels.sorted { $0.index < $1.index }
    }

    /// The level of full resolution.
    public var full: PyramidLevel { levels.first { $0.index == 0 }! }

    /// The smallest level that still has at least `reserve` pixels for each pixel of the picture.
    ///
    /// A level may fall short of the reserve by two and a half percent: some of that comes of rounding a small
    /// picture's size to whole pixels, and 4000 pixels, which most cameras give, are still halved and divided by
    /// eight for 1024 and 256. Shrinking by the last factor of 2 with a good kernel is what makes a small picture
    /// sharp, so levels are only used down to there. Where the picture has more pixels than level 0, sources that
    /// draw give the first level that has as many.
    ///
    /// - Parameter scale: pixels of the picture per full-resolution pixel.
    public func level(forScale scale: Double, reserve: Double = 2) -> PyramidLevel {
        if scale >= 1 {
            return levels.last { $0.index <= 0 && max($0.downsampleX, $0.downsampleY) * scale <= 1 }
                ?? levels[0]
        }
        return levels.last {
            $0.index == 0 || $0.index > 0 && max($0.downsampleX, $0.downsampleY) * scale * reserve <= 1.025
        } ?? full
    }
}

/// One resolution of an image: level 0 is full resolution, each following one has fewer pixels.
///
/// Sources that draw (SVG, PDF) also have negative levels: level -1 has twice the pixels of level 0.
public struct PyramidLevel: Hashable, Sendable {
    public var index: Int
    /// The pixels of this level, as stored.
    public var size: PixelSize<StoredGrid>
    /// How many full-resolution pixels one pixel of this level covers, across.
    public var downsampleX: Double
    /// The same, down.
    public var downsampleY: Double

    public init(index: Int, size: PixelSize<StoredGrid>, downsampleX: Double, downsampleY: Double) {
        self.index = index
        self.size = size
        self.downsampleX = downsampleX
        self.downsampleY = downsampleY
    }

    /// The level of `size` pixels of an image of `full` pixels.
    ///
    /// Writers halve and then round up or down: where the size is within a pixel of a power of two, its pixels
    /// cover exactly that many, and only the last row and column are partial. Other ratios are taken as they are.
    public init(index: Int, size: PixelSize<StoredGrid>, of full: PixelSize<StoredGrid>) {
        self.init(
            index: index, size: size,
            downsampleX: Self.downsample(full.width, size.width),
            downsampleY: Self.downsample(full.height, size.height))
    }

    private static func downsample(_ full: Int, _ size: Int) -> Double {
        var power = 1
        while power <= full {
            if size == full / power || size == (full + power - 1) / power { return Double(power) }
            power *= 2
        }
        return Double(full) / Double(size)
    }
}

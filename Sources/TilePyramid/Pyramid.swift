public import ViewportGeometry

/// The levels that an image can be read at, from the most pixels to the fewest.
public struct Pyramid: Hashable, Sendable {
    /// The levels, sorted by index: levels of more than full resolution first.
    public let levels: [PyramidLevel]

    /// Creates a pyramid of levels in any order.
    ///
    /// - Precondition: there is a level 0.
    package init(levels: [PyramidLevel]) {
        precondition(levels.contains { $0.index == 0 }, "every image has its full resolution")
        self.levels = levels.sorted { $0.index < $1.index }
    }

    /// Creates the pyramid of an image: full resolution, and levels of half the sides of the one before, rounded up.
    ///
    /// - Parameters:
    ///   - size: The pixels of the image, as stored.
    ///   - halvings: The number of smaller levels; none of them is below one pixel, and below 0 counts as 0.
    public init(size: PixelSize<StoredGrid>, halvings: Int = 0) {
        var levels = [PyramidLevel(index: 0, size: size, downsampleX: 1, downsampleY: 1)]
        var (side, factor) = (size, 1.0)
        while levels.count <= halvings, max(side.width, side.height) > 1 {
            side = PixelSize(
                width: side.width / 2 + side.width % 2, height: side.height / 2 + side.height % 2)
            factor *= 2
            levels.append(
                PyramidLevel(index: levels.count, size: side, downsampleX: factor, downsampleY: factor))
        }
        self.levels = levels
    }

    /// The level of full resolution.
    public var full: PyramidLevel { levels.first { $0.index == 0 }! }

    /// Returns the smallest level that still has at least `oversampling` pixels for each pixel of the picture.
    ///
    /// A level may fall short of that by 2.5 %: part of it results from rounding a small picture's
    /// size to whole pixels, and 4000 pixels, as of most cameras, are still reduced to 1/2 and 1/8 for
    /// 1024 and 256. A good kernel for the last factor of 2 is what makes a small picture sharp, so
    /// smaller levels are not used. Where the picture has more pixels than level 0, drawings use
    /// the first level that has as many.
    ///
    /// - Parameters:
    ///   - scale: pixels of the picture per full-resolution pixel. Full resolution is returned where it is NaN.
    ///   - oversampling: pixels of the level per pixel of the picture.
    public func level(forScale scale: Double, oversampling: Double = 2) -> PyramidLevel {
        if scale >= 1 {
            return levels.last { $0.index <= 0 && max($0.downsampleX, $0.downsampleY) * scale <= 1 }
                ?? levels[0]
        }
        return levels.last {
            $0.index == 0
                || $0.index > 0 && max($0.downsampleX, $0.downsampleY) * scale * oversampling <= 1.025
        } ?? full
    }
}

/// One resolution of an image: level 0 is full resolution, each further one has fewer pixels.
///
/// Sources that draw (SVG, PDF) also have negative levels: level -1 has twice the pixels of level 0 on each side.
public struct PyramidLevel: Hashable, Sendable {
    /// The number of the level; 0 is full resolution.
    public var index: Int
    /// The pixels of this level, as stored.
    public var size: PixelSize<StoredGrid>
    /// The full-resolution pixels that one pixel of this level covers horizontally.
    public var downsampleX: Double
    /// The full-resolution pixels that one pixel of this level covers vertically.
    public var downsampleY: Double

    /// Creates a level with known factors.
    public init(index: Int, size: PixelSize<StoredGrid>, downsampleX: Double, downsampleY: Double) {
        self.index = index
        self.size = size
        self.downsampleX = downsampleX
        self.downsampleY = downsampleY
    }

    /// Creates the level of `size` pixels of an image of `full` pixels.
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
        while power > 0, power <= full {
            let (floor, rest) = full.quotientAndRemainder(dividingBy: power)
            if size == floor || rest > 0 && size == floor + 1 { return Double(power) }
            // Becomes negative behind the greatest power.
            power &<<= 1
        }
        return Double(full) / Double(size)
    }
}

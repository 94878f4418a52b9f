internal import Basics
public import ViewportGeometry

/// The levels at which an image can be read, from the largest to the smallest.
public struct Pyramid: Hashable, Codable, Sendable {
    /// The levels, sorted by index: those above full resolution first.
    public let levels: [PyramidLevel]

    /// Creates a pyramid of levels in any order.
    ///
    /// - Precondition: There is a level 0.
    package init(levels: [PyramidLevel]) {
        precondition(levels.contains { $0.index == 0 }, "every image has its full resolution")
        self.levels = levels.sorted { $0.index < $1.index }
    }

    /// Creates the pyramid of an image: full resolution, and levels that each halve the previous one, rounded up.
    ///
    /// - Parameters:
    ///   - size: The size of the image in pixels, as stored.
    ///   - halvings: The maximum number of smaller levels, which end at one pixel; negative numbers count as 0.
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

    /// Returns the smallest level with at least `oversampling` pixels per pixel of the picture.
    ///
    /// A good kernel for the last factor of 2 keeps small pictures sharp, so smaller levels are not used. Levels below
    /// 1/8 need a factor of 3.9, because the next larger one costs little. A tolerance of 0.2 % allows for sizes that
    /// were rounded to whole pixels. It is 2.5 % for overviews, so that 256 of 4000 pixels use 1/8, and for less
    /// oversampling. Where the picture has more pixels than level 0, drawings use the smallest level that has as many.
    ///
    /// - Parameters:
    ///   - scale: The pixels of the picture per full-resolution pixel; NaN returns full resolution.
    ///   - oversampling: The pixels of the level per pixel of the picture.
    public func level(forScale scale: Double, oversampling: Double = 2) -> PyramidLevel {
        if scale >= 1 {
            return levels.last { $0.index <= 0 && max($0.downsampleX, $0.downsampleY) * scale <= 1 }
                ?? levels[0]
        }
        return levels.last {
            $0.index == 0
                || $0.index > 0
                    && max($0.downsampleX, $0.downsampleY) * scale * oversampling <= $0.share(oversampling)
        } ?? full
    }
}

/// One resolution of an image: level 0 is full resolution, and each further level is smaller.
///
/// Sources that draw (SVG, PDF) also have negative levels: level -1 has twice the pixels of level 0 on each side.
public struct PyramidLevel: Hashable, Codable, Sendable {
    /// The index of the level; 0 is full resolution.
    public var index: Int
    /// The size of this level in pixels, as stored.
    public var size: PixelSize<StoredGrid>
    /// The full-resolution pixels that one pixel of this level covers horizontally.
    public var downsampleX: Double
    /// The full-resolution pixels that one pixel of this level covers vertically.
    public var downsampleY: Double
    /// Whether decoding a larger level takes much longer, so that pictures may lose a little by using this one.
    package var isOverview = false

    /// Creates a level whose factors a file states.
    public init(index: Int, size: PixelSize<StoredGrid>, downsampleX: Double, downsampleY: Double) {
        self.index = index
        self.size = size
        self.downsampleX = downsampleX
        self.downsampleY = downsampleY
    }

    /// Creates the level with `size` pixels of an image with `full` pixels.
    ///
    /// Writers halve sizes and round up or down. Where a side is the full side divided by a power of two and rounded,
    /// the factor is that power, and only the last row or column is partial. Other factors are the ratio of the sides.
    public init(index: Int, size: PixelSize<StoredGrid>, of full: PixelSize<StoredGrid>) {
        self.init(
            index: index, size: size,
            downsampleX: Self.downsample(full.width, size.width),
            downsampleY: Self.downsample(full.height, size.height))
    }

    /// Returns the maximum of the share of `oversampling` that a picture leaves unused.
    fileprivate func share(_ oversampling: Double) -> Double {
        if oversampling < 2 || isOverview { return 1.025 }
        return index > 3 ? 2 / 3.9 : 1.002
    }

    private static func downsample(_ full: Int, _ size: Int) -> Double {
        var power = 1
        while power > 0, power <= full {
            let (floor, rest) = full.quotientAndRemainder(dividingBy: power)
            if size == floor || rest > 0 && size == floor + 1 { return Double(power) }
            // Becomes negative after the greatest power.
            power &<<= 1
        }
        return Double(full) / Double(size)
    }
}

extension Pyramid {
    /// Decodes a pyramid, which must have a level 0.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let levels = try values.decode([PyramidLevel].self, forKey: .levels)
        try values.check(levels.contains { $0.index == 0 }, .levels, "there is no level 0")
        self.init(levels: levels)
    }
}

extension Pyramid: CustomStringConvertible {
    /// The sizes of the levels: "4032x3024, 2016x1512".
    public var description: String { levels.map(\.size.description).joined(separator: ", ") }
}

extension PyramidLevel {
    /// Decodes a level, whose factors must be finite and above 0.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            index: try values.decode(Int.self, forKey: .index),
            size: try values.decode(PixelSize<StoredGrid>.self, forKey: .size),
            downsampleX: try values.decode(Double.self, forKey: .downsampleX),
            downsampleY: try values.decode(Double.self, forKey: .downsampleY))
        try values.read(&isOverview, .isOverview)
        for (factor, key) in [(downsampleX, CodingKeys.downsampleX), (downsampleY, .downsampleY)] {
            try values.check(factor > 0 && factor.isFinite, key, "a factor is not finite and above 0")
        }
    }
}

extension PyramidLevel: CustomStringConvertible {
    /// The index and the size: "level 2 (1008x756)".
    public var description: String { "level \(index) (\(size))" }
}

public import ViewportGeometry

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

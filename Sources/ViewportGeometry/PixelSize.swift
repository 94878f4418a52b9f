/// A width and a height in whole pixels of a grid.
@frozen
public struct PixelSize<Grid: PixelGrid>: Hashable, Sendable {
    public var width: Int
    public var height: Int

    @inlinable
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Whether it holds no pixel.
    @inlinable
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// The number of pixels, at most `Int.max`.
    @inlinable
    public var area: Int {
        let (area, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? Int.max : area
    }
}

extension PixelSize where Grid == UprightGrid {
    /// The same size in image points: one pixel is one point.
    @inlinable
    public var imageSize: Size<ImageSpace> { Size(width: Double(width), height: Double(height)) }
}

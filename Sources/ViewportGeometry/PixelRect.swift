/// A rectangle of whole pixels of a grid; `maxX` and `maxY` are the first pixels outside.
@frozen
public struct PixelRect<Grid: PixelGrid>: Hashable, Sendable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    @inlinable
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// All pixels of a grid of this size.
    @inlinable
    public init(_ size: PixelSize<Grid>) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    @inlinable public var maxX: Int { x + width }
    @inlinable public var maxY: Int { y + height }
    @inlinable public var size: PixelSize<Grid> { PixelSize(width: width, height: height) }

    /// Whether it holds no pixel.
    @inlinable
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// The pixels that both rectangles hold, or nil where there are none.
    @inlinable
    public func intersection(_ other: Self) -> Self? {
        let left = max(x, other.x)
        let top = max(y, other.y)
        let result = Self(
            x: left, y: top, width: min(maxX, other.maxX) - left, height: min(maxY, other.maxY) - top)
        return result.isEmpty ? nil : result
    }

    /// Whether all pixels of `other` are in it.
    @inlinable
    public func contains(_ other: Self) -> Bool {
        other.x >= x && other.y >= y && other.maxX <= maxX && other.maxY <= maxY
    }
}

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

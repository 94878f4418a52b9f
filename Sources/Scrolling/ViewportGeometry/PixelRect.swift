/// A width and a height in whole pixels of a grid.
@frozen
public struct PixelSize<Grid: PixelGrid>: Hashable, Sendable {
    /// The number of pixels in a row.
    public var width: Int
    /// The number of rows.
    public var height: Int

    /// Creates a size.
    ///
    /// It is empty if a dimension is not positive.
    @inlinable
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Whether the size contains no pixels.
    @inlinable
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// The number of pixels: 0 if empty, at most `Int.max`.
    @inlinable
    public var area: Int {
        guard !isEmpty else { return 0 }
        let (area, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? Int.max : area
    }
}

extension PixelSize where Grid == UprightGrid {
    /// The same size in image points: one pixel is one point.
    @inlinable
    public var imageSize: Size<ImageSpace> { Size(width: Double(width), height: Double(height)) }
}

/// A rectangle of whole pixels of a grid.
///
/// `maxX` and `maxY` are the first pixels outside.
///
/// Sums saturate at the limits of `Int`; no operation traps.
@frozen
public struct PixelRect<Grid: PixelGrid>: Hashable, Sendable {
    /// The column of the leftmost pixels.
    public var x: Int
    /// The row of the topmost pixels.
    public var y: Int
    /// The number of pixels in a row.
    public var width: Int
    /// The number of rows.
    public var height: Int

    /// Creates a rectangle with its top-left pixel at `x` and `y`.
    ///
    /// It is empty if a dimension is not positive.
    @inlinable
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Creates the rectangle of all pixels of a grid of this size.
    @inlinable
    public init(_ size: PixelSize<Grid>) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    /// The column of the leftmost pixels: ``x``.
    @inlinable public var minX: Int { x }
    /// The row of the topmost pixels: ``y``.
    @inlinable public var minY: Int { y }
    /// The first column to the right of the rectangle.
    @inlinable public var maxX: Int { x.addingSaturated(width) }
    /// The first row below the rectangle.
    @inlinable public var maxY: Int { y.addingSaturated(height) }
    /// The numbers of pixels in a row and of rows.
    @inlinable public var size: PixelSize<Grid> { PixelSize(width: width, height: height) }

    /// Whether the rectangle contains no pixels.
    @inlinable
    public var isEmpty: Bool { width <= 0 || height <= 0 }

    /// Returns the pixels that both rectangles contain, or nil if there are none.
    @inlinable
    public func intersection(_ other: Self) -> Self? {
        let left = max(x, other.x)
        let top = max(y, other.y)
        let right = min(maxX, other.maxX)
        let bottom = min(maxY, other.maxY)
        guard right > left, bottom > top else { return nil }
        return Self(
            x: left, y: top, width: right.subtractingSaturated(left), height: bottom.subtractingSaturated(top)
        )
    }

    /// Returns whether both rectangles contain a common pixel.
    @inlinable
    public func intersects(_ other: Self) -> Bool { intersection(other) != nil }

    /// Returns whether the rectangle contains all pixels of `other`.
    @inlinable
    public func contains(_ other: Self) -> Bool {
        other.x >= x && other.y >= y && other.maxX <= maxX && other.maxY <= maxY
    }
}

#if !hasFeature(Embedded)

extension PixelSize: CustomStringConvertible {
    /// `widthxheight`, such as `1024x768`.
    public var description: String { "\(width)x\(height)" }
}

extension PixelRect: CustomStringConvertible {
    /// `x,y,width,height`.
    public var description: String { "\(x),\(y),\(width),\(height)" }
}

/// Coded as `[width, height]`.
extension PixelSize: Codable {
    /// Decodes `[width, height]`.
    public init(from decoder: any Decoder) throws {
        let list = try decoder.integers(2)
        self.init(width: list[0], height: list[1])
    }

    /// Encodes `[width, height]`.
    public func encode(to encoder: any Encoder) throws { try encoder.encode([width, height]) }
}

/// Coded as `[x, y, width, height]`.
extension PixelRect: Codable {
    /// Decodes `[x, y, width, height]`.
    public init(from decoder: any Decoder) throws {
        let list = try decoder.integers(4)
        self.init(x: list[0], y: list[1], width: list[2], height: list[3])
    }

    /// Encodes `[x, y, width, height]`.
    public func encode(to encoder: any Encoder) throws { try encoder.encode([x, y, width, height]) }
}

extension Decoder {
    /// Decodes a list of exactly `count` integers.
    fileprivate func integers(_ count: Int) throws -> [Int] {
        var list = try unkeyedContainer()
        let integers = try (0..<count).map { _ in try list.decode(Int.self) }
        guard list.isAtEnd else {
            throw DecodingError.dataCorruptedError(
                in: list, debugDescription: "more numbers than expected")
        }
        return integers
    }
}

extension Encoder {
    fileprivate func encode(_ integers: [Int]) throws {
        var list = unkeyedContainer()
        for integer in integers { try list.encode(integer) }
    }
}

#endif

extension Int {
    /// Returns the sum, saturated at the limits of `Int`.
    @inlinable
    func addingSaturated(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// Returns the difference, saturated at the limits of `Int`.
    @inlinable
    func subtractingSaturated(_ other: Int) -> Int {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}

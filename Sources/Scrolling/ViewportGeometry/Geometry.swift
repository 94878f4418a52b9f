/// A point in a coordinate space.
///
/// Coordinates may be any number, including NaN and infinity; see ``isFinite``. No operation on points,
/// sizes, rectangles and insets traps.
@frozen
public struct Point<Space: CoordinateSpace>: Hashable, Sendable {
    /// The distance from the left edge of the space, in points of the space.
    public var x: Double
    /// The distance from the top edge of the space, in points of the space.
    public var y: Double

    /// Creates a point.
    @inlinable
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// The origin of the space.
    @inlinable
    public static var zero: Self { Self(x: 0, y: 0) }

    /// Whether both coordinates are finite.
    @inlinable
    public var isFinite: Bool { x.isFinite && y.isFinite }
}

/// A width and a height in a coordinate space.
@frozen
public struct Size<Space: CoordinateSpace>: Hashable, Sendable {
    /// The extent along *x*, in points of the space.
    public var width: Double
    /// The extent along *y*, in points of the space.
    public var height: Double

    /// Creates a size.
    ///
    /// Dimensions may have any sign.
    @inlinable
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// The empty size.
    @inlinable
    public static var zero: Self { Self(width: 0, height: 0) }

    /// Whether the size has no area: a dimension is zero, negative or NaN.
    @inlinable
    public var isEmpty: Bool { !(width > 0 && height > 0) }

    /// Whether both dimensions are finite.
    @inlinable
    public var isFinite: Bool { width.isFinite && height.isFinite }
}

/// A rectangle in a coordinate space.
///
/// `origin` is its top-left corner; *y* grows downwards.
@frozen
public struct Rect<Space: CoordinateSpace>: Hashable, Sendable {
    /// The top-left corner.
    public var origin: Point<Space>
    /// The width and the height.
    public var size: Size<Space>

    /// Creates a rectangle from its top-left corner and size.
    @inlinable
    public init(origin: Point<Space>, size: Size<Space>) {
        self.origin = origin
        self.size = size
    }

    /// Creates a rectangle with its top-left corner at `x` and `y`.
    @inlinable
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
    }

    /// The empty rectangle at the origin.
    @inlinable
    public static var zero: Self { Self(origin: .zero, size: .zero) }

    /// The left edge.
    @inlinable public var minX: Double { origin.x }
    /// The top edge.
    @inlinable public var minY: Double { origin.y }
    /// The right edge.
    @inlinable public var maxX: Double { origin.x + size.width }
    /// The bottom edge.
    @inlinable public var maxY: Double { origin.y + size.height }
    /// The extent along *x*.
    @inlinable public var width: Double { size.width }
    /// The extent along *y*.
    @inlinable public var height: Double { size.height }

    /// The center.
    @inlinable
    public var center: Point<Space> {
        Point(x: origin.x + size.width / 2, y: origin.y + size.height / 2)
    }

    /// Whether the rectangle has no area.
    @inlinable
    public var isEmpty: Bool { size.isEmpty }

    /// Whether all four numbers are finite.
    @inlinable
    public var isFinite: Bool { origin.isFinite && size.isFinite }

    /// Returns the area that both rectangles cover, or nil if there is none.
    @inlinable
    public func intersection(_ other: Self) -> Self? {
        let left = max(minX, other.minX)
        let top = max(minY, other.minY)
        let right = min(maxX, other.maxX)
        let bottom = min(maxY, other.maxY)
        guard right > left, bottom > top else { return nil }
        return Self(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// Returns whether `point` is inside.
    ///
    /// The right and bottom edges are outside.
    @inlinable
    public func contains(_ point: Point<Space>) -> Bool {
        point.x >= minX && point.x < maxX && point.y >= minY && point.y < maxY
    }
}

/// Distances inwards from the four edges of the bounds, in view points.
@frozen
public struct EdgeInsets: Hashable, Sendable {
    /// The distance from the top edge downwards.
    public var top: Double
    /// The distance from the left edge to the right.
    public var left: Double
    /// The distance from the bottom edge upwards.
    public var bottom: Double
    /// The distance from the right edge to the left.
    public var right: Double

    /// Creates insets.
    ///
    /// Negative distances extend outwards.
    @inlinable
    public init(top: Double = 0, left: Double = 0, bottom: Double = 0, right: Double = 0) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }

    /// No insets.
    @inlinable
    public static var zero: Self { Self() }

    /// Whether all four distances are finite.
    @inlinable
    public var isFinite: Bool { top.isFinite && left.isFinite && bottom.isFinite && right.isFinite }

    /// Adds insets edge by edge.
    @inlinable
    public static func + (a: Self, b: Self) -> Self {
        Self(top: a.top + b.top, left: a.left + b.left, bottom: a.bottom + b.bottom, right: a.right + b.right)
    }
}

#if !hasFeature(Embedded)

/// Coded as `[x, y]`. Decoding rejects numbers that are not finite.
extension Point: Codable {
    /// Decodes `[x, y]`.
    public init(from decoder: any Decoder) throws {
        let list = try decoder.numbers(2)
        self.init(x: list[0], y: list[1])
    }

    /// Encodes `[x, y]`.
    public func encode(to encoder: any Encoder) throws { try encoder.encode([x, y]) }
}

/// Coded as `[width, height]`. Decoding rejects numbers that are not finite.
extension Size: Codable {
    /// Decodes `[width, height]`.
    public init(from decoder: any Decoder) throws {
        let list = try decoder.numbers(2)
        self.init(width: list[0], height: list[1])
    }

    /// Encodes `[width, height]`.
    public func encode(to encoder: any Encoder) throws { try encoder.encode([width, height]) }
}

/// Coded as `[x, y, width, height]`. Decoding rejects numbers that are not finite.
extension Rect: Codable {
    /// Decodes `[x, y, width, height]`.
    public init(from decoder: any Decoder) throws {
        let list = try decoder.numbers(4)
        self.init(x: list[0], y: list[1], width: list[2], height: list[3])
    }

    /// Encodes `[x, y, width, height]`.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode([minX, minY, width, height])
    }
}

/// Coded as `[top, left, bottom, right]`. Decoding rejects numbers that are not finite.
extension EdgeInsets: Codable {
    /// Decodes `[top, left, bottom, right]`.
    public init(from decoder: any Decoder) throws {
        let list = try decoder.numbers(4)
        self.init(top: list[0], left: list[1], bottom: list[2], right: list[3])
    }

    /// Encodes `[top, left, bottom, right]`.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode([top, left, bottom, right])
    }
}

extension Decoder {
    /// Decodes a list of exactly `count` finite numbers.
    fileprivate func numbers(_ count: Int) throws -> [Double] {
        var list = try unkeyedContainer()
        var numbers: [Double] = []
        for _ in 0..<count {
            let number = try list.decode(Double.self)
            guard number.isFinite else {
                throw DecodingError.dataCorruptedError(
                    in: list, debugDescription: "a number that is not finite")
            }
            numbers.append(number)
        }
        guard list.isAtEnd else {
            throw DecodingError.dataCorruptedError(
                in: list, debugDescription: "more numbers than expected")
        }
        return numbers
    }
}

extension Encoder {
    fileprivate func encode(_ numbers: [Double]) throws {
        var list = unkeyedContainer()
        for number in numbers { try list.encode(number) }
    }
}

#endif

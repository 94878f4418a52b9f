/// A place in a coordinate space.
///
/// Coordinates may be any numbers, also NaN and infinite ones; ``isFinite`` tells them apart, and no operation
/// on points, sizes, rectangles and insets traps.
@frozen
public struct Point<Space: CoordinateSpace>: Hashable, Sendable {
    /// The distance from the left edge of the space, in its points.
    public var x: Double
    /// The distance from the top edge of the space, in its points.
    public var y: Double

    /// A point with these coordinates.
    @inlinable
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// The origin of the space.
    @inlinable
    public static var zero: Self { Self(x: 0, y: 0) }

    /// Whether both coordinates are finite numbers.
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

    /// A size with these dimensions, which may be of any sign.
    @inlinable
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// The size of nothing.
    @inlinable
    public static var zero: Self { Self(width: 0, height: 0) }

    /// Whether it has no area: zero, negative or not a number in any dimension.
    @inlinable
    public var isEmpty: Bool { !(width > 0 && height > 0) }

    /// Whether both dimensions are finite numbers.
    @inlinable
    public var isFinite: Bool { width.isFinite && height.isFinite }
}

/// A rectangle in a coordinate space: `origin` is its top-left corner, *y* grows downwards.
@frozen
public struct Rect<Space: CoordinateSpace>: Hashable, Sendable {
    /// The top-left corner.
    public var origin: Point<Space>
    /// The width and the height.
    public var size: Size<Space>

    /// A rectangle with this top-left corner and size.
    @inlinable
    public init(origin: Point<Space>, size: Size<Space>) {
        self.origin = origin
        self.size = size
    }

    /// A rectangle with its top-left corner at `x` and `y`.
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

    /// The point in the middle.
    @inlinable
    public var center: Point<Space> {
        Point(x: origin.x + size.width / 2, y: origin.y + size.height / 2)
    }

    /// Whether it has no area.
    @inlinable
    public var isEmpty: Bool { size.isEmpty }

    /// Whether its four numbers are finite.
    @inlinable
    public var isFinite: Bool { origin.isFinite && size.isFinite }

    /// The part that both rectangles cover, or nil where they share no area.
    @inlinable
    public func intersection(_ other: Self) -> Self? {
        let left = max(minX, other.minX)
        let top = max(minY, other.minY)
        let right = min(maxX, other.maxX)
        let bottom = min(maxY, other.maxY)
        guard right > left, bottom > top else { return nil }
        return Self(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// Whether `point` is inside; the right and bottom edges are not.
    @inlinable
    public func contains(_ point: Point<Space>) -> Bool {
        point.x >= minX && point.x < maxX && point.y >= minY && point.y < maxY
    }
}

/// Distances from the four edges of the bounds inwards, in view points.
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

    /// Insets with these distances; negative ones reach outwards.
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

    /// Whether all four are finite numbers.
    @inlinable
    public var isFinite: Bool { top.isFinite && left.isFinite && bottom.isFinite && right.isFinite }

    /// The insets whose distances are the sums of both.
    @inlinable
    public static func + (a: Self, b: Self) -> Self {
        Self(top: a.top + b.top, left: a.left + b.left, bottom: a.bottom + b.bottom, right: a.right + b.right)
    }
}

#if !hasFeature(Embedded)

/// A point is coded as `[x, y]`; numbers that are not finite are refused.
extension Point: Codable {
    /// Decodes `[x, y]`.
    public init(from decoder: any Decoder) throws {
        let list = try decoder.numbers(2)
        self.init(x: list[0], y: list[1])
    }

    /// Encodes `[x, y]`.
    public func encode(to encoder: any Encoder) throws { try encoder.encode([x, y]) }
}

/// A size is coded as `[width, height]`; numbers that are not finite are refused.
extension Size: Codable {
    /// Decodes `[width, height]`.
    public init(from decoder: any Decoder) throws {
        let list = try decoder.numbers(2)
        self.init(width: list[0], height: list[1])
    }

    /// Encodes `[width, height]`.
    public func encode(to encoder: any Encoder) throws { try encoder.encode([width, height]) }
}

/// A rectangle is coded as `[x, y, width, height]`; numbers that are not finite are refused.
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

/// Insets are coded as `[top, left, bottom, right]`; numbers that are not finite are refused.
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
    /// A list of exactly `count` finite numbers: a fifth number means that something else was meant.
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

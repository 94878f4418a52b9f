/// A rectangle in a coordinate space: `origin` is its top-left corner, *y* grows downwards.
@frozen
public struct Rect<Space: CoordinateSpace>: Hashable, Sendable {
    public var origin: Point<Space>
    public var size: Size<Space>

    @inlinable
    public init(origin: Point<Space>, size: Size<Space>) {
        self.origin = origin
        self.size = size
    }

    @inlinable
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
    }

    /// The empty rectangle at the origin.
    @inlinable
    public static var zero: Self { Self(origin: .zero, size: .zero) }

    @inlinable public var minX: Double { origin.x }
    @inlinable public var minY: Double { origin.y }
    @inlinable public var maxX: Double { origin.x + size.width }
    @inlinable public var maxY: Double { origin.y + size.height }
    @inlinable public var width: Double { size.width }
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

/// A place in a coordinate space.
@frozen
public struct Point<Space: CoordinateSpace>: Hashable, Sendable {
    public var x: Double
    public var y: Double

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
    public var width: Double
    public var height: Double

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

/// Distances from the four edges of the bounds inwards, in view points.
@frozen
public struct EdgeInsets: Hashable, Sendable {
    public var top: Double
    public var left: Double
    public var bottom: Double
    public var right: Double

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

    @inlinable
    public static func + (a: Self, b: Self) -> Self {
        Self(top: a.top + b.top, left: a.left + b.left, bottom: a.bottom + b.bottom, right: a.right + b.right)
    }
}

#if !hasFeature(Embedded)

/// A point is coded as `[x, y]`.
extension Point: Codable {
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        self.init(x: try list.decode(Double.self), y: try list.decode(Double.self))
        try list.expectEnd()
    }

    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(x)
        try list.encode(y)
    }
}

/// A size is coded as `[width, height]`.
extension Size: Codable {
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        self.init(width: try list.decode(Double.self), height: try list.decode(Double.self))
        try list.expectEnd()
    }

    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(width)
        try list.encode(height)
    }
}

/// A rectangle is coded as `[x, y, width, height]`.
extension Rect: Codable {
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        self.init(
            x: try list.decode(Double.self), y: try list.decode(Double.self),
            width: try list.decode(Double.self), height: try list.decode(Double.self))
        try list.expectEnd()
    }

    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(minX)
        try list.encode(minY)
        try list.encode(width)
        try list.encode(height)
    }
}

/// Insets are coded as `[top, left, bottom, right]`.
extension EdgeInsets: Codable {
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        self.init(
            top: try list.decode(Double.self), left: try list.decode(Double.self),
            bottom: try list.decode(Double.self), right: try list.decode(Double.self))
        try list.expectEnd()
    }

    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(top)
        try list.encode(left)
        try list.encode(bottom)
        try list.encode(right)
    }
}

extension UnkeyedDecodingContainer {
    /// Throws if the list goes on: a fifth number means that something else was meant.
    fileprivate func expectEnd() throws {
        guard isAtEnd else {
            throw DecodingError.dataCorruptedError(
                in: self, debugDescription: "more numbers than expected")
        }
    }
}

#endif

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

    /// Creates a point from its distances to the left and the top edge of the space.
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

    /// The size of 0 by 0.
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
    /// The width and the height, in points of the space; negative dimensions are empty.
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

    /// The *x* of the left edge.
    @inlinable public var minX: Double { origin.x }
    /// The *y* of the top edge.
    @inlinable public var minY: Double { origin.y }
    /// The *x* of the right edge, which is outside.
    @inlinable public var maxX: Double { origin.x + size.width }
    /// The *y* of the bottom edge, which is outside.
    @inlinable public var maxY: Double { origin.y + size.height }
    /// The middle between the left and the right edge.
    @inlinable public var midX: Double { origin.x + size.width / 2 }
    /// The middle between the top and the bottom edge.
    @inlinable public var midY: Double { origin.y + size.height / 2 }
    /// The extent along *x*.
    @inlinable public var width: Double { size.width }
    /// The extent along *y*.
    @inlinable public var height: Double { size.height }

    /// The point in the middle between all edges.
    @inlinable
    public var center: Point<Space> { Point(x: midX, y: midY) }

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

    /// Returns whether both rectangles cover a common area.
    @inlinable
    public func intersects(_ other: Self) -> Bool { intersection(other) != nil }

    /// Returns the smallest rectangle that contains both.
    ///
    /// A rectangle without area adds nothing.
    @inlinable
    public func union(_ other: Self) -> Self {
        guard !isEmpty else { return other }
        guard !other.isEmpty else { return self }
        let left = min(minX, other.minX)
        let top = min(minY, other.minY)
        return Self(
            x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
    }

    /// Returns the rectangle with its left and right edges moved inwards by `dx`, the top and bottom ones by `dy`.
    ///
    /// Negative distances move edges outwards. Edges that pass each other leave a rectangle without area, see
    /// ``isEmpty``.
    @inlinable
    public func insetBy(dx: Double, dy: Double) -> Self {
        Self(x: minX + dx, y: minY + dy, width: width - 2 * dx, height: height - 2 * dy)
    }

    /// Returns the rectangle with its edges moved inwards by `insets`, as UIKit's `CGRect.inset(by:)` does.
    ///
    /// Insets are in view points, so that only rectangles of the view have this method. Edges that pass each other
    /// leave a rectangle without area.
    @inlinable
    public func inset(by insets: EdgeInsets) -> Self where Space == ViewSpace {
        Self(
            x: minX + insets.left, y: minY + insets.top, width: width - insets.left - insets.right,
            height: height - insets.top - insets.bottom)
    }

    /// The smallest rectangle that contains this one and has whole numbers as its edges.
    @inlinable
    public var integral: Self {
        let (left, top) = (minX.rounded(.down), minY.rounded(.down))
        return Self(x: left, y: top, width: maxX.rounded(.up) - left, height: maxY.rounded(.up) - top)
    }

    /// The same area with a width and a height that are not negative.
    @inlinable
    public var standardized: Self {
        Self(
            x: min(minX, maxX), y: min(minY, maxY), width: width.magnitude, height: height.magnitude)
    }

    /// Returns the rectangle moved to the right by `dx` and downwards by `dy`.
    @inlinable
    public func offsetBy(dx: Double, dy: Double) -> Self {
        Self(x: minX + dx, y: minY + dy, width: width, height: height)
    }

    /// Returns whether `point` is inside.
    ///
    /// The right and bottom edges are outside.
    @inlinable
    public func contains(_ point: Point<Space>) -> Bool {
        point.x >= minX && point.x < maxX && point.y >= minY && point.y < maxY
    }

    /// Returns whether no part of `other` lies outside; edges may be common.
    @inlinable
    public func contains(_ other: Self) -> Bool {
        other.minX >= minX && other.minY >= minY && other.maxX <= maxX && other.maxY <= maxY
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

/// Described as options of the program take them, without a fraction of zero: `900,587.5`.
extension Point: CustomStringConvertible {
    /// `x,y`.
    public var description: String { listed([x, y]) }
}

extension Size: CustomStringConvertible {
    /// `widthxheight`, such as `1024x768`.
    public var description: String { "\(plain(width))x\(plain(height))" }
}

extension Rect: CustomStringConvertible {
    /// `x,y,width,height`.
    public var description: String { listed([minX, minY, width, height]) }
}

extension EdgeInsets: CustomStringConvertible {
    /// `top,left,bottom,right`.
    public var description: String { listed([top, left, bottom, right]) }
}

private func plain(_ number: Double) -> String {
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

private func listed(_ numbers: [Double]) -> String { numbers.map(plain).joined(separator: ",") }

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

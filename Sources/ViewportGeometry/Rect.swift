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

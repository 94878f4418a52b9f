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

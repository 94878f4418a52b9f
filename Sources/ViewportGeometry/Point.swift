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

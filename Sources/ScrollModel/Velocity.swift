/// A velocity of the content's offset.
@frozen
public struct Velocity: Equatable, Sendable {
    public var x: Double
    public var y: Double

    @inlinable
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// At rest.
    @inlinable
    public static var zero: Self { Self(x: 0, y: 0) }
}

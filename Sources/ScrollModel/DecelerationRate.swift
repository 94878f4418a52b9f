/// How fast the content loses its velocity after a flick.
@frozen
public struct DecelerationRate: Equatable, Sendable {
    /// The share of the velocity that is left after a millisecond, from 0.5 to 0.9999.
    public let perMillisecond: Double

    /// The rate that leaves this share of the velocity after a millisecond.
    public init(perMillisecond: Double) {
        self.perMillisecond = perMillisecond > 0.5 ? min(perMillisecond, 0.9999) : 0.5
    }

    /// UIScrollView's default: 1000 points per second travel 499.5 points.
    public static let normal = DecelerationRate(perMillisecond: 0.998)
    /// The rate of pages and pickers: 1000 points per second travel 99.5 points.
    public static let fast = DecelerationRate(perMillisecond: 0.99)

    /// The constant *k* of v(t) = v0 e^(-k t), per second.
    var decay: Double { -1000 * Elementary.log(perMillisecond) }
}

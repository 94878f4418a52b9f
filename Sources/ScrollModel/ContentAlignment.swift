/// Where content that is smaller than the bounds rests, as shares of the free space left of and above it.
@frozen
public struct ContentAlignment: Equatable, Sendable {
    /// The share of the free width that lies left of the content, from 0 to 1.
    public let x: Double
    /// The share of the free height that lies above the content, from 0 to 1.
    public let y: Double

    /// The alignment with these shares, each taken into the range from 0 to 1.
    public init(x: Double, y: Double) {
        self.x = x > 0 ? min(x, 1) : 0
        self.y = y > 0 ? min(y, 1) : 0
    }

    /// At the top-left corner, as UIScrollView has it.
    public static let topLeading = ContentAlignment(x: 0, y: 0)
    /// In the middle, as every image viewer has it.
    public static let center = ContentAlignment(x: 0.5, y: 0.5)
}

/// Where a rectangle comes to lie that `scrollRectToVisible` shows.
@frozen
public enum RectAlignment: UInt8, Equatable, Sendable {
    /// The least move that shows it; its top-left corner where it is larger than the bounds.
    case nearest
    /// At the top-left corner.
    case start
    /// In the middle.
    case center
    /// At the bottom-right corner.
    case end
}

/// How the offset is rounded before anybody sees it.
@frozen
public enum Rounding: Equatable, Sendable {
    /// Not at all.
    case none
    /// To whole pixels of a display with this many pixels per point.
    case pixel(displayScale: Double)

    /// The nearest value that the policy allows.
    @inlinable
    package func rounded(_ value: Double) -> Double {
        guard case .pixel(let scale) = self, scale > 0, scale < 1e6, value.magnitude < 1e15 else {
            return value
        }
        return (value * scale + 0.5).rounded(.down) / scale
    }
}

#if !hasFeature(Embedded)
    extension Rounding: Codable {}
#endif

/// The resting place of content smaller than the bounds, as shares of the free space left of and above it.
@frozen
public struct ContentAlignment: Equatable, Sendable {
    /// The share of the free width that lies left of the content, from 0 to 1.
    public let x: Double
    /// The share of the free height that lies above the content, from 0 to 1.
    public let y: Double

    /// The alignment with these shares, each taken into the range from 0 to 1; NaN counts as 0.
    public init(x: Double, y: Double) {
        self.x = x > 0 ? min(x, 1) : 0
        self.y = y > 0 ? min(y, 1) : 0
    }

    /// At the top-left corner, as UIScrollView has it.
    public static let topLeading = ContentAlignment(x: 0, y: 0)
    /// In the middle, as every image viewer has it.
    public static let center = ContentAlignment(x: 0.5, y: 0.5)
}

/// The place in the bounds of a rectangle that `scrollRectToVisible` shows.
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

/// The rounding of the offset before it is seen.
@frozen
public enum Rounding: Equatable, Sendable {
    /// Not at all.
    case none
    /// To whole pixels of a display with this many pixels per point; a scale that is not above 0 and below
    /// 1e6 rounds nothing.
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

/// Where the safe area is added to the content inset, as UIScrollView.ContentInsetAdjustmentBehavior.
@frozen
public enum ContentInsetAdjustmentBehavior: String, CaseIterable, Equatable, Sendable {
    /// As `scrollableAxes`: UIKit's exception needs a navigation controller, which the model has not.
    case automatic
    /// Along the axes that scroll: content larger than the bounds, or always bouncing.
    case scrollableAxes
    /// Nowhere.
    case never
    /// At all four edges.
    case always
}

#if !hasFeature(Embedded)
extension Rounding: Codable {}
extension ContentInsetAdjustmentBehavior: Codable {}

extension ContentAlignment: Codable {
    /// Decodes `[x, y]`.
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        self.init(x: try list.decode(Double.self), y: try list.decode(Double.self))
    }

    /// Encodes `[x, y]`.
    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(x)
        try list.encode(y)
    }
}
#endif

/// A turn of the content about its center, clockwise as it is seen.
///
/// The angle is kept in degrees, at least 0 and less than 360, with its cosine and sine; quarter turns are
/// exact.
@frozen
public struct Rotation: Equatable, Sendable {
    /// The angle, clockwise, in degrees: 0 ..< 360.
    public let degrees: Double
    let cosine: Double
    let sine: Double

    /// No turn.
    public static let none = Rotation(degrees: 0)

    /// A turn by `degrees` clockwise; an angle that is not a finite number counts as none.
    public init(degrees: Double) {
        let turned = degrees - 360 * (degrees / 360).rounded(.down)
        self.degrees = turned >= 0 && turned < 360 ? turned : 0
        (cosine, sine) = PortableMath.cosineAndSine(degrees: self.degrees)
    }

    /// Whether the sides of the content stay parallel to those of the bounds.
    public var isQuarterTurn: Bool { cosine == 0 || sine == 0 }

    /// The size of the smallest upright rectangle around a turned rectangle of `width` and `height`.
    func extent(width: Double, height: Double) -> (width: Double, height: Double) {
        let (c, s) = (cosine.magnitude, sine.magnitude)
        return (c * width + s * height, s * width + c * height)
    }

    /// The vector turned with the content.
    func turned(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        (cosine * x - sine * y, sine * x + cosine * y)
    }

    /// The vector turned back.
    func turnedBack(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        (cosine * x + sine * y, cosine * y - sine * x)
    }

    /// The greatest rectangle, parallel to the turned content's sides, inside an upright one.
    ///
    /// Its width runs along the content's own *x* axis. Source: the classic case distinction of the largest
    /// rectangle inside a rotated rectangle: either all four of its corners touch sides, or only two do.
    func inscribed(width: Double, height: Double) -> (width: Double, height: Double) {
        guard width > 0, height > 0 else { return (0, 0) }
        let (c, s) = (cosine.magnitude, sine.magnitude)
        let short = min(width, height)
        if short <= 2 * s * c * max(width, height) || (s - c).magnitude < 1e-10 {
            let half = short / 2
            return width >= height ? (half / s, half / c) : (half / c, half / s)
        }
        let determinant = c * c - s * s
        return ((width * c - height * s) / determinant, (height * c - width * s) / determinant)
    }
}

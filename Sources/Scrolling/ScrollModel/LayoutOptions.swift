/// The alignment of content smaller than the bounds, as shares of the free space left of and above it.
@frozen
public struct ContentAlignment: Equatable, Sendable {
    /// The share of the free width to the left of the content, from 0 to 1.
    public let x: Double
    /// The share of the free height above the content, from 0 to 1.
    public let y: Double

    /// Creates an alignment.
    ///
    /// Shares are clamped to 0 to 1; NaN counts as 0.
    public init(x: Double, y: Double) {
        self.x = x > 0 ? min(x, 1) : 0
        self.y = y > 0 ? min(y, 1) : 0
    }

    /// At the top-left corner, as in UIScrollView.
    public static let topLeading = ContentAlignment(x: 0, y: 0)
    /// Centered, as in image viewers.
    public static let center = ContentAlignment(x: 0.5, y: 0.5)
}

/// The position in the bounds of a rectangle that `scrollRectToVisible` shows.
@frozen
public enum RectAlignment: UInt8, Equatable, Sendable {
    /// The position after the smallest move that shows the rectangle, or its top-left corner if it is too
    /// large.
    case nearest
    /// At the top-left corner.
    case start
    /// At the center of the part of the bounds that the insets leave free.
    case center
    /// At the bottom-right corner.
    case end
}

/// The pixels to which a program rounds the content offset.
@frozen
public enum Rounding: Equatable, Sendable {
    /// Offsets may be any fraction of a point.
    case none
    /// Rounds to whole pixels of a display with this many pixels per point.
    ///
    /// A scale that is not above 0 and below 1e6 disables rounding.
    case pixel(displayScale: Double)

    /// Returns the rounded value.
    @inlinable
    package func rounded(_ value: Double) -> Double {
        guard case .pixel(let scale) = self, scale > 0, scale < 1e6, value.magnitude < 1e15 else {
            return value
        }
        return (value * scale + 0.5).rounded(.down) / scale
    }
}

/// The edges at which the safe area is added to the content inset.
@frozen
public enum ContentInsetAdjustmentBehavior: String, CaseIterable, Equatable, Sendable {
    /// Same as `scrollableAxes`. UIKit's exception needs a navigation controller, which the model does not
    /// have.
    case automatic
    /// Edges of the axes that scroll: the content is larger than the bounds or always bounces.
    case scrollableAxes
    /// No edge: the safe area changes no inset.
    case never
    /// All four edges, whether or not the content scrolls.
    case always
}

#if !hasFeature(Embedded)
extension Rounding: Codable, Hashable {}
extension RectAlignment: Codable {}
extension ContentInsetAdjustmentBehavior: Codable {}

extension ContentAlignment: Hashable {}

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

/// A clockwise rotation of the content about its center.
///
/// The angle is stored in degrees, from 0 to less than 360, with its cosine and sine. Quarter turns are
/// exact.
@frozen
public struct Rotation: Equatable, Sendable {
    /// The angle, clockwise, in degrees: 0 ..< 360.
    public let degrees: Double
    let cosine: Double
    let sine: Double

    /// The angle 0.
    public static let none = Rotation(degrees: 0)

    /// Creates a clockwise rotation.
    ///
    /// An angle that is not finite counts as 0.
    public init(degrees: Double) {
        let turned = degrees - 360 * (degrees / 360).rounded(.down)
        self.degrees = turned >= 0 && turned < 360 ? turned : 0
        (cosine, sine) = PortableMath.cosineAndSine(degrees: self.degrees)
    }

    /// Whether the angle is a multiple of 90 degrees.
    public var isQuarterTurn: Bool { cosine == 0 || sine == 0 }

    /// Returns the size of the smallest upright rectangle around a rotated rectangle.
    func extent(width: Double, height: Double) -> (width: Double, height: Double) {
        let (c, s) = (cosine.magnitude, sine.magnitude)
        return (c * width + s * height, s * width + c * height)
    }

    /// Returns the vector rotated with the content.
    func turned(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        (cosine * x - sine * y, sine * x + cosine * y)
    }

    /// Returns the vector rotated back.
    func turnedBack(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        (cosine * x + sine * y, cosine * y - sine * x)
    }

    /// Returns the size of the largest rectangle within an upright one, parallel to the rotated content.
    ///
    /// Its width runs along the content's *x* axis. Either all four corners touch a side, or only two do.
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

#if !hasFeature(Embedded)
extension Rotation: Hashable, CustomStringConvertible {
    /// The angle in degrees: "90°".
    public var description: String { Int(exactly: degrees).map { "\($0)°" } ?? "\(degrees)°" }
}

/// Coded as the angle in degrees.
extension Rotation: Codable {
    /// Decodes an angle, which must be finite.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let degrees = try container.decode(Double.self)
        guard degrees.isFinite else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "an angle that is not finite")
        }
        self.init(degrees: degrees)
    }

    /// Encodes the angle.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(degrees)
    }
}
#endif

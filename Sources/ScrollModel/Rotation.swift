/// A turn of the content about its center, clockwise as it is seen.
///
/// The angle is kept in degrees, at least 0 and less than 360, with its cosine and sine; quarter turns are
/// exact.
@frozen
public struct Rotation: Equatable, Sendable {
    /// The angle, clockwise, in degrees: 0 ..< 360.
    public let degrees: Double
    package let cosine: Double
    package let sine: Double

    /// No turn.
    public static let none = Rotation(degrees: 0)

    /// A turn by `degrees` clockwise; an angle that is not a finite number counts as none.
    public init(degrees: Double) {
        let turned = degrees - 360 * (degrees / 360).rounded(.down)
        self.degrees = turned >= 0 && turned < 360 ? turned : 0
        (cosine, sine) = Elementary.cosineAndSine(degrees: self.degrees)
    }

    /// Whether the sides of the content stay parallel to those of the bounds.
    public var isQuarterTurn: Bool { cosine == 0 || sine == 0 }

    /// The size of the smallest upright rectangle around a turned rectangle of `width` and `height`.
    package func extent(width: Double, height: Double) -> (width: Double, height: Double) {
        let (c, s) = (cosine.magnitude, sine.magnitude)
        return (c * width + s * height, s * width + c * height)
    }

    /// The vector turned with the content.
    package func turned(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        (cosine * x - sine * y, sine * x + cosine * y)
    }

    /// The vector turned back.
    package func turnedBack(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        (cosine * x + sine * y, cosine * y - sine * x)
    }

    /// The greatest rectangle, parallel to the turned content's sides, inside an upright one.
    ///
    /// Its width runs along the content's own *x* axis. Source: the classic case distinction of the largest
    /// rectangle inside a rotated rectangle: either all four of its corners touch sides, or only two do.
    package func inscribed(width: Double, height: Double) -> (width: Double, height: Double) {
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

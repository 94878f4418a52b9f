internal import ViewportGeometry

/// The offsets at which the content may rest: a rectangle in content space that rotates with the content.
///
/// At quarter turns its axes run along *x* and *y*. At any other angle its sides are parallel to those of the
/// content: the largest rectangle within the bounds that is parallel to the content stays inside it. Every
/// corner of the content can be reached, and the bounds show no more empty space than needed. Motion, rubber
/// bands and limits work along these two axes.
struct ScrollRange: Equatable, Sendable {
    var first: Span
    var second: Span
    var cosine = 1.0
    var sine = 0.0

    /// A closed interval.
    ///
    /// `lower` is never above `upper`.
    struct Span: Equatable, Sendable {
        var lower: Double
        var upper: Double

        init(lower: Double, upper: Double) {
            self.lower = lower
            self.upper = max(lower, upper)
        }

        /// Returns the nearest value in the interval.
        func clamped(_ value: Double) -> Double { min(max(value, lower), upper) }

        /// Whether the interval is a single value: there is nothing to scroll.
        var isPoint: Bool { upper <= lower }
    }

    /// Returns a point's coordinates along the two axes.
    func axes(_ point: Point<ContentSpace>) -> (first: Double, second: Double) {
        guard sine != 0 else { return (point.x, point.y) }
        return (cosine * point.x + sine * point.y, cosine * point.y - sine * point.x)
    }

    /// Returns the point with these coordinates along the two axes.
    func point(_ first: Double, _ second: Double) -> Point<ContentSpace> {
        guard sine != 0 else { return Point(x: first, y: second) }
        return Point(x: cosine * first - sine * second, y: sine * first + cosine * second)
    }

    /// Returns the nearest point in range.
    func clamped(_ point: Point<ContentSpace>) -> Point<ContentSpace> {
        let (a, b) = axes(point)
        let (inA, inB) = (first.clamped(a), second.clamped(b))
        // Rotating a point there and back would change its last bit.
        return a == inA && b == inB ? point : self.point(inA, inB)
    }

    /// Returns whether the point is in range, within `tolerance` points.
    func contains(_ point: Point<ContentSpace>, tolerance: Double = 1e-9) -> Bool {
        let (a, b) = axes(point)
        return a >= first.lower - tolerance && a <= first.upper + tolerance
            && b >= second.lower - tolerance && b <= second.upper + tolerance
    }
}

#if !hasFeature(Embedded)
extension ScrollRange: Codable {}
extension ScrollRange.Span: Codable {}
#endif

/// The resistance of content pulled beyond its edge: f(x) = (1 - 1 / (0.55 x / d + 1)) d.
///
/// *x* is the accumulated pull of the finger and *d* the length of the bounds. The content initially follows
/// at 0.55 times the finger's speed and never moves farther than *d*. The formula was measured on
/// UIScrollView.
enum RubberBand {
    static let stiffness = 0.55

    /// Returns the overscroll for a pull.
    ///
    /// Neither is negative.
    static func stretch(_ pull: Double, length: Double) -> Double {
        guard pull > 0, length > 0 else { return 0 }
        return (1 - 1 / (pull * stiffness / length + 1)) * length
    }

    /// Returns the pull for an overscroll.
    ///
    /// No pull reaches the full length. An overscroll above nine tenths, which only a program can set, counts
    /// as nine tenths.
    static func pull(_ stretch: Double, length: Double) -> Double {
        guard stretch > 0, length > 0 else { return 0 }
        let share = min(stretch / length, 0.9)
        return share / (1 - share) * length / stiffness
    }

    /// Returns the content's share of the finger's velocity at `pull`: the derivative of f.
    static func give(_ pull: Double, length: Double) -> Double {
        guard pull > 0, length > 0 else { return 1 }
        let part = pull * stiffness / length + 1
        return stiffness / (part * part)
    }

    /// Returns `value` with resistance applied outside `span`.
    static func banded(_ value: Double, in span: ScrollRange.Span, length: Double) -> Double {
        if value < span.lower { return span.lower - stretch(span.lower - value, length: length) }
        if value > span.upper { return span.upper + stretch(value - span.upper, length: length) }
        return value
    }

    /// Returns the value that gives `value` with resistance applied.
    static func unbanded(_ value: Double, in span: ScrollRange.Span, length: Double) -> Double {
        if value < span.lower { return span.lower - pull(span.lower - value, length: length) }
        if value > span.upper { return span.upper + pull(value - span.upper, length: length) }
        return value
    }

    /// Returns a scale with resistance applied beyond its limits: the same function in octaves, with d = 1.
    static func bandedScale(_ scale: Double, _ least: Double, _ greatest: Double) -> Double {
        if scale < least { return least / octaves(stretch(log2(least / scale), length: 1)) }
        if scale > greatest { return greatest * octaves(stretch(log2(scale / greatest), length: 1)) }
        return scale
    }

    /// Returns the scale that gives `scale` with resistance applied.
    static func unbandedScale(_ scale: Double, _ least: Double, _ greatest: Double) -> Double {
        if scale < least { return least / octaves(pull(log2(least / scale), length: 1)) }
        if scale > greatest { return greatest * octaves(pull(log2(scale / greatest), length: 1)) }
        return scale
    }

    private static func log2(_ x: Double) -> Double { PortableMath.log(x) / 0.693_147_180_559_945_3 }

    private static func octaves(_ x: Double) -> Double { PortableMath.exp(x * 0.693_147_180_559_945_3) }
}

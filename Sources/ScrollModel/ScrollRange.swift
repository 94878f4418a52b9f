internal import ViewportGeometry

/// The offsets at which the content may rest: a rectangle in content space, turned with the content.
///
/// Unturned content, and content turned by quarters, has its axes along *x* and *y*. For any other angle the
/// rectangle's sides are parallel to the content's sides: the largest rectangle inside the bounds that is
/// parallel to them stays inside the content. So no corner of the content is out of reach, and the bounds
/// never show emptiness for its own sake. Motion, rubber bands and limits all work along these two axes.
struct ScrollRange: Equatable, Sendable {
    var first: Span
    var second: Span
    var cosine = 1.0
    var sine = 0.0

    /// The values between two limits; `lower` is never above `upper`.
    struct Span: Equatable, Sendable {
        var lower: Double
        var upper: Double

        init(lower: Double, upper: Double) {
            self.lower = lower
            self.upper = max(lower, upper)
        }

        /// The nearest value inside.
        func clamped(_ value: Double) -> Double { min(max(value, lower), upper) }

        /// Whether there is anything to scroll.
        var isPoint: Bool { upper <= lower }
    }

    /// A point's coordinates along the two axes.
    func axes(_ point: Point<ContentSpace>) -> (first: Double, second: Double) {
        guard sine != 0 else { return (point.x, point.y) }
        return (cosine * point.x + sine * point.y, cosine * point.y - sine * point.x)
    }

    /// The point with these coordinates.
    func point(_ first: Double, _ second: Double) -> Point<ContentSpace> {
        guard sine != 0 else { return Point(x: first, y: second) }
        return Point(x: cosine * first - sine * second, y: sine * first + cosine * second)
    }

    /// The nearest point inside.
    func clamped(_ point: Point<ContentSpace>) -> Point<ContentSpace> {
        let (a, b) = axes(point)
        let (inA, inB) = (first.clamped(a), second.clamped(b))
        // A point that is inside is given back as it is: turning it there and back would move its last bit.
        return a == inA && b == inB ? point : self.point(inA, inB)
    }

    /// Whether the point is inside, give or take `tolerance` points.
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

/// The resistance of content that is pulled beyond its edge: f(x) = (1 - 1 / (0.55 x / d + 1)) d.
///
/// *x* is how far the finger has pulled in all, never one event's share of it, and *d* the length of the
/// bounds: the content follows at 0.55 of the finger's speed at first and never goes further than *d*. The
/// formula is what UIScrollView has been measured to do.
enum RubberBand {
    static let stiffness = 0.55

    /// How far the content shows beyond its edge when it is pulled by `pull`; both are not negative.
    static func stretch(_ pull: Double, length: Double) -> Double {
        guard pull > 0, length > 0 else { return 0 }
        return (1 - 1 / (pull * stiffness / length + 1)) * length
    }

    /// How far it was pulled to show this far beyond its edge.
    ///
    /// No pull shows a whole length: from nine tenths on a program has put the content there, and the answer
    /// is that of nine tenths.
    static func pull(_ stretch: Double, length: Double) -> Double {
        guard stretch > 0, length > 0 else { return 0 }
        let share = min(stretch / length, 0.9)
        return share / (1 - share) * length / stiffness
    }

    /// The share of the finger's velocity that the content follows with at `pull`: the derivative of f.
    static func give(_ pull: Double, length: Double) -> Double {
        guard pull > 0, length > 0 else { return 1 }
        let part = pull * stiffness / length + 1
        return stiffness / (part * part)
    }

    /// A value outside of `span` drawn back towards it.
    static func banded(_ value: Double, in span: ScrollRange.Span, length: Double) -> Double {
        if value < span.lower { return span.lower - stretch(span.lower - value, length: length) }
        if value > span.upper { return span.upper + stretch(value - span.upper, length: length) }
        return value
    }

    /// The value that, drawn back, shows as `value`.
    static func unbanded(_ value: Double, in span: ScrollRange.Span, length: Double) -> Double {
        if value < span.lower { return span.lower - pull(span.lower - value, length: length) }
        if value > span.upper { return span.upper + pull(value - span.upper, length: length) }
        return value
    }

    /// A scale drawn back towards its limits: the same function of the octaves beyond, one octave long.
    static func bandedScale(_ scale: Double, _ least: Double, _ greatest: Double) -> Double {
        if scale < least { return least / octaves(stretch(log2(least / scale), length: 1)) }
        if scale > greatest { return greatest * octaves(stretch(log2(scale / greatest), length: 1)) }
        return scale
    }

    /// The scale that, drawn back, shows as `scale`.
    static func unbandedScale(_ scale: Double, _ least: Double, _ greatest: Double) -> Double {
        if scale < least { return least / octaves(pull(log2(least / scale), length: 1)) }
        if scale > greatest { return greatest * octaves(pull(log2(scale / greatest), length: 1)) }
        return scale
    }

    private static func log2(_ x: Double) -> Double { PortableMath.log(x) / 0.693_147_180_559_945_3 }

    private static func octaves(_ x: Double) -> Double { PortableMath.exp(x * 0.693_147_180_559_945_3) }
}

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

    private static func log2(_ x: Double) -> Double { Elementary.log(x) / 0.693_147_180_559_945_3 }

    private static func octaves(_ x: Double) -> Double { Elementary.exp(x * 0.693_147_180_559_945_3) }
}

package import ViewportGeometry

/// The offsets at which the content may rest: a rectangle in content space, turned with the content.
///
/// Unturned content, and content turned by quarters, has its axes along *x* and *y*. For any other angle the
/// rectangle's sides are parallel to the content's sides: the largest rectangle inside the bounds that is
/// parallel to them stays inside the content. So no corner of the content is out of reach, and the bounds
/// never show emptiness for its own sake. Motion, rubber bands and limits all work along these two axes.
package struct ScrollRange: Equatable, Sendable {
    package var first: Span
    package var second: Span
    package var cosine = 1.0
    package var sine = 0.0

    /// The values between two limits; `lower` is never above `upper`.
    package struct Span: Equatable, Sendable {
        package var lower: Double
        package var upper: Double

        package init(lower: Double, upper: Double) {
            self.lower = lower
            self.upper = max(lower, upper)
        }

        /// The nearest value inside.
        package func clamped(_ value: Double) -> Double { min(max(value, lower), upper) }

        /// Whether there is anything to scroll.
        package var isPoint: Bool { upper <= lower }
    }

    /// A point's coordinates along the two axes.
    package func axes(_ point: Point<ContentSpace>) -> (first: Double, second: Double) {
        guard sine != 0 else { return (point.x, point.y) }
        return (cosine * point.x + sine * point.y, cosine * point.y - sine * point.x)
    }

    /// The point with these coordinates.
    package func point(_ first: Double, _ second: Double) -> Point<ContentSpace> {
        guard sine != 0 else { return Point(x: first, y: second) }
        return Point(x: cosine * first - sine * second, y: sine * first + cosine * second)
    }

    /// The nearest point inside.
    package func clamped(_ point: Point<ContentSpace>) -> Point<ContentSpace> {
        let (a, b) = axes(point)
        let (inA, inB) = (first.clamped(a), second.clamped(b))
        // A point that is inside is given back as it is: turning it there and back would move its last bit.
        return a == inA && b == inB ? point : self.point(inA, inB)
    }

    /// Whether the point is inside, give or take `tolerance` points.
    package func contains(_ point: Point<ContentSpace>, tolerance: Double = 1e-9) -> Bool {
        let (a, b) = axes(point)
        return a >= first.lower - tolerance && a <= first.upper + tolerance
            && b >= second.lower - tolerance && b <= second.upper + tolerance
    }
}

#if !hasFeature(Embedded)
    extension ScrollRange: Codable {}
    extension ScrollRange.Span: Codable {}
#endif

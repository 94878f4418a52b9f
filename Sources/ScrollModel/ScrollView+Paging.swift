public import ViewportGeometry

/// Pages: parts of the content as large as the bounds.
extension ScrollView {
    /// The number of pages across and down; the last of them may be a part of one.
    public var pageCount: (across: Int, down: Int) {
        let (least, greatest) = geometry.offsetLimits
        return (
            count(greatest.x - least.x, bounds.width), count(greatest.y - least.y, bounds.height)
        )
    }

    /// The page, across and down, that the content is nearest to.
    public var currentPage: (across: Int, down: Int) {
        let (least, greatest) = geometry.offsetLimits
        return (
            page(contentOffset.x, least.x, greatest.x, bounds.width),
            page(contentOffset.y, least.y, greatest.y, bounds.height)
        )
    }

    /// The offset at which a page rests; pages that do not exist give the nearest that does.
    public func contentOffset(ofPage across: Int, _ down: Int) -> Point<ContentSpace> {
        let offset = Point<ContentSpace>(
            x: minimumContentOffset.x + Double(across) * bounds.width,
            y: minimumContentOffset.y + Double(down) * bounds.height)
        return clampedContentOffset(offset)
    }

    /// Goes to a page, at once or over some time; pages that do not exist give the nearest that does.
    @discardableResult
    public mutating func scrollToPage(
        _ across: Int, _ down: Int, animated timing: Timing? = nil
    ) -> ScrollEvents {
        let offset = contentOffset(ofPage: across, down)
        guard let timing else { return setContentOffset(offset) }
        return setContentOffset(offset, animated: timing)
    }

    private func count(_ length: Double, _ bound: Double) -> Int {
        guard bound > 0, length > 0 else { return 1 }
        // Less than a thousandth of a point past the last page is arithmetic.
        return 1 + Int(min((length / bound - 1e-3 / bound).rounded(.up), 1e9))
    }

    private func page(_ x: Double, _ least: Double, _ greatest: Double, _ bound: Double) -> Int {
        guard bound > 0, greatest > least else { return 0 }
        let last = count(greatest - least, bound) - 1
        let x = min(max(x, least), greatest) - least
        let before = Int(min((x / bound).rounded(.down), 1e9))
        let next = min(Double(before + 1) * bound, greatest - least)
        let start = Double(before) * bound
        return min(next > start && (x - start) / (next - start) >= 0.5 ? before + 1 : before, last)
    }
}

/// Where paging stops content along one axis: at multiples of the bounds from the least offset on, and at the
/// greatest offset.
struct PageStops {
    let span: ScrollRange.Span
    /// The length of a page.
    let length: Double

    /// Velocity, in points per second, from which on a flick's direction decides.
    private static let flickVelocity = 50.0

    /// The stop of content that is let go at `x`, in range, with velocity `v`, after a drag from `start`.
    ///
    /// A flick goes to the next stop in its direction, but no further than one from where the drag began,
    /// unless the finger itself went further. Without a flick the nearer wins, and exactly half goes on in the
    /// drag's direction.
    func stop(for x: Double, velocity v: Double, from start: Double) -> Double {
        let (before, after) = stops(around: x)
        if v >= Self.flickVelocity {
            let next = stops(around: start).after
            return x <= next ? min(after, next) : after
        }
        if v <= -Self.flickVelocity {
            let last = stop(before: start)
            let stop = stop(before: x)
            return x >= last ? max(stop, last) : stop
        }
        guard after > before else { return before }
        let share = (x - before) / (after - before)
        if share == 0.5 { return x >= start ? after : before }
        return share > 0.5 ? after : before
    }

    /// The stop at or before `x`, and the one after it.
    private func stops(around x: Double) -> (before: Double, after: Double) {
        if x >= span.upper { return (span.upper, span.upper) }
        // A hair before a stop is that stop: the drag may have started from one.
        let before = max(
            span.lower, span.lower + ((x - span.lower) / length + 1e-9).rounded(.down) * length)
        return (min(before, span.upper), min(before + length, span.upper))
    }

    /// The stop before `x`, which is not `x` itself.
    private func stop(before x: Double) -> Double {
        let stop = span.lower + ((x - span.lower) / length - 1e-9).rounded(.down) * length
        return min(max(stop, span.lower), span.upper)
    }
}

public import ViewportGeometry

/// Paging. A page has the size of the bounds.
extension ScrollView {
    /// The number of pages across and down.
    ///
    /// The last one may be partial.
    public var pageCount: (across: Int, down: Int) {
        let (least, greatest) = geometry.offsetLimits
        return (
            count(greatest.x - least.x, bounds.width), count(greatest.y - least.y, bounds.height)
        )
    }

    /// The indices, across and down, of the nearest page.
    public var currentPage: (across: Int, down: Int) {
        let (least, greatest) = geometry.offsetLimits
        return (
            page(contentOffset.x, least.x, greatest.x, bounds.width),
            page(contentOffset.y, least.y, greatest.y, bounds.height)
        )
    }

    /// Returns the offset at which a page rests.
    ///
    /// Indices out of range give the nearest page.
    public func contentOffset(ofPage across: Int, _ down: Int) -> Point<ContentSpace> {
        let offset = Point<ContentSpace>(
            x: minimumContentOffset.x + Double(across) * bounds.width,
            y: minimumContentOffset.y + Double(down) * bounds.height)
        return clampedContentOffset(offset)
    }

    /// Scrolls to a page, immediately or animated.
    ///
    /// Indices out of range give the nearest page.
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
        // Less than a thousandth of a point past the last page is rounding error. In extremely narrow bounds
        // the quotients are infinite, and their difference is NaN.
        let pages = (length / bound - 1e-3 / bound).rounded(.up)
        return 1 + (pages < 1e9 ? Int(max(pages, 0)) : 1_000_000_000)
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

/// The offsets at which paging stops along one axis: multiples of the bounds from the minimum, and the
/// maximum.
struct PageStops {
    let span: ScrollRange.Span
    /// The length of a page.
    let length: Double

    /// The velocity, in points per second, above which the direction of a flick decides.
    private static let flickVelocity = 50.0

    /// Returns the stop for content released at `x`, in range, with velocity `v`, after a drag from `start`.
    ///
    /// A flick moves to the next stop in its direction, at most one stop from the start of the drag unless
    /// the drag itself went farther. Otherwise the nearest stop wins; exactly halfway, the drag's direction
    /// decides.
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

    /// The stop at or before `x`, and the next stop.
    private func stops(around x: Double) -> (before: Double, after: Double) {
        if x >= span.upper { return (span.upper, span.upper) }
        // Rounding error before a stop counts as the stop: the drag may have started from one.
        let before = max(
            span.lower, span.lower + ((x - span.lower) / length + 1e-9).rounded(.down) * length)
        return (min(before, span.upper), min(before + length, span.upper))
    }

    /// The last stop strictly before `x`.
    private func stop(before x: Double) -> Double {
        let stop = span.lower + ((x - span.lower) / length - 1e-9).rounded(.down) * length
        return min(max(stop, span.lower), span.upper)
    }
}

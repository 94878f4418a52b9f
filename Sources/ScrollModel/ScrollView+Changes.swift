internal import ViewportGeometry

/// The one way in which operations change the state and find out which events that causes.
extension ScrollView {
    /// What is compared to know whether anything moved.
    struct Mark {
        let offset: Point<ContentSpace>
        let scale: Double
    }

    var mark: Mark { Mark(offset: contentOffset, scale: zoomScale) }

    /// Adds `didScroll`, `didZoom` and the edges that were reached since `mark`.
    mutating func noteChanges(since mark: Mark, in events: inout ScrollEvents) {
        if contentOffset != mark.offset { events.append(.didScroll) }
        if zoomScale != mark.scale { events.append(.didZoom) }
        let now = edgesReached
        guard now != edges else { return }
        let arrived = now & ~edges
        edges = now
        guard arrived != 0 else { return }
        for bit in 0..<UInt8(4) where arrived & (1 << bit) != 0 {
            if let edge = RectEdge(rawValue: bit) { events.append(.reachedEdge(edge)) }
        }
    }

    /// Does what a program asks for: ends what moves the content, changes it, and lets the fingers go on from
    /// there.
    mutating func perform(_ events: inout ScrollEvents, _ change: (inout Self) -> Void) {
        let before = beginChanging(&events)
        change(&self)
        endChanging(before, &events)
    }

    // Not inlined, as those below: every operation would carry a copy of them to the browser.
    @inline(never)
    private mutating func beginChanging(_ events: inout ScrollEvents) -> Mark {
        interrupt(&events)
        return mark
    }

    @inline(never)
    private mutating func endChanging(_ before: Mark, _ events: inout ScrollEvents) {
        noteChanges(since: before, in: &events)
        takeUpGesture()
    }

    /// Does what changes the range under the content.
    ///
    /// An animation arrives first. A drag goes on from where the content is then, and a deceleration goes on
    /// with its velocity into the new range, without an event.
    mutating func rearrange(_ change: (inout Self, inout ScrollEvents) -> Void) -> ScrollEvents {
        var events = ScrollEvents()
        let (before, velocity) = beginRearranging(&events)
        change(&self, &events)
        endRearranging(before, velocity, &events)
        return events
    }

    @inline(never)
    private mutating func beginRearranging(_ events: inout ScrollEvents) -> (Mark, Velocity) {
        arrive(&events)
        explanation = Explanation(self)
        return (mark, velocity)
    }

    @inline(never)
    private mutating func endRearranging(
        _ before: Mark, _ velocity: Velocity, _ events: inout ScrollEvents
    ) {
        noteChanges(since: before, in: &events)
        if isDecelerating {
            let way = way(velocity: velocity, paging: isPagingEnabled)
            if way.duration > 0 || way.rest != contentOffset {
                motion = .deceleration(way)
            } else {
                motion = .none
                events.append(.didEndDecelerating)
            }
        }
        takeUpGesture()
    }

    /// Moves to an offset, taken into range unless fingers or a bounce hold it beyond.
    @inline(never)
    mutating func keepOrMoveInRange(_ asked: Point<ContentSpace>) {
        guard isDragging || isZooming || isDecelerating else { return moveInRange(asked) }
        contentOffset = rounded(asked)
        explanation.askedOffset = contentOffset
        explanation.gotOffset = contentOffset
        explanation.gotScale = zoomScale
    }

    /// Moves to an offset as near to the one asked for as the range lets it, and explains it.
    @inline(never)
    mutating func moveInRange(_ asked: Point<ContentSpace>) {
        let got = range.clamped(asked)
        explanation.askedOffset = asked
        explanation.gotOffset = got
        explanation.gotScale = zoomScale
        explanation.limits.formUnion(.between(asked: asked, got: got))
        contentOffset = rounded(got)
    }

    /// The offset that is seen for an exact one.
    func rounded(_ offset: Point<ContentSpace>) -> Point<ContentSpace> {
        guard rounding != .none else { return offset }
        return Point(x: rounding.rounded(offset.x), y: rounding.rounded(offset.y))
    }

    /// A scale taken into the limits, which it notes where it hits them.
    @inline(never)
    mutating func limitedScale(_ asked: Double) -> Double {
        explanation = Explanation(self)
        explanation.askedScale = asked
        if asked < minimumZoomScale { explanation.limits.insert(.minimumZoomScale) }
        if asked > maximumZoomScale { explanation.limits.insert(.maximumZoomScale) }
        return min(max(asked, minimumZoomScale), maximumZoomScale)
    }

    /// The edges that the offset is at or beyond; none along an axis that has nothing to scroll.
    var edgesReached: UInt8 {
        let range = range
        let (a, b) = range.axes(contentOffset)
        var edges: UInt8 = 0
        // Half a thousandth of a point: resting offsets of springs come this near and no nearer.
        if !range.second.isPoint {
            if b <= range.second.lower + 5e-4 { edges |= 1 << RectEdge.top.rawValue }
            if b >= range.second.upper - 5e-4 { edges |= 1 << RectEdge.bottom.rawValue }
        }
        if !range.first.isPoint {
            if a <= range.first.lower + 5e-4 { edges |= 1 << RectEdge.left.rawValue }
            if a >= range.first.upper - 5e-4 { edges |= 1 << RectEdge.right.rawValue }
        }
        return edges
    }
}

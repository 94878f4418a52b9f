internal import ViewportGeometry

extension ScrollView {
    /// The offset as if no band had drawn it back.
    func unbanded(_ offset: Point<ContentSpace>) -> Point<ContentSpace> {
        let range = range
        guard !range.contains(offset, tolerance: 0) else { return offset }
        let (a, b) = range.axes(offset)
        return range.point(
            RubberBand.unbanded(a, in: range.first, length: bounds.width),
            RubberBand.unbanded(b, in: range.second, length: bounds.height))
    }

    /// Moves the content with the fingers.
    mutating func drag(_ events: inout ScrollEvents) {
        let before = mark
        let center = gesture.center
        gesture.tracker.add(center, time: time)
        let x = gesture.lock == .vertical ? 0 : gesture.anchor.x - center.x
        let y = gesture.lock == .horizontal ? 0 : gesture.anchor.y - center.y
        let range = range
        let free = canMove(in: range)
        let from = range.axes(gesture.origin)
        let (a, b) = range.axes(Point(x: gesture.origin.x + x, y: gesture.origin.y + y))
        pull(to: range.point(free.first ? a : from.first, free.second ? b : from.second), in: range)
        noteChanges(since: before, in: &events)
    }

    /// Shows an offset as the bands draw it back, and explains it.
    mutating func pull(to asked: Point<ContentSpace>, in range: ScrollRange) {
        let (a, b) = range.axes(asked)
        let got =
            bounces
            ? range.point(
                RubberBand.banded(a, in: range.first, length: bounds.width),
                RubberBand.banded(b, in: range.second, length: bounds.height))
            : range.clamped(asked)
        guard got.isFinite else { return }
        contentOffset = rounded(got)
        explanation.askedOffset = asked
        explanation.gotOffset = got
        explanation.askedScale = zoomScale
        explanation.gotScale = zoomScale
        explanation.limits = .between(asked: asked, got: got)
    }

    /// Ends a drag that something else takes the place of: no velocity, no target but where it is.
    mutating func endDragging(_ events: inout ScrollEvents) {
        events.append(.willEndDragging(velocity: .zero, target: contentOffset))
        events.append(.didEndDragging(willDecelerate: false))
        gesture.mode = .resting
    }

    /// Lets the content go: at a velocity, or at none if the drag was cancelled.
    mutating func release(velocity finger: (x: Double, y: Double)?, _ events: inout ScrollEvents) {
        gesture.mode = .resting
        let finger = finger ?? (0, 0)
        let velocity = contentVelocity(under: finger)
        let way = way(velocity: velocity, paging: isPagingEnabled)
        // Delegates are told the finger's own velocity, in the direction of the offset.
        let perMillisecond = Velocity(
            x: gesture.lock == .vertical ? 0 : -finger.x / 1000,
            y: gesture.lock == .horizontal ? 0 : -finger.y / 1000)
        let target = rounded(way.rest)
        events.append(.willEndDragging(velocity: perMillisecond, target: target))
        goOn(way, to: target, &events)
    }

    /// Ends a drag with the way that the content goes on, if it does.
    private mutating func goOn(
        _ way: Motion.Deceleration, to target: Point<ContentSpace>, _ events: inout ScrollEvents
    ) {
        let goesOn = way.duration > 0 || target != contentOffset
        events.append(.didEndDragging(willDecelerate: goesOn))
        motion = goesOn ? .deceleration(way) : .none
        if goesOn { events.append(.willBeginDecelerating) }
    }

    /// Lets a drag that has just ended come to rest elsewhere, as the program has it; the end is told anew.
    mutating func retarget(
        _ target: Point<ContentSpace>, velocity: Velocity, after events: ScrollEvents
    ) -> ScrollEvents {
        let target = rounded(range.clamped(target))
        let way = way(way(velocity: .zero, paging: false), velocity: self.velocity, to: target)
        var new = ScrollEvents()
        for event in events {
            guard case .willEndDragging = event else {
                new.append(event)
                continue
            }
            new.append(.willEndDragging(velocity: velocity, target: target))
            goOn(way, to: target, &new)
            break
        }
        return new
    }

    /// Brings content back that lies beyond its range or its limits after no gesture at all.
    mutating func settle(_ events: inout ScrollEvents) {
        let way = way(velocity: .zero, paging: false)
        guard !range.contains(contentOffset), way.duration > 0 || way.rest != contentOffset else { return }
        events.append(.willBeginDecelerating)
        motion = .deceleration(way)
    }
}

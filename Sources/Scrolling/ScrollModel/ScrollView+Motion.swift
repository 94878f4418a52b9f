internal import ViewportGeometry

// How content moves by itself: deceleration, animation, flight and bounce.
//
// A motion is a function of time (`Motion`), which `advance` evaluates. Nothing accumulates, so one long step ends
// in the same state as many short ones. There is no clock: the program passes the time.
//
// How a motion ends depends on what ends it. An operation of the program interrupts it where it is. A change of the
// bounds, the insets or the content completes an animation first; a deceleration continues. A finger catches it.
// A scale must not stay beyond its limits: a zoom bounce goes on under a finger, and arrives at once where the
// program takes over.
// Every motion ends with its event, also if another one replaces it.
//
// The model is UIScrollView; ScrollModel.md lists what differs on purpose.

/// Time, animation and deceleration.
extension ScrollView {
    /// Advances to `time`, in seconds, and moves content that is in motion.
    ///
    /// A time that is not later, or not finite, has no effect. One long step ends in the same state as many
    /// short steps.
    @discardableResult
    public mutating func advance(to time: Double) -> ScrollEvents {
        var events = ScrollEvents()
        guard pass(to: time) else { return events }
        let before = snapshot
        switch motion {
        case .none:
            return events
        case .deceleration(let deceleration):
            let t = time - deceleration.start
            let offset = t < deceleration.duration ? deceleration.offset(after: t) : deceleration.rest
            follow(Placement(scale: zoomScale, offset: offset))
            noteChanges(since: before, in: &events)
            if t >= deceleration.duration {
                begin(.none)
                events.append(.didEndDecelerating)
            }
        case .transition(let transition):
            let t = time - transition.start
            var placement = transition.placement(after: t)
            if transition.staysInRange {
                // Straight lines between two placements in range stay in range, but for roundings.
                placement.offset = geometry.range(at: placement.scale).clamped(placement.offset)
            }
            follow(placement)
            noteChanges(since: before, in: &events)
            if t >= transition.timing.duration { endTransition(transition.purpose, arrived: true, &events) }
        case .flight(let plan):
            let t = time - plan.start
            follow(t < plan.duration ? placement(of: plan.flight.stop(at: t / plan.duration)) : plan.to)
            noteChanges(since: before, in: &events)
            if t >= plan.duration { endTransition(.zoom, arrived: true, &events) }
        }
        return events
    }

    /// Advances by `seconds`.
    ///
    /// A number that is not positive and finite has no effect.
    @discardableResult
    public mutating func advance(by seconds: Double) -> ScrollEvents {
        advance(to: time + seconds)
    }

    /// Stops animation and deceleration, then clamps scale and offset to their limits.
    ///
    /// With paging, the content comes to rest on the nearest page. Source: Apple, `stopScrollingAndZooming()`.
    @discardableResult
    public mutating func stop() -> ScrollEvents {
        var events = ScrollEvents()
        guard motion != .none else { return events }
        interrupt(&events)
        let before = snapshot
        explanation = Explanation(self)
        let page = currentPage
        moveInRange(isPagingEnabled ? contentOffset(ofPage: page.across, page.down) : contentOffset)
        noteChanges(since: before, in: &events)
        rebaseGesture()
        return events
    }

    /// Whether the content is decelerating after a drag.
    public var isDecelerating: Bool {
        if case .deceleration = motion { true } else { false }
    }

    /// Whether an animation or a flight is in progress, as opposed to a gesture or a deceleration.
    public var isAnimating: Bool {
        switch motion {
        case .none, .deceleration: false
        case .flight: true
        case .transition(let transition): transition.purpose != .zoomBounce
        }
    }

    /// Whether scale and offset return to their limits after a pinch.
    public var isZoomBouncing: Bool {
        if case .transition(let transition) = motion { transition.purpose == .zoomBounce } else { false }
    }

    /// Whether something moves by itself: a deceleration, an animation, a flight or a bounce.
    ///
    /// Then time has an effect: ``advance(to:)`` is due with each frame. A finger that rests on the content is no motion;
    /// see ``isTracking``.
    public var isMoving: Bool { isDecelerating || isAnimating || isZoomBouncing }

    /// The state in which the content will come to rest without further input.
    ///
    /// During a gesture it is the state at rest if the fingers were lifted now. Its ``visibleRect`` is worth
    /// prefetching.
    public var projectedRestingState: ScrollView {
        var there = self
        var events = ScrollEvents()
        switch gesture.mode {
        case .dragging: there.release(velocity: gesture.velocity(at: time), &events)
        case .pinching, .oneFingerZooming: there.endZooming(at: gesture.center, &events)
        case .resting, .ignored: break
        }
        there.settleQuietly()
        return there
    }
}

/// Beginning and ending motions.
extension ScrollView {
    /// Applies the placement of a motion.
    ///
    /// A decoded motion may give one that is not finite; it has no effect.
    private mutating func follow(_ placement: Placement) {
        guard placement.offset.isFinite, ContentGeometry.isScale(placement.scale) else { return }
        // Flights may leave the limits, but not the range of possible scales.
        geometry.setScale(placement.scale)
        geometry.setOffset(ContentGeometry.bounded(placement.offset))
    }

    private mutating func endTransition(
        _ purpose: Motion.Transition.Purpose, arrived: Bool, _ events: inout ScrollEvents
    ) {
        begin(.none)
        switch purpose {
        case .scroll: events.append(.didEndScrollingAnimation)
        case .scrollToTop: events.append(arrived ? .didScrollToTop : .didEndScrollingAnimation)
        case .zoom:
            events.append(.didEndScrollingAnimation)
            events.append(.didEndZooming(atScale: zoomScale))
        case .zoomBounce: events.append(.didEndZooming(atScale: zoomScale))
        }
    }

    /// Ends the motion, with its events, because the program takes over.
    ///
    /// A zoom bounce arrives immediately, because the scale must not stay beyond its limits.
    mutating func interrupt(_ events: inout ScrollEvents) {
        let before = snapshot
        switch motion {
        case .none:
            return
        case .deceleration:
            begin(.none)
            events.append(.didEndDecelerating)
        case .transition(let transition) where transition.purpose == .zoomBounce:
            arrive(&events)
        case .transition(let transition):
            limitScale(since: before, &events)
            endTransition(transition.purpose, arrived: false, &events)
        case .flight:
            limitScale(since: before, &events)
            endTransition(.zoom, arrived: false, &events)
        }
    }

    /// Completes an animation immediately, with its events.
    mutating func arrive(_ events: inout ScrollEvents) {
        let before = snapshot
        switch motion {
        case .none, .deceleration:
            return
        case .transition(let transition):
            follow(transition.to)
            noteChanges(since: before, in: &events)
            endTransition(transition.purpose, arrived: true, &events)
        case .flight(let plan):
            follow(plan.to)
            noteChanges(since: before, in: &events)
            endTransition(.zoom, arrived: true, &events)
        }
    }

    /// Ends a motion because a finger touches the content.
    ///
    /// A zoom bounce continues.
    mutating func catchMotion(_ events: inout ScrollEvents) {
        switch motion {
        case .none:
            return
        case .deceleration:
            begin(.none)
            events.append(.didEndDecelerating)
        case .transition(let transition):
            switch transition.purpose {
            case .zoomBounce: return
            case .scroll, .scrollToTop:
                begin(.none)
                events.append(.didEndScrollingAnimation)
            case .zoom: catchZoom(&events)
            }
        case .flight: catchZoom(&events)
        }
    }

    private mutating func catchZoom(_ events: inout ScrollEvents) {
        begin(.none)
        events.append(.didEndScrollingAnimation)
        bounceZoom(at: Point(x: bounds.width / 2, y: bounds.height / 2), &events)
    }

    /// Clamps the scale to its limits, about the center, if a flight or a spring has left them.
    private mutating func limitScale(since before: Snapshot, _ events: inout ScrollEvents) {
        guard zoomScale < minimumZoomScale || zoomScale > maximumZoomScale else { return }
        jump(to: goal(zoomingTo: zoomScale, anchor: nil))
        noteChanges(since: before, in: &events)
    }

    /// Returns the scale and offset of a stop of a flight.
    private func placement(of stop: Flight.Stop) -> Placement {
        let scale = bounds.width / stop.width
        let middle = geometry.map(at: scale).content(stop.center)
        return Placement(
            scale: scale, offset: Point(x: middle.x - bounds.width / 2, y: middle.y - bounds.height / 2))
    }

    /// Returns scale and offset to their limits, animated, then ends the zoom.
    mutating func bounceZoom(at center: Point<ViewSpace>, _ events: inout ScrollEvents) {
        guard let goal = limitedPlacement(at: center), goal != placement else {
            events.append(.didEndZooming(atScale: zoomScale))
            return
        }
        // Ends when the corner with the longest way has less than half a point left.
        let distance =
            max((goal.offset.x - contentOffset.x).magnitude, (goal.offset.y - contentOffset.y).magnitude)
            + (goal.scale / zoomScale - 1).magnitude * max(bounds.width, bounds.height)
        let rest = DecelerationCurve.restDistance
        let share = min(max(rest / max(distance, rest), 1e-9), 0.5)
        begin(
            .transition(
                Motion.Transition(
                    start: time, from: placement, to: goal,
                    timing: .spring(frequency: DecelerationCurve.spring, dampingRatio: 1, until: share),
                    purpose: .zoomBounce, staysInRange: false)))
    }

    /// Returns the nearest placement within the limits that keeps the content at `center` in place.
    func limitedPlacement(at center: Point<ViewSpace>) -> Placement? {
        let scale = min(max(zoomScale, minimumZoomScale), maximumZoomScale)
        let ratio = scale / zoomScale
        let asked =
            ratio == 1
            ? contentOffset
            : Point<ContentSpace>(
                x: (contentOffset.x + center.x) * ratio - center.x,
                y: (contentOffset.y + center.y) * ratio - center.y)
        guard asked.isFinite else { return nil }
        return Placement(
            scale: scale, offset: geometry.rounded(geometry.range(at: scale).clamped(asked)))
    }
}

/// Deceleration.
extension ScrollView {
    /// The current velocity of a deceleration, in points per second.
    var velocity: Velocity {
        guard case .deceleration(let deceleration) = motion else { return .zero }
        return deceleration.velocity(after: time - deceleration.start)
    }

    /// Returns the deceleration of content released at `velocity`, in points per second.
    func deceleration(from velocity: Velocity, paging: Bool) -> Motion.Deceleration {
        let range = range
        let free = movableAxes(in: range)
        let bouncing = bouncingAxes(in: range)
        let (x, y) = range.axes(contentOffset)
        let (startX, startY) = range.axes(gesture.dragStart)
        let (vx, vy) = range.axes(Point(x: velocity.x, y: velocity.y))
        return Motion.Deceleration(
            start: time, range: range,
            first: curve(
                x, free.first ? vx : 0, from: startX, range.first, bounds.width,
                paging: paging && free.first, bounces: bouncing.first),
            second: curve(
                y, free.second ? vy : 0, from: startY, range.second, bounds.height,
                paging: paging && free.second, bounces: bouncing.second))
    }

    /// Returns the motion to a target that the program has chosen instead of the natural one.
    ///
    /// It starts at the velocity of the content. An axis with an unchanged target keeps its curve.
    func redirected(
        _ natural: Motion.Deceleration, velocity: Velocity, to target: Point<ContentSpace>
    ) -> Motion.Deceleration {
        let range = natural.range
        let (x, y) = range.axes(contentOffset)
        let (toX, toY) = range.axes(target)
        let (vx, vy) = range.axes(Point(x: velocity.x, y: velocity.y))
        var redirected = natural
        if (toX - natural.first.rest).magnitude > 1e-9 {
            redirected.first = curve(x, vx, to: toX, range.first)
        }
        if (toY - natural.second.rest).magnitude > 1e-9 {
            redirected.second = curve(y, vy, to: toY, range.second)
        }
        return redirected
    }

    /// Returns the content's velocity for a finger's: opposite, and lower beyond an edge.
    func contentVelocity(under finger: (x: Double, y: Double)) -> Velocity {
        let range = range
        let free = movableAxes(in: range)
        let (x, y) = range.axes(contentOffset)
        let (vx, vy) = range.axes(
            Point(
                x: gesture.lock == .vertical ? 0 : -finger.x, y: gesture.lock == .horizontal ? 0 : -finger.y))
        let velocity = range.point(
            free.first ? banded(vx, at: x, range.first, bounds.width) : 0,
            free.second ? banded(vy, at: y, range.second, bounds.height) : 0)
        return Velocity(x: velocity.x, y: velocity.y)
    }

    private func banded(_ v: Double, at x: Double, _ span: ScrollRange.Span, _ bound: Double) -> Double {
        let beyond = (x - span.clamped(x)).magnitude
        guard beyond > 0 else { return v }
        return v * RubberBand.give(RubberBand.pull(beyond, length: bound), length: bound)
    }

    /// Returns the curve along one axis.
    @inline(never)
    private func curve(
        _ x: Double, _ v: Double, from start: Double, _ span: ScrollRange.Span, _ bound: Double,
        paging: Bool, bounces: Bool
    ) -> DecelerationCurve {
        if paging, bound > 0 {
            // Beyond an edge there is no page to choose: the content returns to the edge.
            let edge = span.clamped(x)
            let target =
                x == edge ? PageStops(span: span, length: bound).stop(for: x, velocity: v, from: start) : edge
            // A flick outwards at the last page bounces, although the page stays.
            let goesOut = x == span.lower && v < 0 || x == span.upper && v > 0
            if target == x, !goesOut || !bounces { return DecelerationCurve(at: x) }
            return DecelerationCurve(from: x, velocity: v, to: target, rate: DecelerationCurve.spring)
        }
        return DecelerationCurve(
            from: x, velocity: v, in: span, decay: decelerationRate.decay, bounces: bounces)
    }

    /// Returns the curve along one axis to a chosen target.
    ///
    /// The current coordinate as a target stops it there.
    private func curve(
        _ x: Double, _ v: Double, to target: Double, _ span: ScrollRange.Span
    ) -> DecelerationCurve {
        guard (x - target).magnitude > 1e-9 else { return DecelerationCurve(at: target) }
        let isFree = x == span.clamped(x) && !isPagingEnabled
        return DecelerationCurve(
            from: x, velocity: v, to: target,
            rate: isFree ? decelerationRate.decay : DecelerationCurve.spring)
    }
}

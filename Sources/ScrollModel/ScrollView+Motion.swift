internal import ViewportGeometry

extension ScrollView {
    /// Lets time pass until `time`, in seconds, and moves what moves by itself.
    ///
    /// A time that has passed already is refused. One long step ends where many short ones do.
    @discardableResult
    public mutating func advance(to time: Double) -> ScrollEvents {
        var events = ScrollEvents()
        guard time > self.time, time.isFinite else { return events }
        self.time = time
        let before = mark
        switch motion {
        case .none:
            return events
        case .deceleration(let way):
            let t = time - way.start
            follow(Goal(scale: zoomScale, offset: t < way.duration ? way.offset(after: t) : way.rest))
            noteChanges(since: before, in: &events)
            if t >= way.duration {
                motion = .none
                events.append(.didEndDecelerating)
            }
        case .transition(let way):
            let t = time - way.start
            var place = way.place(after: t)
            if way.staysInRange { place.offset = range(at: place.scale).clamped(place.offset) }
            follow(place)
            noteChanges(since: before, in: &events)
            if t >= way.timing.duration { endTransition(way.purpose, &events) }
        case .flight(let plan):
            let t = time - plan.start
            follow(t < plan.duration ? place(of: plan.flight.stop(at: t / plan.duration)) : plan.to)
            noteChanges(since: before, in: &events)
            if t >= plan.duration { endTransition(.zoom, &events) }
        }
        return events
    }

    /// Lets `seconds` pass.
    @discardableResult
    public mutating func advance(by seconds: Double) -> ScrollEvents {
        advance(to: time + seconds)
    }

    /// Stops whatever moves by itself, where it is; what was beyond its limits is taken into them.
    @discardableResult
    public mutating func stop() -> ScrollEvents {
        var events = ScrollEvents()
        guard motion != .none else { return events }
        interrupt(&events)
        let before = mark
        explanation = Explanation(self)
        moveInRange(contentOffset)
        noteChanges(since: before, in: &events)
        takeUpGesture()
        return events
    }

    /// Whether the content goes on after the finger has left.
    public var isDecelerating: Bool {
        if case .deceleration = motion { true } else { false }
    }

    /// Whether an animated change is under way.
    public var isAnimating: Bool {
        switch motion {
        case .none, .deceleration: false
        case .flight: true
        case .transition(let way): way.purpose != .zoomBounce
        }
    }

    /// Whether a pinch is over and what it pulled beyond its limits goes back.
    public var isZoomBouncing: Bool {
        if case .transition(let way) = motion { way.purpose == .zoomBounce } else { false }
    }
}

extension ScrollView {
    /// Goes to the place that a motion gives; one that is not finite, of a motion read from a file, has no
    /// effect.
    private mutating func follow(_ place: Goal) {
        guard place.offset.isFinite, Self.isScale(place.scale) else { return }
        // Flights may leave the limits, but not the scales that numbers can bear.
        zoomScale = min(
            max(place.scale, Self.possibleScales.lowerBound / 4), Self.possibleScales.upperBound * 4)
        contentOffset = rounded(bounded(place.offset))
    }

    private mutating func endTransition(_ purpose: Motion.Transition.Purpose, _ events: inout ScrollEvents) {
        motion = .none
        if purpose != .zoomBounce { events.append(.didEndScrollingAnimation) }
        if purpose != .scroll { events.append(.didEndZooming(atScale: zoomScale)) }
    }

    /// Ends what moves the content, with its events, because a program takes over.
    ///
    /// A zoom that bounces back arrives at once, as the scale must not stay beyond its limits.
    mutating func interrupt(_ events: inout ScrollEvents) {
        let before = mark
        switch motion {
        case .none:
            return
        case .deceleration:
            motion = .none
            events.append(.didEndDecelerating)
        case .transition(let way) where way.purpose == .zoomBounce:
            arrive(&events)
        case .transition(let way):
            limitScale(since: before, &events)
            endTransition(way.purpose, &events)
        case .flight:
            limitScale(since: before, &events)
            endTransition(.zoom, &events)
        }
    }

    /// Lets an animation arrive at once, with its events.
    mutating func arrive(_ events: inout ScrollEvents) {
        let before = mark
        switch motion {
        case .none, .deceleration:
            return
        case .transition(let way):
            follow(way.to)
            noteChanges(since: before, in: &events)
            endTransition(way.purpose, &events)
        case .flight(let plan):
            follow(plan.to)
            noteChanges(since: before, in: &events)
            endTransition(.zoom, &events)
        }
    }

    /// The velocity of a deceleration, in points per second.
    var velocity: Velocity {
        guard case .deceleration(let way) = motion else { return .zero }
        let t = time - way.start
        let point = way.range.point(way.first.velocity(at: t), way.second.velocity(at: t))
        return Velocity(x: point.x, y: point.y)
    }

    /// Takes the scale into its limits, about the middle, where a flight or a spring has left them.
    private mutating func limitScale(since before: Mark, _ events: inout ScrollEvents) {
        guard zoomScale < minimumZoomScale || zoomScale > maximumZoomScale else { return }
        jump(to: goal(zoomingTo: zoomScale, anchor: nil))
        noteChanges(since: before, in: &events)
    }

    /// The scale and the offset that show a stop of a flight.
    func place(of stop: Flight.Stop) -> Goal {
        let scale = bounds.width / stop.width
        let middle = content(stop.center, at: scale)
        return Goal(
            scale: scale, offset: Point(x: middle.x - bounds.width / 2, y: middle.y - bounds.height / 2))
    }
}

extension ScrollView {
    /// The way to rest of content that moves at `velocity`, in points per second, and is let go.
    func way(velocity: Velocity, paging: Bool) -> Motion.Deceleration {
        let range = range
        let free = canMove(in: range)
        let (x, y) = range.axes(contentOffset)
        let (startX, startY) = range.axes(gesture.dragStart)
        let (vx, vy) = range.axes(Point(x: velocity.x, y: velocity.y))
        return Motion.Deceleration(
            start: time, range: range,
            first: glide(
                x, free.first ? vx : 0, from: startX, range.first, bounds.width, paging: paging && free.first),
            second: glide(
                y, free.second ? vy : 0, from: startY, range.second, bounds.height,
                paging: paging && free.second))
    }

    /// The way to a target that a program has chosen instead of the natural one.
    ///
    /// It starts at the velocity that the content has. An axis whose target has not changed keeps its way.
    func way(_ natural: Motion.Deceleration, velocity: Velocity, to target: Point<ContentSpace>)
        -> Motion.Deceleration
    {
        let range = natural.range
        let (x, y) = range.axes(contentOffset)
        let (toX, toY) = range.axes(target)
        let (vx, vy) = range.axes(Point(x: velocity.x, y: velocity.y))
        var way = natural
        if (toX - natural.first.rest).magnitude > 1e-9 {
            way.first = glide(x, vx, to: toX, range.first)
        }
        if (toY - natural.second.rest).magnitude > 1e-9 {
            way.second = glide(y, vy, to: toY, range.second)
        }
        return way
    }

    /// The content's velocity under a finger's: against it, and slower beyond an edge, where the band holds
    /// it.
    func contentVelocity(under finger: (x: Double, y: Double)) -> Velocity {
        let range = range
        let free = canMove(in: range)
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

    /// The way along one axis.
    @inline(never)
    private func glide(
        _ x: Double, _ v: Double, from start: Double, _ span: ScrollRange.Span, _ bound: Double, paging: Bool
    ) -> Glide {
        if paging, bound > 0 {
            let edge = span.clamped(x)
            let target = x == edge ? pageStop(x, v, from: start, span, bound) : edge
            let goesOut = x == span.lower && v < 0 || x == span.upper && v > 0
            if target == x, !goesOut || !bounces { return Glide(at: x) }
            return Glide(from: x, velocity: v, to: target, rate: Glide.spring)
        }
        return Glide(from: x, velocity: v, in: span, decay: decelerationRate.decay, bounces: bounces)
    }

    /// The way along one axis to a chosen target; the place where it is stops it there.
    private func glide(_ x: Double, _ v: Double, to target: Double, _ span: ScrollRange.Span) -> Glide {
        guard (x - target).magnitude > 1e-9 else { return Glide(at: target) }
        let isFree = x == span.clamped(x) && !isPagingEnabled
        return Glide(from: x, velocity: v, to: target, rate: isFree ? decelerationRate.decay : Glide.spring)
    }
}

extension ScrollView {
    /// The state in which the content will come to rest if nothing else happens, as if it were there already.
    ///
    /// While fingers hold the content it is where it would rest if they left now. What lies in its
    /// `visibleRect` is worth loading ahead.
    public var projectedRestingState: ScrollView {
        var there = self
        var events = ScrollEvents()
        switch gesture.mode {
        case .dragging: there.release(velocity: gesture.tracker.velocity(at: time), &events)
        case .pinching, .sliding: there.endZooming(at: gesture.center, &events)
        case .resting, .ignored: break
        }
        there.gesture = Gesture()
        if case .deceleration(let way) = there.motion {
            there.contentOffset = there.rounded(way.rest)
            there.motion = .none
        }
        there.arrive(&events)
        there.edges = there.edgesReached
        return there
    }
}

public import ViewportGeometry

extension ScrollView {
    /// Tells what has happened to one or two fingers at once; more than two at a time do not count.
    ///
    /// `willEndDragging` is asked when a drag ends, with the velocity in points per *millisecond*; it may
    /// change where the content will come to rest, which is then taken into range.
    @discardableResult
    public mutating func touches(
        _ first: Touch, _ second: Touch? = nil, phase: TouchPhase,
        willEndDragging edit: (Velocity, inout Point<ContentSpace>) -> Void
    ) -> ScrollEvents {
        let events = touches(first, second, phase: phase)
        guard gesture.fingers == 0 else { return events }
        for case .willEndDragging(let velocity, let planned) in events {
            var target = planned
            edit(velocity, &target)
            guard target != planned, target.isFinite else { continue }
            return retarget(target, velocity: velocity, after: events)
        }
        return events
    }

    /// Tells what has happened to one or two fingers at once; more than two at a time do not count.
    @discardableResult
    public mutating func touches(
        _ first: Touch, _ second: Touch? = nil, phase: TouchPhase
    ) -> ScrollEvents {
        var events = ScrollEvents()
        guard isScrollEnabled || gesture.fingers > 0 else { return events }
        let first = bounded(first)
        let second = second.flatMap { bounded($0) }
        guard first != nil || second != nil else { return events }
        switch phase {
        case .began:
            if let first { fingerCame(first, &events) }
            if let second { fingerCame(second, &events) }
        case .moved:
            fingersMoved(first, second, &events)
        case .ended, .cancelled:
            if phase == .ended { fingersMoved(first, second, &events) }
            fingersLeft(first, second, cancelled: phase == .cancelled, &events)
        }
        return events
    }

    /// Tells what has happened to any number of fingers at once; two of those that count are heard.
    @discardableResult
    public mutating func touches(_ touches: some Sequence<Touch>, phase: TouchPhase) -> ScrollEvents {
        var first: Touch?
        var second: Touch?
        for touch in touches where phase == .began || gesture.knows(touch.id) {
            if first == nil {
                first = touch
            } else if second == nil {
                second = touch
            }
        }
        guard let first else { return ScrollEvents() }
        return self.touches(first, second, phase: phase)
    }

    /// Whether a finger is on the screen.
    public var isTracking: Bool { gesture.fingers > 0 }

    /// Whether a finger drags the content.
    public var isDragging: Bool { gesture.mode == .dragging }

    /// Whether fingers zoom the content.
    public var isZooming: Bool { gesture.mode == .pinching || gesture.mode == .sliding }

    /// A touch whose place no product can take out of the finite numbers; nil for one that is nowhere.
    private func bounded(_ touch: Touch) -> Touch? {
        guard touch.location.x.magnitude <= Self.greatestLength,
            touch.location.y.magnitude <= Self.greatestLength
        else { return nil }
        return touch
    }
}

extension ScrollView {
    private mutating func fingerCame(_ touch: Touch, _ events: inout ScrollEvents) {
        // A finger that comes twice has only moved.
        guard !gesture.knows(touch.id) else { return fingersMoved(touch, nil, &events) }
        switch gesture.fingers {
        case 0:
            catchMotion(&events)
            gesture.mode = .resting
            gesture.fingers = 1
            (gesture.firstID, gesture.first) = (touch.id, touch.location)
            let follows =
                time - gesture.tapTime <= Gesture.tapDuration
                && Gesture.distance(touch.location, gesture.tapPoint) <= Gesture.tapDistance
            gesture.taps = follows && gesture.tapCount == 1 ? 2 : 1
            gesture.downTime = time
            gesture.hasMoved = false
            gesture.hadTwoFingers = false
            takeUpGesture()
        case 1:
            if gesture.mode == .dragging { endDragging(&events) }
            if gesture.mode == .sliding { gesture.mode = .pinching }
            gesture.fingers = 2
            (gesture.secondID, gesture.second) = (touch.id, touch.location)
            gesture.taps = 0
            gesture.hadTwoFingers = true
            takeUpGesture()
        default:
            return
        }
    }

    private mutating func fingersMoved(_ first: Touch?, _ second: Touch?, _ events: inout ScrollEvents) {
        var moved = false
        if let first, gesture.place(first) { moved = true }
        if let second, gesture.place(second) { moved = true }
        guard moved else { return }
        if gesture.mode == .resting { recognize(&events) }
        switch gesture.mode {
        case .resting, .ignored: return
        case .dragging: drag(&events)
        case .pinching: pinch(&events)
        case .sliding: slide(&events)
        }
    }

    private mutating func fingersLeft(
        _ first: Touch?, _ second: Touch?, cancelled: Bool, _ events: inout ScrollEvents
    ) {
        let firstLeaves =
            gesture.fingers > 0 && (first?.id == gesture.firstID || second?.id == gesture.firstID)
        let secondLeaves =
            gesture.fingers > 1 && (first?.id == gesture.secondID || second?.id == gesture.secondID)
        let leaving = (firstLeaves ? 1 : 0) + (secondLeaves ? 1 : 0)
        guard leaving > 0 else { return }
        let center = gesture.center
        let stay = gesture.fingers - leaving
        if stay == 0, gesture.mode == .dragging {
            release(velocity: cancelled ? nil : gesture.tracker.velocity(at: time), &events)
        }
        if gesture.mode == .pinching || gesture.mode == .sliding { endZooming(at: center, &events) }
        if cancelled { gesture.hasMoved = true }
        if firstLeaves, stay == 1 { (gesture.firstID, gesture.first) = (gesture.secondID, gesture.second) }
        gesture.fingers = stay
        guard stay == 0 else {
            // What two fingers did without moving may still be a tap of both.
            gesture.taps = 0
            return takeUpGesture()
        }
        let mode = gesture.mode
        gesture.mode = .resting
        gesture.lock = .none
        if mode == .resting { fingersTapped(at: center, &events) }
        if motion == .none { settle(&events) }
    }
}

/// Which gesture it is that the fingers make.
extension ScrollView {
    /// Whether pinches, taps and slides may change the scale.
    var canZoom: Bool { minimumZoomScale < maximumZoomScale }

    /// Whether fingers may move the content along the axes of its range.
    @inline(never)
    func canMove(in range: ScrollRange) -> (first: Bool, second: Bool) {
        let across = bounces && alwaysBounceHorizontal
        let down = bounces && alwaysBounceVertical
        let either = range.sine != 0 && (across || down)
        return (!range.first.isPoint || across || either, !range.second.isPoint || down || either)
    }

    /// Ends a motion because a finger touches the content; a zoom that bounces back goes on.
    mutating func catchMotion(_ events: inout ScrollEvents) {
        switch motion {
        case .none:
            return
        case .deceleration:
            motion = .none
            events.append(.didEndDecelerating)
        case .transition(let way) where way.purpose == .zoomBounce:
            return
        case .transition(let way) where way.purpose == .scroll:
            motion = .none
            events.append(.didEndScrollingAnimation)
        case .transition, .flight:
            motion = .none
            events.append(.didEndScrollingAnimation)
            bounceZoom(at: Point(x: bounds.width / 2, y: bounds.height / 2), &events)
        }
    }

    /// Reckons the gesture from the state as it is now.
    @inline(never)
    mutating func takeUpGesture() {
        guard gesture.fingers > 0 else { return }
        gesture.anchor = gesture.center
        gesture.spread = max(gesture.fingers > 1 ? gesture.distance : 0, 1)
        gesture.scale = zoomScale
        gesture.pull = RubberBand.unbandedScale(zoomScale, minimumZoomScale, maximumZoomScale)
        gesture.origin = unbanded(contentOffset)
        gesture.tracker.start(at: gesture.anchor, time: time)
    }

    /// Decides what fingers do that rested until now and have moved.
    mutating func recognize(_ events: inout ScrollEvents) {
        let center = gesture.center
        let moved = Gesture.distance(center, gesture.anchor)
        let spread = gesture.fingers > 1 ? (gesture.distance - gesture.spread).magnitude : 0
        guard max(moved, spread) > Gesture.slop else {
            gesture.tracker.add(center, time: time)
            return
        }
        gesture.hasMoved = true
        let zooms = canZoom && (gesture.fingers > 1 || gesture.taps == 2)
        if isZoomBouncing {
            // One finger waits until the bounce is over; two take the zoom up where it is, and it goes on.
            guard gesture.fingers > 1, zooms else { return takeUpGesture() }
            motion = .none
            gesture.scale = zoomScale
            gesture.mode = .pinching
            return takeUpPinch()
        }
        if zooms {
            gesture.mode = gesture.fingers > 1 ? .pinching : .sliding
            events.append(.willBeginZooming)
            return
        }
        let axes = canMove(in: range)
        guard axes.first || axes.second else { return }
        gesture.mode = .dragging
        gesture.dragStart = contentOffset
        gesture.lock = .none
        if isDirectionalLockEnabled {
            // Clearly along one axis, twice as far as along the other; a diagonal drag is free until it ends.
            let (x, y) = ((center.x - gesture.anchor.x).magnitude, (center.y - gesture.anchor.y).magnitude)
            if x >= 2 * y { gesture.lock = .horizontal } else if y >= 2 * x { gesture.lock = .vertical }
        }
        events.append(.willBeginDragging)
    }

    /// Reckons a pinch from a bouncing zoom, whose state changed since the fingers came down.
    private mutating func takeUpPinch() {
        let mode = gesture.mode
        takeUpGesture()
        gesture.mode = mode
    }

    /// Ends what the fingers do, because a program's animation begins; they mean nothing until all have left.
    mutating func abandonGesture(_ events: inout ScrollEvents) {
        guard gesture.fingers > 0 else { return }
        switch gesture.mode {
        case .resting, .ignored:
            break
        case .dragging:
            endDragging(&events)
        case .pinching, .sliding:
            let before = mark
            if let goal = limitedGoal(at: gesture.center), goal.scale != zoomScale { jump(to: goal) }
            noteChanges(since: before, in: &events)
            events.append(.didEndZooming(atScale: zoomScale))
        }
        gesture.mode = .ignored
    }

    /// Acts on fingers that have left without having moved.
    mutating func fingersTapped(at center: Point<ViewSpace>, _ events: inout ScrollEvents) {
        let isTap = !gesture.hasMoved && time - gesture.downTime <= Gesture.tapDuration
        if isTap, gesture.hadTwoFingers {
            gesture.tapCount = 0
            events.append(twoFingerTap(at: center))
        } else if isTap, gesture.taps == 2 {
            gesture.tapCount = 0
            events.append(doubleTap(at: center))
        } else if isTap {
            (gesture.tapTime, gesture.tapPoint, gesture.tapCount) = (time, center, 1)
        }
    }
}

extension ScrollView {
    /// Zooms and moves the content with two fingers: what was under them stays under them.
    mutating func pinch(_ events: inout ScrollEvents) {
        hold(gesture.pull * gesture.distance / gesture.spread, at: gesture.center, &events)
    }

    /// Zooms the content about the place of the tap as one finger goes up and down.
    mutating func slide(_ events: inout ScrollEvents) {
        let octaves = (gesture.first.y - gesture.anchor.y) / Gesture.slide
        hold(
            gesture.pull * Elementary.exp(min(max(octaves, -60), 60) * 0.693_147_180_559_945_3),
            at: gesture.anchor, &events)
    }

    /// Shows the content at a scale, with what was under the fingers when they came down at `point`.
    private mutating func hold(_ asked: Double, at point: Point<ViewSpace>, _ events: inout ScrollEvents) {
        let before = mark
        let wanted = min(max(asked, Self.possibleScales.lowerBound / 4), Self.possibleScales.upperBound * 4)
        let scale =
            bouncesZoom
            ? RubberBand.bandedScale(wanted, minimumZoomScale, maximumZoomScale)
            : min(max(wanted, minimumZoomScale), maximumZoomScale)
        let ratio = scale / gesture.scale
        zoomScale = scale
        pull(
            to: Point(
                x: (gesture.origin.x + gesture.anchor.x) * ratio - point.x,
                y: (gesture.origin.y + gesture.anchor.y) * ratio - point.y),
            in: range)
        explanation.askedScale = wanted
        if wanted < minimumZoomScale { explanation.limits.insert(.minimumZoomScale) }
        if wanted > maximumZoomScale { explanation.limits.insert(.maximumZoomScale) }
        noteChanges(since: before, in: &events)
    }

    /// Ends a gesture that zooms, at once or after what it pulled too far has gone back.
    mutating func endZooming(at center: Point<ViewSpace>, _ events: inout ScrollEvents) {
        gesture.mode = .resting
        bounceZoom(at: center, &events)
    }

    /// Lets scale and offset go back within their limits, then ends the zoom.
    mutating func bounceZoom(at center: Point<ViewSpace>, _ events: inout ScrollEvents) {
        guard let goal = limitedGoal(at: center), goal != place else {
            events.append(.didEndZooming(atScale: zoomScale))
            return
        }
        // Until less than half a point is left of the way of the corner that has the furthest to go.
        let way =
            max((goal.offset.x - contentOffset.x).magnitude, (goal.offset.y - contentOffset.y).magnitude)
            + (goal.scale / zoomScale - 1).magnitude * max(bounds.width, bounds.height)
        let share = min(max(Glide.nearness / max(way, Glide.nearness), 1e-9), 0.5)
        motion = .transition(
            Motion.Transition(
                start: time, from: place, to: goal,
                timing: .spring(frequency: Glide.spring, dampingRatio: 1, until: share),
                purpose: .zoomBounce, staysInRange: false))
    }

    /// The nearest place within the limits, with the content at `center` staying there if it can.
    func limitedGoal(at center: Point<ViewSpace>) -> Goal? {
        let scale = min(max(zoomScale, minimumZoomScale), maximumZoomScale)
        let ratio = scale / zoomScale
        let asked =
            ratio == 1
            ? contentOffset
            : Point<ContentSpace>(
                x: (contentOffset.x + center.x) * ratio - center.x,
                y: (contentOffset.y + center.y) * ratio - center.y)
        guard asked.isFinite else { return nil }
        return Goal(scale: scale, offset: rounded(range(at: scale).clamped(asked)))
    }
}

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

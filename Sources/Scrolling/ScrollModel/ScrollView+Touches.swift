public import ViewportGeometry

/// Touches.
extension ScrollView {
    /// Handles one or two touches in the same phase and lets the program choose where a drag comes to rest.
    ///
    /// `willEndDragging` is called when a drag ends, with the velocity in points per *millisecond* and the
    /// target offset, which it may change. A changed target is clamped to the range. Unlike in UIKit it is
    /// called with paging, too.
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

    /// Handles one or two touches in the same phase.
    ///
    /// A third finger on the screen is ignored.
    ///
    /// A location that is not finite, or beyond 1e12 points, has no effect.
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
            if let first { addFinger(first, &events) }
            if let second { addFinger(second, &events) }
        case .moved:
            moveFingers(first, second, &events)
        case .ended, .cancelled:
            if phase == .ended { moveFingers(first, second, &events) }
            removeFingers(first, second, cancelled: phase == .cancelled, &events)
        }
        return events
    }

    /// Handles any number of touches in the same phase.
    ///
    /// At most two fingers take part in a gesture.
    @discardableResult
    public mutating func touches(_ touches: some Sequence<Touch>, phase: TouchPhase) -> ScrollEvents {
        var first: Touch?
        var second: Touch?
        for touch in touches where phase == .began || gesture.isTracking(touch.id) {
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

    /// Whether a finger is dragging the content.
    public var isDragging: Bool { gesture.mode == .dragging }

    /// Whether fingers are zooming the content.
    public var isZooming: Bool { gesture.mode == .pinching || gesture.mode == .oneFingerZooming }

    /// Returns the touch, or nil if its location is not finite or so large that products could overflow.
    private func bounded(_ touch: Touch) -> Touch? {
        guard touch.location.x.magnitude <= ContentGeometry.greatestLength,
            touch.location.y.magnitude <= ContentGeometry.greatestLength
        else { return nil }
        return touch
    }
}

extension ScrollView {
    private mutating func addFinger(_ touch: Touch, _ events: inout ScrollEvents) {
        // A second "began" of the same finger counts as a move.
        guard !gesture.isTracking(touch.id) else { return moveFingers(touch, nil, &events) }
        switch gesture.fingers {
        case 0:
            catchMotion(&events)
            gesture.addFirst(touch, at: time)
            rebaseGesture()
        case 1:
            if gesture.mode == .dragging { endDragging(&events) }
            gesture.addSecond(touch)
            rebaseGesture()
        default:
            return
        }
    }

    private mutating func moveFingers(_ first: Touch?, _ second: Touch?, _ events: inout ScrollEvents) {
        var moved = false
        if let first, gesture.move(first) { moved = true }
        if let second, gesture.move(second) { moved = true }
        guard moved else { return }
        if gesture.mode == .resting { recognize(&events) }
        switch gesture.mode {
        case .resting, .ignored: return
        case .dragging: drag(&events)
        case .pinching: pinch(&events)
        case .oneFingerZooming: zoomWithOneFinger(&events)
        }
    }

    private mutating func removeFingers(
        _ first: Touch?, _ second: Touch?, cancelled: Bool, _ events: inout ScrollEvents
    ) {
        let leaving = gesture.count(first, second)
        guard leaving > 0 else { return }
        let center = gesture.center
        if gesture.fingers == leaving, gesture.mode == .dragging {
            release(velocity: cancelled ? nil : gesture.velocity(at: time), &events)
        }
        if isZooming { endZooming(at: center, &events) }
        let rested = gesture.mode == .resting
        gesture.remove(first, second, cancelled: cancelled)
        guard gesture.fingers == 0 else { return rebaseGesture() }
        if rested {
            switch gesture.endTap(at: center, time: time) {
            case .twoFingers: events.append(twoFingerTap(at: center))
            case .double: events.append(doubleTap(at: center))
            case .single, nil: break
            }
        }
        if motion == .none { settle(&events) }
    }

    /// Rebases the gesture on the current state of the content.
    @inline(never)
    mutating func rebaseGesture() {
        guard gesture.fingers > 0 else { return }
        gesture.rebase(
            scale: zoomScale,
            pull: RubberBand.unbandedScale(zoomScale, minimumZoomScale, maximumZoomScale),
            origin: unbanded(contentOffset), time: time)
    }

    /// Recognizes the gesture of fingers that have started to move.
    private mutating func recognize(_ events: inout ScrollEvents) {
        guard gesture.leavesRest() else { return gesture.track(at: time) }
        let zooms = canZoom && gesture.wouldZoom
        if isZoomBouncing {
            // One finger waits until the bounce has ended; two continue the zoom from where it is.
            if gesture.fingers > 1, zooms {
                begin(.none)
                gesture.beginZooming()
            }
            return rebaseGesture()
        }
        if zooms {
            gesture.beginZooming()
            events.append(.willBeginZooming)
            return
        }
        let axes = movableAxes(in: range)
        guard axes.first || axes.second else { return }
        gesture.beginDragging(from: contentOffset, locksDirection: isDirectionalLockEnabled)
        events.append(.willBeginDragging)
    }

    /// Ends the gesture because an animation begins.
    ///
    /// The fingers are ignored until all are lifted.
    mutating func abandonGesture(_ events: inout ScrollEvents) {
        guard gesture.fingers > 0 else { return }
        switch gesture.mode {
        case .resting, .ignored:
            break
        case .dragging:
            endDragging(&events)
        case .pinching, .oneFingerZooming:
            let before = snapshot
            if let goal = limitedPlacement(at: gesture.center), goal.scale != zoomScale { jump(to: goal) }
            noteChanges(since: before, in: &events)
            events.append(.didEndZooming(atScale: zoomScale))
        }
        gesture.ignore()
    }
}

/// Dragging.
extension ScrollView {
    /// Returns whether fingers may move the content along the axes of its range.
    @inline(never)
    func movableAxes(in range: ScrollRange) -> (first: Bool, second: Bool) {
        let across = bouncesHorizontally && alwaysBounceHorizontal
        let down = bouncesVertically && alwaysBounceVertical
        let either = range.sine != 0 && (across || down)
        return (!range.first.isPoint || across || either, !range.second.isPoint || down || either)
    }

    /// Returns whether the content may be pulled beyond its range along the range's axes.
    func bouncingAxes(in range: ScrollRange) -> (first: Bool, second: Bool) {
        range.sine == 0 ? (bouncesHorizontally, bouncesVertically) : (bounces, bounces)
    }

    /// Returns the offset without the resistance of the rubber band.
    private func unbanded(_ offset: Point<ContentSpace>) -> Point<ContentSpace> {
        let range = range
        guard !range.contains(offset, tolerance: 0) else { return offset }
        let (a, b) = range.axes(offset)
        return range.point(
            RubberBand.unbanded(a, in: range.first, length: bounds.width),
            RubberBand.unbanded(b, in: range.second, length: bounds.height))
    }

    /// Moves the content with the fingers.
    private mutating func drag(_ events: inout ScrollEvents) {
        let before = snapshot
        let center = gesture.center
        gesture.track(at: time)
        let x = gesture.lock == .vertical ? 0 : gesture.anchor.x - center.x
        let y = gesture.lock == .horizontal ? 0 : gesture.anchor.y - center.y
        let range = range
        let free = movableAxes(in: range)
        let from = range.axes(gesture.origin)
        let (a, b) = range.axes(Point(x: gesture.origin.x + x, y: gesture.origin.y + y))
        pull(to: range.point(free.first ? a : from.first, free.second ? b : from.second), in: range)
        noteChanges(since: before, in: &events)
    }

    /// Sets an offset with the resistance of the rubber band and records the explanation.
    private mutating func pull(to asked: Point<ContentSpace>, in range: ScrollRange) {
        let (a, b) = range.axes(asked)
        let bouncing = bouncingAxes(in: range)
        let got =
            bouncing.first || bouncing.second
            ? range.point(
                bouncing.first
                    ? RubberBand.banded(a, in: range.first, length: bounds.width) : range.first.clamped(a),
                bouncing.second
                    ? RubberBand.banded(b, in: range.second, length: bounds.height) : range.second.clamped(b))
            : range.clamped(asked)
        guard got.isFinite else { return }
        geometry.setOffset(got)
        explanation.reset(scale: zoomScale)
        explanation.setOffset(asked: asked, got: got)
    }

    /// Ends a drag that another gesture or an animation replaces: without velocity, at the current offset.
    private mutating func endDragging(_ events: inout ScrollEvents) {
        events.append(.willEndDragging(velocity: .zero, target: contentOffset))
        events.append(.didEndDragging(willDecelerate: false))
        gesture.rest()
    }

    /// Releases the content with the finger's velocity, or without if the drag was cancelled.
    mutating func release(velocity finger: (x: Double, y: Double)?, _ events: inout ScrollEvents) {
        gesture.rest()
        let finger = finger ?? (0, 0)
        let velocity = contentVelocity(under: finger)
        let deceleration = deceleration(from: velocity, paging: isPagingEnabled)
        // The event has the finger's velocity, in the direction of the offset.
        let perMillisecond = Velocity(
            x: gesture.lock == .vertical ? 0 : -finger.x / 1000,
            y: gesture.lock == .horizontal ? 0 : -finger.y / 1000)
        let target = geometry.rounded(deceleration.rest)
        events.append(.willEndDragging(velocity: perMillisecond, target: target))
        continueTo(target, by: deceleration, &events)
    }

    /// Ends a drag and starts the deceleration if the content is not at its target.
    private mutating func continueTo(
        _ target: Point<ContentSpace>, by deceleration: Motion.Deceleration, _ events: inout ScrollEvents
    ) {
        let continues = deceleration.duration > 0 || target != contentOffset
        events.append(.didEndDragging(willDecelerate: continues))
        begin(continues ? .deceleration(deceleration) : .none)
        if continues { events.append(.willBeginDecelerating) }
    }

    /// Changes the target of a drag that has just ended, and returns its events with the new target.
    private mutating func retarget(
        _ target: Point<ContentSpace>, velocity: Velocity, after events: ScrollEvents
    ) -> ScrollEvents {
        let target = geometry.rounded(range.clamped(target))
        let natural = deceleration(from: .zero, paging: false)
        let deceleration = redirected(natural, velocity: self.velocity, to: target)
        var new = ScrollEvents()
        for event in events {
            guard case .willEndDragging = event else {
                new.append(event)
                continue
            }
            new.append(.willEndDragging(velocity: velocity, target: target))
            continueTo(target, by: deceleration, &new)
            break
        }
        return new
    }

    /// Brings content back that is out of range after touches that were not a gesture.
    private mutating func settle(_ events: inout ScrollEvents) {
        let deceleration = deceleration(from: .zero, paging: false)
        guard !range.contains(contentOffset), deceleration.duration > 0 || deceleration.rest != contentOffset
        else { return }
        events.append(.willBeginDecelerating)
        begin(.deceleration(deceleration))
    }
}

/// Pinches and one-finger zooms.
extension ScrollView {
    /// Whether pinches, taps and one-finger zooms may change the scale.
    var canZoom: Bool { minimumZoomScale < maximumZoomScale }

    /// Zooms and moves the content with two fingers.
    ///
    /// The content under the fingers stays there.
    private mutating func pinch(_ events: inout ScrollEvents) {
        hold(gesture.pull * gesture.distance / gesture.spread, at: gesture.center, &events)
    }

    /// Zooms the content about the tapped point as one finger moves up and down.
    private mutating func zoomWithOneFinger(_ events: inout ScrollEvents) {
        hold(
            gesture.pull * PortableMath.exp(min(max(gesture.octaves, -60), 60) * 0.693_147_180_559_945_3),
            at: gesture.anchor, &events)
    }

    /// Sets a scale, with the content that was under the fingers at the start at `point`.
    private mutating func hold(_ asked: Double, at point: Point<ViewSpace>, _ events: inout ScrollEvents) {
        let before = snapshot
        let possible = ContentGeometry.possibleScales
        let wanted = min(max(asked, possible.lowerBound / 4), possible.upperBound * 4)
        let scale =
            bouncesZoom
            ? RubberBand.bandedScale(wanted, minimumZoomScale, maximumZoomScale)
            : min(max(wanted, minimumZoomScale), maximumZoomScale)
        let ratio = scale / gesture.scale
        geometry.setScale(scale)
        pull(
            to: Point(
                x: (gesture.origin.x + gesture.anchor.x) * ratio - point.x,
                y: (gesture.origin.y + gesture.anchor.y) * ratio - point.y),
            in: range)
        explanation.setScale(asked: wanted, minimum: minimumZoomScale, maximum: maximumZoomScale)
        noteChanges(since: before, in: &events)
    }

    /// Ends a zoom gesture, after a bounce if it is beyond its limits.
    mutating func endZooming(at center: Point<ViewSpace>, _ events: inout ScrollEvents) {
        gesture.rest()
        bounceZoom(at: center, &events)
    }
}

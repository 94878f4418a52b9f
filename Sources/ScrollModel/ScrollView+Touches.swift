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

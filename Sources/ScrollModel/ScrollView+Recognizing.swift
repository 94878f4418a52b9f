internal import ViewportGeometry

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

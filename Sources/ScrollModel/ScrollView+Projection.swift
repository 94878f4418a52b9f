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

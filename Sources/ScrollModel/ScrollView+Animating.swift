public import ViewportGeometry

/// The animated forms of the operations; each ends where the instant one does.
///
/// An operation that would change nothing does nothing and causes no event. One that starts while another is
/// under way ends that one where it is, so every start has its end.
extension ScrollView {
    /// Moves the content to `offset` over some time.
    @discardableResult
    public mutating func setContentOffset(
        _ offset: Point<ContentSpace>, animated timing: Timing
    ) -> ScrollEvents {
        var events = ScrollEvents()
        guard offset.isFinite else { return events }
        takeOver(&events)
        explanation = Explanation(self)
        explanation.askedOffset = offset
        explanation.gotOffset = offset
        animate(to: Goal(scale: zoomScale, offset: rounded(bounded(offset))), timing, &events)
        return events
    }

    /// Shows `rect` over some time; see the instant form.
    @discardableResult
    public mutating func scrollRectToVisible(
        _ rect: Rect<ContentSpace>, alignment: RectAlignment = .nearest, animated timing: Timing
    ) -> ScrollEvents {
        var events = ScrollEvents()
        guard offset(showing: rect, alignment) != nil else { return events }
        takeOver(&events)
        guard let asked = offset(showing: rect, alignment) else { return events }
        explanation = Explanation(self)
        animate(to: goal(zoomScale, asked), timing, &events)
        return events
    }

    /// Zooms to `scale` about `anchor` over some time; see the instant form.
    @discardableResult
    public mutating func setZoomScale(
        _ scale: Double, anchor: Point<ViewSpace>? = nil, animated timing: Timing
    ) -> ScrollEvents {
        var events = ScrollEvents()
        guard let goal = goal(zoomingTo: scale, anchor: anchor), goal != place else { return events }
        takeOver(&events)
        animate(to: self.goal(zoomingTo: scale, anchor: anchor), timing, &events)
        return events
    }

    /// Shows `rect` as large as it can over some time; see the instant form.
    @discardableResult
    public mutating func zoom(to rect: Rect<ImageSpace>, animated timing: Timing) -> ScrollEvents {
        var events = ScrollEvents()
        guard let goal = goal(zoomingTo: rect), goal != place else { return events }
        takeOver(&events)
        animate(to: self.goal(zoomingTo: rect), timing, &events)
        return events
    }

    /// Flies to where `zoom(to:)` would go: out, across and in again, at one perceived speed.
    ///
    /// Without a duration, in seconds, it takes as long as the path's length says, at the pace of one. On its
    /// way a flight may leave the limits of zoom and offset; it ends within them.
    @discardableResult
    public mutating func fly(to rect: Rect<ImageSpace>, duration: Double? = nil) -> ScrollEvents {
        var events = ScrollEvents()
        guard let goal = goal(zoomingTo: rect), goal != place, bounds.width > 0 else { return events }
        takeOver(&events)
        guard let goal = self.goal(zoomingTo: rect), goal != place else { return events }
        let flight = Flight(from: stop(of: place), to: stop(of: goal))
        let seconds = duration ?? flight.length
        guard flight.length.isFinite, seconds > 0, seconds.isFinite else {
            arrive(at: goal, &events)
            return events
        }
        events.append(.willBeginZooming)
        motion = .flight(Motion.FlightPlan(start: time, duration: seconds, flight: flight, to: goal))
        return events
    }

    private func stop(of goal: Goal) -> Flight.Stop {
        let middle = Point<ContentSpace>(
            x: goal.offset.x + bounds.width / 2, y: goal.offset.y + bounds.height / 2)
        return Flight.Stop(center: image(middle, at: goal.scale), width: bounds.width / goal.scale)
    }

    /// Ends what moves the content and what the fingers do: an animation needs it for itself.
    private mutating func takeOver(_ events: inout ScrollEvents) {
        interrupt(&events)
        abandonGesture(&events)
    }

    /// Starts an animation towards a goal, unless there is nothing to do.
    mutating func animate(to goal: Goal?, _ timing: Timing, _ events: inout ScrollEvents) {
        guard let goal, goal != place else { return }
        guard timing.duration > 0 else { return arrive(at: goal, &events) }
        let isZoom = goal.scale != zoomScale
        if isZoom { events.append(.willBeginZooming) }
        motion = .transition(
            Motion.Transition(
                start: time, from: place, to: goal, timing: timing, purpose: isZoom ? .zoom : .scroll,
                staysInRange: range.contains(contentOffset) && range(at: goal.scale).contains(goal.offset)))
    }

    /// Goes to a goal without taking any time.
    private mutating func arrive(at goal: Goal, _ events: inout ScrollEvents) {
        let before = mark
        jump(to: goal)
        noteChanges(since: before, in: &events)
        takeUpGesture()
    }
}

public import ViewportGeometry

/// Programmatic scrolling and zooming, immediate or animated.
///
/// The animated form of an operation ends in the same state as the immediate form. An operation that changes
/// nothing causes no event. An operation during an animation ends the animation at its current position, so
/// that every start event has an end event.
extension ScrollView {
    /// Sets the content point at the top-left corner of the bounds.
    ///
    /// As in UIScrollView, the offset may be out of range; a later gesture brings it back.
    @discardableResult
    public mutating func setContentOffset(_ offset: Point<ContentSpace>) -> ScrollEvents {
        var events = ScrollEvents()
        guard offset.isFinite else { return events }
        perform(&events) {
            $0.geometry.setOffset(ContentGeometry.bounded(offset))
            $0.explanation = Explanation($0)
        }
        return events
    }

    /// Scrolls to `offset`, in zoomed points, with a timing; ``advance(to:)`` moves the content.
    @discardableResult
    public mutating func setContentOffset(
        _ offset: Point<ContentSpace>, animated timing: Timing
    ) -> ScrollEvents {
        var events = ScrollEvents()
        guard offset.isFinite else { return events }
        takeOver(&events)
        explanation = Explanation(self)
        explanation.setOffset(asked: offset, got: offset)
        let goal = geometry.rounded(ContentGeometry.bounded(offset))
        animate(to: Placement(scale: zoomScale, offset: goal), timing, &events)
        return events
    }

    /// Scrolls the smallest distance that makes `rect` visible, or aligns it as `alignment` specifies.
    ///
    /// The rectangle is in *zoomed* content points. It is first clipped to the content; an empty result has
    /// no effect. A rectangle that is visible and clear of the insets has no effect either.
    @discardableResult
    public mutating func scrollRectToVisible(
        _ rect: Rect<ContentSpace>, alignment: RectAlignment = .nearest
    ) -> ScrollEvents {
        var events = ScrollEvents()
        guard offset(showing: rect, alignment) != nil else { return events }
        perform(&events) {
            // Ending a bounce may have moved the content, so the offset is computed again.
            guard let asked = $0.offset(showing: rect, alignment) else { return }
            $0.explanation = Explanation($0)
            $0.moveInRange(asked)
        }
        return events
    }

    /// Scrolls to `rect`, animated.
    ///
    /// See the immediate form.
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

    /// Zooms to `scale`, clamped to the limits, about the view point `anchor`.
    ///
    /// Without an anchor it zooms about the center of the bounds. A scale that is not positive and finite has
    /// no effect.
    @discardableResult
    public mutating func setZoomScale(_ scale: Double, anchor: Point<ViewSpace>? = nil) -> ScrollEvents {
        var events = ScrollEvents()
        guard let goal = goal(zoomingTo: scale, anchor: anchor), goal != placement else { return events }
        perform(&events) { $0.jump(to: $0.goal(zoomingTo: scale, anchor: anchor)) }
        return events
    }

    /// Zooms to `scale` about `anchor`, animated.
    ///
    /// See the immediate form.
    @discardableResult
    public mutating func setZoomScale(
        _ scale: Double, anchor: Point<ViewSpace>? = nil, animated timing: Timing
    ) -> ScrollEvents {
        var events = ScrollEvents()
        guard let goal = goal(zoomingTo: scale, anchor: anchor), goal != placement else { return events }
        takeOver(&events)
        animate(to: self.goal(zoomingTo: scale, anchor: anchor), timing, &events)
        return events
    }

    /// Zooms and scrolls so that `rect`, in *unzoomed* image points, is as large as possible in the bounds.
    ///
    /// An empty rectangle zooms to the maximum scale, centered on it.
    @discardableResult
    public mutating func zoom(to rect: Rect<ImageSpace>) -> ScrollEvents {
        var events = ScrollEvents()
        guard let goal = goal(zoomingTo: rect), goal != placement else { return events }
        perform(&events) { $0.jump(to: $0.goal(zoomingTo: rect)) }
        return events
    }

    /// Zooms to `rect`, animated.
    ///
    /// See the immediate form.
    @discardableResult
    public mutating func zoom(to rect: Rect<ImageSpace>, animated timing: Timing) -> ScrollEvents {
        var events = ScrollEvents()
        guard let goal = goal(zoomingTo: rect), goal != placement else { return events }
        takeOver(&events)
        animate(to: self.goal(zoomingTo: rect), timing, &events)
        return events
    }

    /// Flies to the same state as ``zoom(to:)``: out, across and in again, at constant perceived speed.
    ///
    /// Without a duration, in seconds, the flight takes as long as its path is long, at speed 1. A duration
    /// that is not positive and finite arrives immediately. A flight may leave the limits of scale and offset
    /// on its way; it ends within them.
    @discardableResult
    public mutating func fly(to rect: Rect<ImageSpace>, duration: Double? = nil) -> ScrollEvents {
        var events = ScrollEvents()
        guard let goal = goal(zoomingTo: rect), goal != placement, bounds.width > 0 else { return events }
        takeOver(&events)
        guard let goal = self.goal(zoomingTo: rect), goal != placement else { return events }
        let flight = Flight(from: stop(of: placement), to: stop(of: goal))
        let seconds = duration ?? flight.length
        guard flight.length.isFinite, seconds > 0, seconds.isFinite else {
            arrive(at: goal, &events)
            return events
        }
        events.append(.willBeginZooming)
        begin(.flight(Motion.FlightPlan(start: time, duration: seconds, flight: flight, to: goal)))
        return events
    }
}

/// Goals of operations.
extension ScrollView {
    /// Returns the offset that shows `rect`, or nil if nothing changes.
    @inline(never)
    private func offset(
        showing rect: Rect<ContentSpace>, _ alignment: RectAlignment
    ) -> Point<ContentSpace>? {
        guard rect.isFinite else { return nil }
        let size = contentSize
        let content = Rect<ContentSpace>(x: 0, y: 0, width: size.width, height: size.height)
        guard let shown = rect.intersection(content) else { return nil }
        let inset = geometry.insets(at: zoomScale)
        let x = offset(
            showing: shown.minX, shown.maxX, from: contentOffset.x, inset.left, inset.right, bounds.width,
            alignment)
        let y = offset(
            showing: shown.minY, shown.maxY, from: contentOffset.y, inset.top, inset.bottom, bounds.height,
            alignment)
        guard x != contentOffset.x || y != contentOffset.y else { return nil }
        return Point(x: x, y: y)
    }

    /// Returns the offset along one axis, starting from `now`.
    private func offset(
        showing low: Double, _ high: Double, from now: Double, _ before: Double, _ after: Double,
        _ bound: Double, _ alignment: RectAlignment
    ) -> Double {
        let start = low - before
        let end = high + after - bound
        switch alignment {
        case .start: return start
        case .center: return (start + end) / 2
        case .end: return end
        case .nearest:
            // If the rectangle fits, end < start, and every offset between the two shows it.
            if end > start { return start }
            return min(max(now, end), start)
        }
    }

    /// Returns the goal of a zoom about `anchor` and records the explanation; nil for an invalid scale.
    @inline(never)
    mutating func goal(zoomingTo scale: Double, anchor: Point<ViewSpace>?) -> Placement? {
        let anchor = anchor ?? Point(x: bounds.width / 2, y: bounds.height / 2)
        guard ContentGeometry.isScale(scale), anchor.isFinite else { return nil }
        let limited = limitedScale(scale)
        // The current scale is no change: the offset is not even clamped.
        guard limited != zoomScale else { return placement }
        let ratio = limited / zoomScale
        let asked = Point<ContentSpace>(
            x: (contentOffset.x + anchor.x) * ratio - anchor.x,
            y: (contentOffset.y + anchor.y) * ratio - anchor.y)
        return goal(limited, ContentGeometry.bounded(asked))
    }

    /// Returns the goal of a zoom to a rectangle and records the explanation; nil for an invalid rectangle.
    @inline(never)
    private mutating func goal(zoomingTo rect: Rect<ImageSpace>) -> Placement? {
        guard rect.isFinite else { return nil }
        let extent = contentRotation.extent(width: rect.width, height: rect.height)
        let fitting = min(bounds.width / extent.width, bounds.height / extent.height)
        let isUsable = !rect.isEmpty && ContentGeometry.isScale(fitting)
        let limited = limitedScale(isUsable ? fitting : maximumZoomScale)
        let middle = geometry.map(at: limited).content(rect.center)
        let asked = Point<ContentSpace>(x: middle.x - bounds.width / 2, y: middle.y - bounds.height / 2)
        guard asked.isFinite else { return nil }
        return goal(limited, ContentGeometry.bounded(asked))
    }

    /// Returns an offset clamped to the range at `scale` and records the explanation.
    @inline(never)
    private mutating func goal(_ scale: Double, _ asked: Point<ContentSpace>) -> Placement {
        let got = geometry.range(at: scale).clamped(asked)
        explanation.setOffset(asked: asked, got: got)
        explanation.setScale(got: scale)
        return Placement(scale: scale, offset: got)
    }

    private func stop(of goal: Placement) -> Flight.Stop {
        let middle = Point<ContentSpace>(
            x: goal.offset.x + bounds.width / 2, y: goal.offset.y + bounds.height / 2)
        return Flight.Stop(
            center: geometry.map(at: goal.scale).image(middle), width: bounds.width / goal.scale)
    }

    /// Ends motion and gesture before an animation begins.
    @inline(never)
    mutating func takeOver(_ events: inout ScrollEvents) {
        interrupt(&events)
        abandonGesture(&events)
    }

    /// Starts an animation to a goal, unless nothing changes.
    @inline(never)
    mutating func animate(
        to goal: Placement?, _ timing: Timing, scrollingToTop: Bool = false, _ events: inout ScrollEvents
    ) {
        guard let goal, goal != placement else { return }
        guard timing.duration > 0 else { return arrive(at: goal, &events) }
        let isZoom = goal.scale != zoomScale
        if isZoom { events.append(.willBeginZooming) }
        begin(
            .transition(
                Motion.Transition(
                    start: time, from: placement, to: goal, timing: timing,
                    purpose: isZoom ? .zoom : scrollingToTop ? .scrollToTop : .scroll,
                    staysInRange: range.contains(contentOffset)
                        && geometry.range(at: goal.scale).contains(goal.offset))))
    }

    /// Moves to a goal immediately.
    private mutating func arrive(at goal: Placement, _ events: inout ScrollEvents) {
        let before = snapshot
        jump(to: goal)
        noteChanges(since: before, in: &events)
        rebaseGesture()
    }
}

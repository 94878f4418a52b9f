public import ViewportGeometry

/// What programs ask for: offsets, rectangles and scales, at once or animated.
///
/// The animated form of an operation ends where the instant one does. An operation that would change nothing
/// does nothing and causes no event. One that starts while an animation is under way ends that one where it
/// is, so every start has its end.
extension ScrollView {
    /// Moves the content so that `offset` is at the top-left corner of the bounds, in range or not.
    ///
    /// As in UIScrollView the offset is stored as it is, and gestures bring it back.
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

    /// Moves the content to `offset` over some time.
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

    /// Scrolls as little as it takes to show `rect`, or as `alignment` says; nothing where it is visible.
    ///
    /// The rectangle is in *zoomed* content points. It is cut to the content first; what is left must be
    /// clear of the insets. Nothing happens where nothing is left.
    @discardableResult
    public mutating func scrollRectToVisible(
        _ rect: Rect<ContentSpace>, alignment: RectAlignment = .nearest
    ) -> ScrollEvents {
        var events = ScrollEvents()
        guard offset(showing: rect, alignment) != nil else { return events }
        perform(&events) {
            // Ending a bounce may have moved the content: the offset is found anew.
            guard let asked = $0.offset(showing: rect, alignment) else { return }
            $0.explanation = Explanation($0)
            $0.moveInRange(asked)
        }
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

    /// Zooms to `scale`, as near as the limits let it, while the content at `anchor` stays where it is seen.
    ///
    /// `anchor` is in view points; without one it is the center of the bounds. A scale that is not a
    /// positive, finite number is refused.
    @discardableResult
    public mutating func setZoomScale(_ scale: Double, anchor: Point<ViewSpace>? = nil) -> ScrollEvents {
        var events = ScrollEvents()
        guard let goal = goal(zoomingTo: scale, anchor: anchor), goal != placement else { return events }
        perform(&events) { $0.jump(to: $0.goal(zoomingTo: scale, anchor: anchor)) }
        return events
    }

    /// Zooms to `scale` about `anchor` over some time; see the instant form.
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

    /// Zooms and scrolls so that `rect`, in *unzoomed* image points, fills the bounds as far as it can.
    ///
    /// An empty rectangle asks for the greatest zoom, centered on it.
    @discardableResult
    public mutating func zoom(to rect: Rect<ImageSpace>) -> ScrollEvents {
        var events = ScrollEvents()
        guard let goal = goal(zoomingTo: rect), goal != placement else { return events }
        perform(&events) { $0.jump(to: $0.goal(zoomingTo: rect)) }
        return events
    }

    /// Shows `rect` as large as it can over some time; see the instant form.
    @discardableResult
    public mutating func zoom(to rect: Rect<ImageSpace>, animated timing: Timing) -> ScrollEvents {
        var events = ScrollEvents()
        guard let goal = goal(zoomingTo: rect), goal != placement else { return events }
        takeOver(&events)
        animate(to: self.goal(zoomingTo: rect), timing, &events)
        return events
    }

    /// Flies to where `zoom(to:)` would go: out, across and in again, at one perceived speed.
    ///
    /// Without a duration, in seconds, it takes as long as the path's length says, at the pace of one. A
    /// duration that is not positive and finite arrives at once. On its way a flight may leave the limits of
    /// zoom and offset; it ends within them.
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

/// Finding goals, and going there.
extension ScrollView {
    /// The offset that shows `rect`, or nil where there is nothing to do.
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

    /// The same along one axis, from the offset `now`.
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
            // end < start where the rectangle fits: visible means between the two.
            if end > start { return start }
            return min(max(now, end), start)
        }
    }

    /// The goal of a zoom about `anchor`, explained; nil if the scale cannot be one.
    @inline(never)
    mutating func goal(zoomingTo scale: Double, anchor: Point<ViewSpace>?) -> Placement? {
        let anchor = anchor ?? Point(x: bounds.width / 2, y: bounds.height / 2)
        guard ContentGeometry.isScale(scale), anchor.isFinite else { return nil }
        let limited = limitedScale(scale)
        // The scale that already holds is no change: the content is not even taken into range.
        guard limited != zoomScale else { return placement }
        let ratio = limited / zoomScale
        let asked = Point<ContentSpace>(
            x: (contentOffset.x + anchor.x) * ratio - anchor.x,
            y: (contentOffset.y + anchor.y) * ratio - anchor.y)
        return goal(limited, ContentGeometry.bounded(asked))
    }

    /// The goal of showing a rectangle of the image, explained; nil if it is not one.
    @inline(never)
    private mutating func goal(zoomingTo rect: Rect<ImageSpace>) -> Placement? {
        guard rect.isFinite else { return nil }
        let extent = contentRotation.extent(width: rect.width, height: rect.height)
        let fitting = min(bounds.width / extent.width, bounds.height / extent.height)
        let isUsable = !rect.isEmpty && ContentGeometry.isScale(fitting)
        let limited = limitedScale(isUsable ? fitting : maximumZoomScale)
        let middle = geometry.content(rect.center, at: limited)
        let asked = Point<ContentSpace>(x: middle.x - bounds.width / 2, y: middle.y - bounds.height / 2)
        guard asked.isFinite else { return nil }
        return goal(limited, ContentGeometry.bounded(asked))
    }

    /// An offset taken into the range that holds at `scale`, explained.
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
        return Flight.Stop(center: geometry.image(middle, at: goal.scale), width: bounds.width / goal.scale)
    }

    /// Ends what moves the content and what the fingers do: an animation needs it for itself.
    @inline(never)
    mutating func takeOver(_ events: inout ScrollEvents) {
        interrupt(&events)
        abandonGesture(&events)
    }

    /// Starts an animation towards a goal, unless there is nothing to do.
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

    /// Goes to a goal without taking any time.
    private mutating func arrive(at goal: Placement, _ events: inout ScrollEvents) {
        let before = snapshot
        jump(to: goal)
        noteChanges(since: before, in: &events)
        rebaseGesture()
    }
}

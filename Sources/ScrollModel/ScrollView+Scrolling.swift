public import ViewportGeometry

extension ScrollView {
    /// Moves the content so that `offset` is at the top-left corner of the bounds, in range or not.
    ///
    /// As UIScrollView does it: the program's word is stored as it is, and gestures bring it back.
    @discardableResult
    public mutating func setContentOffset(_ offset: Point<ContentSpace>) -> ScrollEvents {
        var events = ScrollEvents()
        guard offset.isFinite else { return events }
        perform(&events) {
            $0.contentOffset = $0.rounded($0.bounded(offset))
            $0.explanation = Explanation($0)
        }
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

    /// The offset that shows `rect`, or nil where there is nothing to do.
    @inline(never)
    func offset(showing rect: Rect<ContentSpace>, _ alignment: RectAlignment) -> Point<ContentSpace>? {
        guard rect.isFinite else { return nil }
        let size = contentSize
        let content = Rect<ContentSpace>(x: 0, y: 0, width: size.width, height: size.height)
        guard let shown = rect.intersection(content) else { return nil }
        let inset = fixedInset
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

    /// An offset that no later product can take out of the finite numbers.
    func bounded(_ offset: Point<ContentSpace>) -> Point<ContentSpace> {
        let most = 1e22
        return Point(x: min(max(offset.x, -most), most), y: min(max(offset.y, -most), most))
    }
}

extension ScrollView {
    /// Zooms to `scale`, as near as the limits let it, while the content at `anchor` stays where it is seen.
    ///
    /// `anchor` is in view points; without one it is the center of the bounds. A scale that is not a
    /// positive, finite number is refused.
    @discardableResult
    public mutating func setZoomScale(_ scale: Double, anchor: Point<ViewSpace>? = nil) -> ScrollEvents {
        var events = ScrollEvents()
        guard let goal = goal(zoomingTo: scale, anchor: anchor), goal != place else { return events }
        perform(&events) { $0.jump(to: $0.goal(zoomingTo: scale, anchor: anchor)) }
        return events
    }

    /// Zooms and scrolls so that `rect`, in *unzoomed* image points, fills the bounds as far as it can.
    ///
    /// An empty rectangle asks for the greatest zoom, centered on it.
    @discardableResult
    public mutating func zoom(to rect: Rect<ImageSpace>) -> ScrollEvents {
        var events = ScrollEvents()
        guard let goal = goal(zoomingTo: rect), goal != place else { return events }
        perform(&events) { $0.jump(to: $0.goal(zoomingTo: rect)) }
        return events
    }

    /// Sets the limits of zooming and takes the scale into them, about the center of the bounds.
    ///
    /// Limits that are not positive and finite, or in the wrong order, are refused.
    @discardableResult
    public mutating func setZoomLimits(minimum: Double, maximum: Double) -> ScrollEvents {
        guard Self.isScale(minimum), Self.isScale(maximum), minimum <= maximum else { return ScrollEvents() }
        let possible = Self.possibleScales
        return rearrange { view, _ in
            view.minimumZoomScale = min(max(minimum, possible.lowerBound), possible.upperBound)
            view.maximumZoomScale = min(max(maximum, possible.lowerBound), possible.upperBound)
            guard !view.isZooming else { return }
            view.jump(to: view.goal(zoomingTo: view.zoomScale, anchor: nil))
        }
    }

    /// The scale at which the whole content just fits into the bounds, less the insets.
    public var fittingZoomScale: Double { scales.fit }

    /// The scale at which the content just covers the bounds, less the insets.
    public var fillingZoomScale: Double { scales.fill }

    private var scales: (fit: Double, fill: Double) {
        let extent = contentRotation.extent(width: viewSize.width, height: viewSize.height)
        let clear = clearSize
        guard extent.width > 0, extent.height > 0, clear.width > 0, clear.height > 0 else { return (1, 1) }
        let (across, down) = (clear.width / extent.width, clear.height / extent.height)
        return (min(across, down), max(across, down))
    }

    /// A place to go to: a scale and an offset at that scale.
    struct Goal: Equatable, Sendable {
        var scale: Double
        var offset: Point<ContentSpace>
    }

    /// Where the view is now, as a goal.
    var place: Goal { Goal(scale: zoomScale, offset: contentOffset) }

    /// Goes to a goal at once.
    mutating func jump(to goal: Goal?) {
        guard let goal else { return }
        zoomScale = goal.scale
        contentOffset = rounded(goal.offset)
    }

    /// The goal of a zoom about `anchor`, explained; nil if the scale cannot be one.
    @inline(never)
    mutating func goal(zoomingTo scale: Double, anchor: Point<ViewSpace>?) -> Goal? {
        let anchor = anchor ?? Point(x: bounds.width / 2, y: bounds.height / 2)
        guard Self.isScale(scale), anchor.isFinite else { return nil }
        let limited = limitedScale(scale)
        // The scale that already holds is no change: the content is not even taken into range.
        guard limited != zoomScale else { return Goal(scale: zoomScale, offset: contentOffset) }
        let ratio = limited / zoomScale
        let asked = Point<ContentSpace>(
            x: (contentOffset.x + anchor.x) * ratio - anchor.x,
            y: (contentOffset.y + anchor.y) * ratio - anchor.y)
        return goal(limited, bounded(asked))
    }

    /// The goal of showing a rectangle of the image, explained; nil if it is not one.
    @inline(never)
    mutating func goal(zoomingTo rect: Rect<ImageSpace>) -> Goal? {
        guard rect.isFinite else { return nil }
        let extent = contentRotation.extent(width: rect.width, height: rect.height)
        let wished = min(bounds.width / extent.width, bounds.height / extent.height)
        let limited = limitedScale(rect.isEmpty || !Self.isScale(wished) ? maximumZoomScale : wished)
        let middle = content(rect.center, at: limited)
        let asked = Point<ContentSpace>(x: middle.x - bounds.width / 2, y: middle.y - bounds.height / 2)
        guard asked.isFinite else { return nil }
        return goal(limited, bounded(asked))
    }

    /// An offset taken into the range that holds at `scale`, explained.
    @inline(never)
    mutating func goal(_ scale: Double, _ asked: Point<ContentSpace>) -> Goal {
        let got = range(at: scale).clamped(asked)
        explanation.askedOffset = asked
        explanation.gotOffset = got
        explanation.gotScale = scale
        explanation.limits.formUnion(.between(asked: asked, got: got))
        return Goal(scale: scale, offset: got)
    }
}

#if !hasFeature(Embedded)
extension ScrollView.Goal: Codable {}
#endif

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

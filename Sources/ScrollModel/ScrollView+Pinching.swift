internal import ViewportGeometry

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

public import ViewportGeometry

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

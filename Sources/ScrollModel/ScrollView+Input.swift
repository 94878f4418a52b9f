public import ViewportGeometry

/// Input other than fingers that drag: taps, the status bar, wheel and keys.
extension ScrollView {
    /// The factor of a double tap and of a tap with two fingers.
    public static let tapZoomFactor = 2.0

    /// Zooms in by a factor of 2 about the place that was tapped; from the greatest scale back to the least.
    ///
    /// UIScrollView leaves the double tap to programs. Going in step by step suits images with many levels,
    /// and going back from the end is what every photo viewer does.
    @discardableResult
    public mutating func doubleTap(
        at point: Point<ViewSpace>, animated timing: Timing? = .standard
    ) -> ScrollEvents {
        guard canZoom, isScrollEnabled else { return ScrollEvents() }
        let isGreatest = zoomScale >= maximumZoomScale * (1 - 1e-9)
        return zoom(isGreatest ? minimumZoomScale : zoomScale * Self.tapZoomFactor, about: point, timing)
    }

    /// Zooms out by a factor of 2 about the middle of two fingers that tapped, as in Apple's TapToZoom
    /// sample.
    @discardableResult
    public mutating func twoFingerTap(
        at point: Point<ViewSpace>, animated timing: Timing? = .standard
    ) -> ScrollEvents {
        guard canZoom, isScrollEnabled else { return ScrollEvents() }
        return zoom(zoomScale / Self.tapZoomFactor, about: point, timing)
    }

    /// Scrolls to the top, as a tap on the status bar asks for.
    ///
    /// Nothing happens if ``scrollsToTop`` or ``isScrollEnabled`` is false, or if the top is already shown.
    /// Else `shouldScrollToTop` is asked, as UIScrollViewDelegate is: false ends it. The offset along *x*
    /// stays. Events: `shouldScrollToTop`, then, if it was granted, `didScroll`… and `didScrollToTop`. What
    /// stops the animation on its way makes it end with `didEndScrollingAnimation` instead.
    @discardableResult
    public mutating func statusBarTap(
        animated timing: Timing? = .standard, shouldScrollToTop: () -> Bool = { true }
    ) -> ScrollEvents {
        var events = ScrollEvents()
        guard scrollsToTop, isScrollEnabled else { return events }
        guard topOffset != contentOffset, !isScrollingToTop else { return events }
        events.append(.shouldScrollToTop)
        guard shouldScrollToTop() else { return events }
        takeOver(&events)
        // Ending a bounce may have moved the content: the offset is found anew.
        let top = topOffset
        explanation = Explanation(self)
        explanation.setOffset(asked: top, got: top)
        animate(
            to: Placement(scale: zoomScale, offset: top), timing ?? .linear(duration: 0),
            scrollingToTop: true, &events)
        if motion == .none { events.append(.didScrollToTop) }
        return events
    }

    /// The offset at the top of the content, in the column that is seen.
    private var topOffset: Point<ContentSpace> {
        @inline(never) get {
            geometry.rounded(range.clamped(Point(x: contentOffset.x, y: minimumContentOffset.y)))
        }
    }

    private var isScrollingToTop: Bool {
        if case .transition(let transition) = motion { transition.purpose == .scrollToTop } else { false }
    }

    /// Zooms about a point over some time or at once.
    private mutating func zoom(
        _ scale: Double, about point: Point<ViewSpace>?, _ timing: Timing?
    ) -> ScrollEvents {
        guard let timing else { return setZoomScale(scale, anchor: point) }
        return setZoomScale(scale, anchor: point, animated: timing)
    }
}

extension ScrollView {
    /// The octaves that a point of wheel movement zooms by, as d3-zoom has it.
    private static let wheelOctaves = 0.002

    /// Scrolls by what a wheel or a trackpad reports, in points: positive values go down and right.
    ///
    /// With `zooms`, which a browser signals by the control key, it zooms at the pointer instead: upwards is
    /// in. Each movement is whole in itself: it has no beginning and no end to report, and never bounces.
    ///
    /// A trackpad's small steps are motion already. The notches of a mouse wheel are not: with a timing they
    /// become it, and notches that come while the content still moves add up.
    @discardableResult
    public mutating func wheel(
        dx: Double, dy: Double, at point: Point<ViewSpace>, zooms: Bool = false,
        animated timing: Timing? = nil
    ) -> ScrollEvents {
        guard isScrollEnabled, dx.isFinite, dy.isFinite, point.isFinite else { return ScrollEvents() }
        if zooms {
            guard canZoom, dy != 0 else { return ScrollEvents() }
            let octaves = min(max(-dy * Self.wheelOctaves, -60), 60)
            let from = timing == nil ? zoomScale : restingScale
            return zoom(
                from * PortableMath.exp(octaves * 0.693_147_180_559_945_3), about: point, timing)
        }
        return scroll(dx: dx, dy: dy, animated: timing)
    }

    /// Scrolls by a distance, in points, as far as the range goes.
    @discardableResult
    public mutating func scroll(dx: Double, dy: Double, animated timing: Timing? = nil) -> ScrollEvents {
        guard dx.isFinite, dy.isFinite else { return ScrollEvents() }
        var events = ScrollEvents()
        // What changes the scale ends first: the distance is meant at the scale that then holds.
        if changesScale { interrupt(&events) }
        let from = restingOffset
        let asked = ContentGeometry.bounded(Point<ContentSpace>(x: from.x + dx, y: from.y + dy))
        let got = geometry.rounded(range.clamped(asked))
        guard got != contentOffset else { return events }
        events.append(timing.map { setContentOffset(got, animated: $0) } ?? setContentOffset(got))
        explanation.setOffset(asked: asked, got: got)
        return events
    }

    /// Whether a flight, an animated zoom or a bounce of the zoom is under way.
    private var changesScale: Bool {
        switch motion {
        case .none, .deceleration: false
        case .flight: true
        case .transition(let transition): transition.purpose == .zoom || transition.purpose == .zoomBounce
        }
    }

    /// Where a scrolling animation will arrive; otherwise where the content is.
    ///
    /// Keys pressed while the content still moves add up.
    private var restingOffset: Point<ContentSpace> {
        if case .transition(let transition) = motion, transition.purpose == .scroll {
            return transition.to.offset
        }
        return contentOffset
    }

    /// The scale that an animated zoom will arrive at; otherwise the one that is.
    private var restingScale: Double {
        if case .transition(let transition) = motion, transition.purpose == .zoom {
            return transition.to.scale
        }
        return zoomScale
    }
}

extension ScrollView {
    /// A key that moves or zooms the content.
    @frozen
    public enum Key: UInt8, CaseIterable, Equatable, Sendable {
        /// Scrolls up by ``ScrollView/arrowStep``.
        case arrowUp
        /// Scrolls down by ``ScrollView/arrowStep``.
        case arrowDown
        /// Scrolls left by ``ScrollView/arrowStep``.
        case arrowLeft
        /// Scrolls right by ``ScrollView/arrowStep``.
        case arrowRight
        /// Scrolls up by ``ScrollView/pageShare`` of the height.
        case pageUp
        /// Scrolls down by ``ScrollView/pageShare`` of the height.
        case pageDown
        /// Scrolls to the top.
        case home
        /// Scrolls to the bottom.
        case end
        /// Doubles the scale.
        case plus
        /// Halves the scale.
        case minus
        /// Shows everything.
        case zero
    }

    /// Points that an arrow key scrolls by, as browsers do.
    public static let arrowStep = 40.0
    /// The share of the height that a page key scrolls by: what was at the edge stays in sight.
    public static let pageShare = 0.875

    /// Does what a key asks for: at once, or over some time.
    ///
    /// Arrows scroll by 40 points, page keys by seven eighths of the height (by whole pages where paging is
    /// enabled), home and end go to the top and the bottom, plus and minus double and halve the scale, zero
    /// shows everything.
    @discardableResult
    public mutating func press(_ key: Key, animated timing: Timing? = nil) -> ScrollEvents {
        guard isScrollEnabled else { return ScrollEvents() }
        let page = bounds.height * (isPagingEnabled ? 1 : Self.pageShare)
        let far = 4 * ContentGeometry.greatestLength * ContentGeometry.possibleScales.upperBound
        switch key {
        case .arrowUp: return scroll(dx: 0, dy: -Self.arrowStep, animated: timing)
        case .arrowDown: return scroll(dx: 0, dy: Self.arrowStep, animated: timing)
        case .arrowLeft: return scroll(dx: -Self.arrowStep, dy: 0, animated: timing)
        case .arrowRight: return scroll(dx: Self.arrowStep, dy: 0, animated: timing)
        case .pageUp: return scroll(dx: 0, dy: -page, animated: timing)
        case .pageDown: return scroll(dx: 0, dy: page, animated: timing)
        case .home: return scroll(dx: 0, dy: -far, animated: timing)
        case .end: return scroll(dx: 0, dy: far, animated: timing)
        case .plus: return canZoom ? zoom(zoomScale * 2, about: nil, timing) : ScrollEvents()
        case .minus: return canZoom ? zoom(zoomScale / 2, about: nil, timing) : ScrollEvents()
        case .zero: return canZoom ? zoom(fittingZoomScale, about: nil, timing) : ScrollEvents()
        }
    }
}

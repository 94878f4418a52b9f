public import ViewportGeometry

/// Taps, status bar, wheel and keys.
extension ScrollView {
    /// The zoom factor of a double tap and of a two-finger tap.
    public static let tapZoomFactor = 2.0

    /// Zooms in by a factor of 2 about the tapped point, and from the maximum scale back to the minimum.
    ///
    /// UIScrollView leaves the double tap to programs. Zooming in steps suits images with many levels;
    /// zooming out from the maximum is what photo viewers do.
    @discardableResult
    public mutating func doubleTap(
        at point: Point<ViewSpace>, animated timing: Timing? = .standard
    ) -> ScrollEvents {
        guard canZoom, isScrollEnabled else { return ScrollEvents() }
        let isGreatest = zoomScale >= maximumZoomScale * (1 - 1e-9)
        return zoom(isGreatest ? minimumZoomScale : zoomScale * Self.tapZoomFactor, about: point, timing)
    }

    /// Zooms out by a factor of 2 about the center of a two-finger tap, as in Apple's TapToZoom sample.
    @discardableResult
    public mutating func twoFingerTap(
        at point: Point<ViewSpace>, animated timing: Timing? = .standard
    ) -> ScrollEvents {
        guard canZoom, isScrollEnabled else { return ScrollEvents() }
        return zoom(zoomScale / Self.tapZoomFactor, about: point, timing)
    }

    /// Scrolls to the top, as a tap on the status bar does.
    ///
    /// It has no effect if ``scrollsToTop`` or ``isScrollEnabled`` is false, or if the top is visible.
    /// Otherwise it calls `shouldScrollToTop`, as UIKit calls the delegate, and stops if that returns false.
    /// The offset along *x* stays. Events: `shouldScrollToTop`, then, if allowed, `didScroll`… and
    /// `didScrollToTop`. An animation that is stopped on its way ends with `didEndScrollingAnimation`
    /// instead.
    @discardableResult
    public mutating func statusBarTap(
        animated timing: Timing? = .standard, shouldScrollToTop: () -> Bool = { true }
    ) -> ScrollEvents {
        var events = ScrollEvents()
        guard scrollsToTop, isScrollEnabled else { return events }
        guard topOffset != contentOffset, !isScrollingToTop else { return events }
        events.append(.shouldScrollToTop)
        if shouldScrollToTop() { scrollToTop(timing ?? .linear(duration: 0), &events) }
        return events
    }

    @inline(never)
    private mutating func scrollToTop(_ timing: Timing, _ events: inout ScrollEvents) {
        takeOver(&events)
        // Ending a bounce may have moved the content, so the offset is computed again.
        let top = topOffset
        explanation = Explanation(self)
        explanation.setOffset(asked: top, got: top)
        animate(
            to: Placement(scale: zoomScale, offset: top), timing, scrollingToTop: true, &events)
        if motion == .none { events.append(.didScrollToTop) }
    }

    /// The offset at the top of the content, at the current *x*.
    private var topOffset: Point<ContentSpace> {
        @inline(never) get {
            geometry.rounded(range.clamped(Point(x: contentOffset.x, y: minimumContentOffset.y)))
        }
    }

    private var isScrollingToTop: Bool {
        if case .transition(let transition) = motion { transition.purpose == .scrollToTop } else { false }
    }

    /// Zooms about a point, immediately or animated.
    @inline(never)
    private mutating func zoom(
        _ scale: Double, about point: Point<ViewSpace>?, _ timing: Timing?
    ) -> ScrollEvents {
        guard let timing else { return setZoomScale(scale, anchor: point) }
        return setZoomScale(scale, anchor: point, animated: timing)
    }
}

extension ScrollView {
    /// The octaves per point of wheel movement, as in d3-zoom.
    static let wheelOctaves = 0.002

    /// Scrolls by the movement of a wheel or trackpad, in points.
    ///
    /// Positive values scroll down and right.
    ///
    /// With `zooms`, which browsers signal with the control key, it zooms at the pointer instead; upwards
    /// zooms in. Each movement is complete: it has no begin and end events and never bounces.
    ///
    /// Pass a timing for a mouse wheel with notches, to turn its steps into smooth motion. Notches during the
    /// motion add up. Trackpads send small steps that need no timing.
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

    /// Scrolls by a distance, in points, within the range.
    @discardableResult
    public mutating func scroll(dx: Double, dy: Double, animated timing: Timing? = nil) -> ScrollEvents {
        guard dx.isFinite, dy.isFinite else { return ScrollEvents() }
        var events = ScrollEvents()
        // The distance applies to the scale after any zoom has ended.
        if changesScale { interrupt(&events) }
        let from = restingOffset
        let asked = ContentGeometry.bounded(Point<ContentSpace>(x: from.x + dx, y: from.y + dy))
        let got = geometry.rounded(range.clamped(asked))
        guard got != contentOffset else { return events }
        events.append(timing.map { setContentOffset(got, animated: $0) } ?? setContentOffset(got))
        explanation.setOffset(asked: asked, got: got)
        return events
    }

    /// Whether a flight, an animated zoom or a zoom bounce is in progress.
    private var changesScale: Bool {
        switch motion {
        case .none, .deceleration: false
        case .flight: true
        case .transition(let transition): transition.purpose == .zoom || transition.purpose == .zoomBounce
        }
    }

    /// The target of a scrolling animation, or else the current offset: keys pressed during a motion add up.
    private var restingOffset: Point<ContentSpace> {
        if case .transition(let transition) = motion, transition.purpose == .scroll {
            return transition.to.offset
        }
        return contentOffset
    }

    /// The target of an animated zoom, or else the current scale.
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
        /// Zooms to the fitting scale.
        case zero
    }

    /// The distance, in points, of an arrow key, as in browsers.
    public static let arrowStep = 40.0
    /// The distance of a page key, as a share of the height.
    ///
    /// The rest stays visible for context.
    public static let pageShare = 0.875

    /// Handles a key, immediately or animated.
    ///
    /// Arrow keys scroll by 40 points, page keys by seven eighths of the height, or by whole pages if paging
    /// is enabled. Home and End scroll to the top and the bottom. Plus and minus double and halve the scale.
    /// Zero zooms to the fitting scale.
    @discardableResult
    public mutating func press(_ key: Key, animated timing: Timing? = nil) -> ScrollEvents {
        guard isScrollEnabled else { return ScrollEvents() }
        switch key {
        case .plus, .minus, .zero:
            guard canZoom else { return ScrollEvents() }
            let scale =
                switch key {
                case .plus: zoomScale * 2
                case .minus: zoomScale / 2
                default: fittingZoomScale
                }
            return zoom(scale, about: nil, timing)
        default:
            let (dx, dy) = distance(of: key)
            return scroll(dx: dx, dy: dy, animated: timing)
        }
    }

    /// Returns the distance that a key scrolls.
    private func distance(of key: Key) -> (dx: Double, dy: Double) {
        let page = bounds.height * (isPagingEnabled ? 1 : Self.pageShare)
        let far = 4 * ContentGeometry.greatestLength * ContentGeometry.possibleScales.upperBound
        return switch key {
        case .arrowUp: (0, -Self.arrowStep)
        case .arrowDown: (0, Self.arrowStep)
        case .arrowLeft: (-Self.arrowStep, 0)
        case .arrowRight: (Self.arrowStep, 0)
        case .pageUp: (0, -page)
        case .pageDown: (0, page)
        case .home: (0, -far)
        case .end: (0, far)
        case .plus, .minus, .zero: (0, 0)
        }
    }
}

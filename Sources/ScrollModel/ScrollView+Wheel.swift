public import ViewportGeometry

extension ScrollView {
    /// The factor that a point of wheel movement zooms by: 2 to the power of 0.002, as d3-zoom has it.
    static let wheelOctaves = 0.002

    /// Scrolls by what a wheel or a trackpad reports, in points: positive values go down and right.
    ///
    /// With `zooms`, as a browser says it with the control key, it zooms at the pointer instead: upwards is
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
                from * Elementary.exp(octaves * 0.693_147_180_559_945_3), about: point, timing)
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
        let asked = bounded(Point<ContentSpace>(x: from.x + dx, y: from.y + dy))
        let got = rounded(range.clamped(asked))
        guard got != contentOffset else { return events }
        events.append(timing.map { setContentOffset(got, animated: $0) } ?? setContentOffset(got))
        explanation.askedOffset = asked
        explanation.gotOffset = got
        explanation.limits = .between(asked: asked, got: got)
        return events
    }

    /// Whether a flight, an animated zoom or a bounce of the zoom is under way.
    private var changesScale: Bool {
        switch motion {
        case .none, .deceleration: false
        case .flight: true
        case .transition(let way): way.purpose != .scroll
        }
    }

    /// Where a scrolling animation will arrive; otherwise where the content is.
    ///
    /// Keys pressed while the content still moves add up.
    private var restingOffset: Point<ContentSpace> {
        if case .transition(let way) = motion, way.purpose == .scroll { return way.to.offset }
        return contentOffset
    }

    /// The scale that an animated zoom will arrive at; otherwise the one that is.
    private var restingScale: Double {
        if case .transition(let way) = motion, way.purpose == .zoom { return way.to.scale }
        return zoomScale
    }
}

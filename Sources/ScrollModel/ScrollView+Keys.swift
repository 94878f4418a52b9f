internal import ViewportGeometry

extension ScrollView {
    /// A key that moves or zooms the content.
    @frozen
    public enum Key: UInt8, CaseIterable, Equatable, Sendable {
        case arrowUp, arrowDown, arrowLeft, arrowRight
        case pageUp, pageDown, home, end
        case plus, minus, zero
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
        let far = 4 * Self.greatestLength * Self.possibleScales.upperBound
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

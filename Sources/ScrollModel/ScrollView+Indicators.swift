public import ViewportGeometry

extension ScrollView {
    /// The thickness of an indicator and its distance from the edges, in view points, as on iOS.
    static let indicatorThickness = 3.0
    /// The least length of an indicator in range, and of one that an overscroll squeezes.
    static let indicatorLength = (resting: 36.0, squeezed: 7.0)

    /// The vertical scroll indicator at the right edge; nil where there is nothing to scroll.
    public var verticalScrollIndicator: Rect<ViewSpace>? {
        let inset = fixedInset
        let room = bounds.height - inset.top - inset.bottom - 2 * Self.indicatorThickness
        let least = minimumContentOffset.y
        let way = maximumContentOffset.y - least
        guard let (start, length) = indicator(contentOffset.y - least, way, bounds.height, room) else {
            return nil
        }
        return Rect(
            x: bounds.width - inset.right - 2 * Self.indicatorThickness,
            y: inset.top + Self.indicatorThickness + start,
            width: Self.indicatorThickness, height: length)
    }

    /// The horizontal scroll indicator at the bottom edge; nil where there is nothing to scroll.
    public var horizontalScrollIndicator: Rect<ViewSpace>? {
        let inset = fixedInset
        let room = bounds.width - inset.left - inset.right - 2 * Self.indicatorThickness
        let least = minimumContentOffset.x
        let way = maximumContentOffset.x - least
        guard let (start, length) = indicator(contentOffset.x - least, way, bounds.width, room) else {
            return nil
        }
        return Rect(
            x: inset.left + Self.indicatorThickness + start,
            y: bounds.height - inset.bottom - 2 * Self.indicatorThickness,
            width: length, height: Self.indicatorThickness)
    }

    /// Start and length along the room that an indicator has.
    ///
    /// Its share of the room is the window's share of the content; beyond an edge it shrinks by the
    /// overscroll.
    private func indicator(
        _ offset: Double, _ way: Double, _ window: Double, _ room: Double
    ) -> (start: Double, length: Double)? {
        guard way > 0, window > 0, room > 0 else { return nil }
        let resting = min(max(room * window / (way + window), Self.indicatorLength.resting), room)
        let beyond = max(0, -offset) + max(0, offset - way)
        let length = min(max(resting - beyond, Self.indicatorLength.squeezed), resting)
        return ((room - length) * min(max(offset / way, 0), 1), length)
    }
}

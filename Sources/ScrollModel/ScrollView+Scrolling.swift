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

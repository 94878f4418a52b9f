public import ViewportGeometry

extension ScrollView {
    /// The size of the zoomed and turned content.
    public var contentSize: Size<ContentSpace> { contentSize(at: zoomScale) }

    /// The size that the content has at another scale.
    func contentSize(at scale: Double) -> Size<ContentSpace> {
        guard contentRotation.sine != 0 else {
            return Size(width: viewSize.width * scale, height: viewSize.height * scale)
        }
        let extent = contentRotation.extent(width: viewSize.width, height: viewSize.height)
        return Size(width: extent.width * scale, height: extent.height * scale)
    }

    /// The content inset, the safe area, and what the alignment adds around content smaller than the bounds.
    public var adjustedContentInset: EdgeInsets {
        let size = contentSize
        var inset = fixedInset
        let share = alignmentShare
        let across = max(0, bounds.width - inset.left - inset.right - size.width)
        let down = max(0, bounds.height - inset.top - inset.bottom - size.height)
        // On the far side no more than on the near one: at the top-left corner nothing is added, as in UIKit.
        inset.left += across * share.x
        inset.right += across * min(share.x, 1 - share.x)
        inset.top += down * share.y
        inset.bottom += down * min(share.y, 1 - share.y)
        return inset
    }

    /// The least offset, per axis, that the content may rest at.
    public var minimumContentOffset: Point<ContentSpace> { limits(of: range).least }

    /// The greatest offset, per axis, that the content may rest at.
    ///
    /// Content turned by anything but quarters may not rest at every offset between the two, because its
    /// range is turned with it: see ``clampedContentOffset(_:)``.
    public var maximumContentOffset: Point<ContentSpace> { limits(of: range).greatest }

    /// The nearest offset that the content may rest at.
    public func clampedContentOffset(_ offset: Point<ContentSpace>) -> Point<ContentSpace> {
        offset.isFinite ? range.clamped(offset) : contentOffset
    }

    /// The insets that do not depend on the content.
    var fixedInset: EdgeInsets { contentInset + safeAreaInsets }

    /// The alignment in force: reversed content stands at the bottom.
    var alignmentShare: (x: Double, y: Double) {
        (contentAlignment.x, isReversed ? 1 : contentAlignment.y)
    }

    /// The part of the bounds inside the fixed insets; a negative size where the insets overlap.
    var clearSize: (width: Double, height: Double) {
        let inset = fixedInset
        return (bounds.width - inset.left - inset.right, bounds.height - inset.top - inset.bottom)
    }

    /// The offsets at which the content may rest.
    package var range: ScrollRange { range(at: zoomScale) }

    /// The range that holds at another scale.
    func range(at scale: Double) -> ScrollRange {
        guard contentRotation.isQuarterTurn else { return turnedRange(at: scale) }
        let size = contentSize(at: scale)
        let inset = fixedInset
        let share = alignmentShare
        return ScrollRange(
            first: span(size.width, inset.left, inset.right, bounds.width, share.x),
            second: span(size.height, inset.top, inset.bottom, bounds.height, share.y))
    }

    private func span(
        _ length: Double, _ before: Double, _ after: Double, _ bound: Double, _ share: Double
    ) -> ScrollRange.Span {
        // Not -before: that would make a negative zero of no inset.
        let lower = 0 - before
        let upper = length + after - bound
        // Content that fits rests at one offset: its share of the free space.
        guard upper >= lower else {
            let only = rounding.rounded(lower - (lower - upper) * share)
            return ScrollRange.Span(lower: only, upper: only)
        }
        return ScrollRange.Span(lower: rounding.rounded(lower), upper: rounding.rounded(upper))
    }

    /// The range of content turned by any angle.
    private func turnedRange(at scale: Double) -> ScrollRange {
        let size = contentSize(at: scale)
        let inset = fixedInset
        let clear = clearSize
        let share = alignmentShare
        let inner = contentRotation.inscribed(width: clear.width, height: clear.height)
        var halfWidth = max(0, (viewSize.width * scale - inner.width) / 2)
        var halfHeight = max(0, (viewSize.height * scale - inner.height) / 2)
        // No more room than it takes to see what reaches out of the bounds: none where all of it fits.
        let reach = contentRotation.extent(width: halfWidth, height: halfHeight)
        let across = max(0, (size.width - clear.width) / 2)
        let down = max(0, (size.height - clear.height) / 2)
        if across < reach.width, down < reach.height {
            let share = max(across / reach.width, down / reach.height)
            halfWidth *= share
            halfHeight *= share
        }
        // The offset at which the clear part of the bounds has its share of the free space around the
        // content.
        let x = -inset.left + (size.width - clear.width) * (clear.width > size.width ? share.x : 0.5)
        let y = -inset.top + (size.height - clear.height) * (clear.height > size.height ? share.y : 0.5)
        var range = ScrollRange(
            first: ScrollRange.Span(lower: 0, upper: 0), second: ScrollRange.Span(lower: 0, upper: 0),
            cosine: contentRotation.cosine, sine: contentRotation.sine)
        let (a, b) = range.axes(Point(x: x, y: y))
        range.first = ScrollRange.Span(lower: a - halfWidth, upper: a + halfWidth)
        range.second = ScrollRange.Span(lower: b - halfHeight, upper: b + halfHeight)
        return range
    }

    /// The upright rectangle around a range.
    private func limits(
        of range: ScrollRange
    ) -> (least: Point<ContentSpace>, greatest: Point<ContentSpace>) {
        let (first, second) = (range.first, range.second)
        guard range.sine != 0 else {
            return (Point(x: first.lower, y: second.lower), Point(x: first.upper, y: second.upper))
        }
        let half = contentRotation.extent(
            width: (first.upper - first.lower) / 2, height: (second.upper - second.lower) / 2)
        let middle = range.point((first.lower + first.upper) / 2, (second.lower + second.upper) / 2)
        return (
            Point(x: middle.x - half.width, y: middle.y - half.height),
            Point(x: middle.x + half.width, y: middle.y + half.height)
        )
    }
}

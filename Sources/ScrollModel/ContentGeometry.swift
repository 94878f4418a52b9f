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

extension ScrollView {
    /// The part of the image's plane that the bounds show, in image points; it may reach beyond the image.
    ///
    /// For turned content it is the smallest upright rectangle around the turned window.
    public var visibleRect: Rect<ImageSpace> {
        convert(Rect<ViewSpace>(x: 0, y: 0, width: bounds.width, height: bounds.height), to: ImageSpace.self)
    }

    public func convert(_ point: Point<ViewSpace>, to: ContentSpace.Type) -> Point<ContentSpace> {
        Point(x: point.x + contentOffset.x, y: point.y + contentOffset.y)
    }

    public func convert(_ point: Point<ContentSpace>, to: ViewSpace.Type) -> Point<ViewSpace> {
        Point(x: point.x - contentOffset.x, y: point.y - contentOffset.y)
    }

    public func convert(_ point: Point<ContentSpace>, to: ImageSpace.Type) -> Point<ImageSpace> {
        image(point, at: zoomScale)
    }

    /// The image point at a content point, at some scale.
    @inline(never)
    func image(_ point: Point<ContentSpace>, at scale: Double) -> Point<ImageSpace> {
        guard contentRotation.sine != 0 || contentRotation.cosine != 1 else {
            return Point(x: point.x / scale, y: point.y / scale)
        }
        let size = contentSize(at: scale)
        let (x, y) = contentRotation.turnedBack(
            (point.x - size.width / 2) / scale, (point.y - size.height / 2) / scale)
        return Point(x: x + viewSize.width / 2, y: y + viewSize.height / 2)
    }

    public func convert(_ point: Point<ImageSpace>, to: ContentSpace.Type) -> Point<ContentSpace> {
        content(point, at: zoomScale)
    }

    /// The content point at an image point, at some scale.
    @inline(never)
    func content(_ point: Point<ImageSpace>, at scale: Double) -> Point<ContentSpace> {
        guard contentRotation.sine != 0 || contentRotation.cosine != 1 else {
            return Point(x: point.x * scale, y: point.y * scale)
        }
        let size = contentSize(at: scale)
        let (x, y) = contentRotation.turned(point.x - viewSize.width / 2, point.y - viewSize.height / 2)
        return Point(x: x * scale + size.width / 2, y: y * scale + size.height / 2)
    }

    public func convert(_ point: Point<ViewSpace>, to: ImageSpace.Type) -> Point<ImageSpace> {
        convert(convert(point, to: ContentSpace.self), to: ImageSpace.self)
    }

    public func convert(_ point: Point<ImageSpace>, to: ViewSpace.Type) -> Point<ViewSpace> {
        convert(convert(point, to: ContentSpace.self), to: ViewSpace.self)
    }

    /// The smallest upright rectangle, in image points, around a rectangle of the view.
    public func convert(_ rect: Rect<ViewSpace>, to: ImageSpace.Type) -> Rect<ImageSpace> {
        let content = Rect<ContentSpace>(
            x: rect.minX + contentOffset.x, y: rect.minY + contentOffset.y, width: rect.width,
            height: rect.height)
        return convert(content, to: ImageSpace.self)
    }

    /// The smallest upright rectangle, in image points, around a rectangle of the content.
    public func convert(_ rect: Rect<ContentSpace>, to: ImageSpace.Type) -> Rect<ImageSpace> {
        let extent = contentRotation.extent(width: rect.width / zoomScale, height: rect.height / zoomScale)
        guard contentRotation != .none else {
            let origin = convert(rect.origin, to: ImageSpace.self)
            return Rect(origin: origin, size: Size(width: extent.width, height: extent.height))
        }
        let middle = convert(rect.center, to: ImageSpace.self)
        return Rect(
            x: middle.x - extent.width / 2, y: middle.y - extent.height / 2,
            width: extent.width, height: extent.height)
    }

    /// The smallest upright rectangle of the content around a rectangle of the image.
    public func convert(_ rect: Rect<ImageSpace>, to: ContentSpace.Type) -> Rect<ContentSpace> {
        let extent = contentRotation.extent(width: rect.width * zoomScale, height: rect.height * zoomScale)
        guard contentRotation != .none else {
            let origin = convert(rect.origin, to: ContentSpace.self)
            return Rect(origin: origin, size: Size(width: extent.width, height: extent.height))
        }
        let middle = convert(rect.center, to: ContentSpace.self)
        return Rect(
            x: middle.x - extent.width / 2, y: middle.y - extent.height / 2,
            width: extent.width, height: extent.height)
    }

    /// The smallest upright rectangle of the view around a rectangle of the image.
    public func convert(_ rect: Rect<ImageSpace>, to: ViewSpace.Type) -> Rect<ViewSpace> {
        let content = convert(rect, to: ContentSpace.self)
        return Rect(
            origin: convert(content.origin, to: ViewSpace.self),
            size: Size(width: content.width, height: content.height))
    }
}

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

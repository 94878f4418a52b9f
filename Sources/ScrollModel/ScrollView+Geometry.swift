public import ViewportGeometry

/// What follows from sizes, scale and offset: the range, conversions between the spaces, indicators.
extension ScrollView {
    /// The size of the zoomed and turned content.
    public var contentSize: Size<ContentSpace> { geometry.contentSize(at: zoomScale) }

    /// The content inset, the safe area, and what the alignment adds around content smaller than the bounds.
    ///
    /// ``contentInsetAdjustmentBehavior`` says along which axes the safe area counts.
    public var adjustedContentInset: EdgeInsets { geometry.adjustedContentInset }

    /// The least offset, per axis, that the content may rest at.
    public var minimumContentOffset: Point<ContentSpace> { geometry.offsetLimits.least }

    /// The greatest offset, per axis, that the content may rest at.
    ///
    /// Content turned by anything but quarters may not rest at every offset between the two, because its
    /// range is turned with it: see ``clampedContentOffset(_:)``.
    public var maximumContentOffset: Point<ContentSpace> { geometry.offsetLimits.greatest }

    /// The nearest offset that the content may rest at; the present one for an offset that is not finite.
    public func clampedContentOffset(_ offset: Point<ContentSpace>) -> Point<ContentSpace> {
        offset.isFinite ? range.clamped(offset) : contentOffset
    }

    /// The scale at which the whole content just fits into the bounds, less the insets.
    public var fittingZoomScale: Double { geometry.fittingScales.fit }

    /// The scale at which the content just covers the bounds, less the insets.
    public var fillingZoomScale: Double { geometry.fittingScales.fill }

    /// The offsets at which the content may rest.
    var range: ScrollRange { geometry.range(at: zoomScale) }
}

/// Conversions; coordinates that are not finite give results that are not finite.
extension ScrollView {
    /// The part of the image's plane that the bounds show, in image points; it may reach beyond the image.
    ///
    /// For turned content it is the smallest upright rectangle around the turned window.
    public var visibleRect: Rect<ImageSpace> {
        convert(Rect<ViewSpace>(x: 0, y: 0, width: bounds.width, height: bounds.height), to: ImageSpace.self)
    }

    /// The content point that is seen at a view point.
    public func convert(_ point: Point<ViewSpace>, to: ContentSpace.Type) -> Point<ContentSpace> {
        Point(x: point.x + contentOffset.x, y: point.y + contentOffset.y)
    }

    /// The view point at which a content point is seen.
    public func convert(_ point: Point<ContentSpace>, to: ViewSpace.Type) -> Point<ViewSpace> {
        Point(x: point.x - contentOffset.x, y: point.y - contentOffset.y)
    }

    /// The image point at a content point.
    public func convert(_ point: Point<ContentSpace>, to: ImageSpace.Type) -> Point<ImageSpace> {
        geometry.image(point, at: zoomScale)
    }

    /// The content point at an image point.
    public func convert(_ point: Point<ImageSpace>, to: ContentSpace.Type) -> Point<ContentSpace> {
        geometry.content(point, at: zoomScale)
    }

    /// The image point that is seen at a view point.
    public func convert(_ point: Point<ViewSpace>, to: ImageSpace.Type) -> Point<ImageSpace> {
        convert(convert(point, to: ContentSpace.self), to: ImageSpace.self)
    }

    /// The view point at which an image point is seen.
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

/// Scroll indicators.
extension ScrollView {
    /// The thickness of an indicator and its distance from the edges, in view points, as on iOS.
    private static let indicatorThickness = 3.0
    /// The least length of an indicator in range, and of one that an overscroll squeezes.
    private static let indicatorLength = (resting: 36.0, squeezed: 7.0)

    /// The vertical scroll indicator at the right edge; nil where there is nothing to scroll.
    public var verticalScrollIndicator: Rect<ViewSpace>? {
        let inset = geometry.insets(at: zoomScale)
        let room = bounds.height - inset.top - inset.bottom - 2 * Self.indicatorThickness
        let (least, greatest) = geometry.offsetLimits
        let length = greatest.y - least.y
        guard let indicator = indicator(contentOffset.y - least.y, of: length, bounds.height, room) else {
            return nil
        }
        return Rect(
            x: bounds.width - inset.right - 2 * Self.indicatorThickness,
            y: inset.top + Self.indicatorThickness + indicator.start,
            width: Self.indicatorThickness, height: indicator.length)
    }

    /// The horizontal scroll indicator at the bottom edge; nil where there is nothing to scroll.
    public var horizontalScrollIndicator: Rect<ViewSpace>? {
        let inset = geometry.insets(at: zoomScale)
        let room = bounds.width - inset.left - inset.right - 2 * Self.indicatorThickness
        let (least, greatest) = geometry.offsetLimits
        let length = greatest.x - least.x
        guard let indicator = indicator(contentOffset.x - least.x, of: length, bounds.width, room) else {
            return nil
        }
        return Rect(
            x: inset.left + Self.indicatorThickness + indicator.start,
            y: bounds.height - inset.bottom - 2 * Self.indicatorThickness,
            width: indicator.length, height: Self.indicatorThickness)
    }

    /// Start and length along the room that an indicator has.
    ///
    /// Its share of the room is the window's share of the content; beyond an edge it shrinks by the
    /// overscroll.
    private func indicator(
        _ offset: Double, of travel: Double, _ window: Double, _ room: Double
    ) -> (start: Double, length: Double)? {
        guard travel > 0, window > 0, room > 0 else { return nil }
        let resting = min(max(room * window / (travel + window), Self.indicatorLength.resting), room)
        let beyond = max(0, -offset) + max(0, offset - travel)
        let length = min(max(resting - beyond, Self.indicatorLength.squeezed), resting)
        return ((room - length) * min(max(offset / travel, 0), 1), length)
    }
}

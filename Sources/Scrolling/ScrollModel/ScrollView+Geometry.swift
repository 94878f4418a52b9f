public import ViewportGeometry

/// Values derived from sizes, scale and offset.
extension ScrollView {
    /// The size of the zoomed and rotated content; ``setContentSize(_:)`` changes it.
    public var contentSize: Size<ContentSpace> {
        get { geometry.contentSize(at: zoomScale) }
        @available(*, unavailable, message: "use setContentSize(_:), which returns the events")
        set {}
    }

    /// The content inset, the safe area, and the space that the alignment adds around small content.
    ///
    /// ``contentInsetAdjustmentBehavior`` selects the edges at which the safe area is added.
    public var adjustedContentInset: EdgeInsets { geometry.adjustedContentInset }

    /// The smallest offset at rest per axis: negative where there are insets.
    public var minimumContentOffset: Point<ContentSpace> { geometry.offsetLimits.least }

    /// The maximum content offset per axis.
    ///
    /// Unless the content is rotated by a quarter turn, its range is rotated, too, and not every offset
    /// between minimum and maximum is in it. See ``clampedContentOffset(_:)``.
    public var maximumContentOffset: Point<ContentSpace> { geometry.offsetLimits.greatest }

    /// Returns the nearest offset in range, or the current offset for input that is not finite.
    public func clampedContentOffset(_ offset: Point<ContentSpace>) -> Point<ContentSpace> {
        offset.isFinite ? range.clamped(offset) : contentOffset
    }

    /// The largest scale at which the whole content fits in the bounds minus the insets.
    public var fittingZoomScale: Double { geometry.fittingScales.fit }

    /// The smallest scale at which the content covers the bounds minus the insets.
    public var fillingZoomScale: Double { geometry.fittingScales.fill }

    /// The offsets at which the content may rest at the current scale.
    var range: ScrollRange { geometry.range(at: zoomScale) }

    /// The map between image points and content points.
    private var map: ContentMap { geometry.map(at: zoomScale) }
}

/// Conversions. Input that is not finite gives output that is not finite.
extension ScrollView {
    /// The visible part of the image plane, in image points.
    ///
    /// It may extend beyond the image.
    ///
    /// For rotated content it is the smallest upright rectangle around the visible part.
    public var visibleRect: Rect<ImageSpace> {
        convert(Rect<ViewSpace>(x: 0, y: 0, width: bounds.width, height: bounds.height), to: ImageSpace.self)
    }

    /// Returns the content point at a view point.
    public func convert(_ point: Point<ViewSpace>, to: ContentSpace.Type) -> Point<ContentSpace> {
        Point(x: point.x + contentOffset.x, y: point.y + contentOffset.y)
    }

    /// Returns the view point of a content point.
    public func convert(_ point: Point<ContentSpace>, to: ViewSpace.Type) -> Point<ViewSpace> {
        Point(x: point.x - contentOffset.x, y: point.y - contentOffset.y)
    }

    /// Returns the image point of a content point.
    public func convert(_ point: Point<ContentSpace>, to: ImageSpace.Type) -> Point<ImageSpace> {
        map.image(point)
    }

    /// Returns the content point of an image point.
    public func convert(_ point: Point<ImageSpace>, to: ContentSpace.Type) -> Point<ContentSpace> {
        map.content(point)
    }

    /// Returns the image point at a view point.
    public func convert(_ point: Point<ViewSpace>, to: ImageSpace.Type) -> Point<ImageSpace> {
        convert(convert(point, to: ContentSpace.self), to: ImageSpace.self)
    }

    /// Returns the view point of an image point.
    public func convert(_ point: Point<ImageSpace>, to: ViewSpace.Type) -> Point<ViewSpace> {
        convert(convert(point, to: ContentSpace.self), to: ViewSpace.self)
    }

    /// Returns the smallest upright rectangle of the image around a rectangle of the view.
    public func convert(_ rect: Rect<ViewSpace>, to: ImageSpace.Type) -> Rect<ImageSpace> {
        let content = Rect<ContentSpace>(
            x: rect.minX + contentOffset.x, y: rect.minY + contentOffset.y, width: rect.width,
            height: rect.height)
        return convert(content, to: ImageSpace.self)
    }

    /// Returns the smallest upright rectangle of the image around a rectangle of the content.
    public func convert(_ rect: Rect<ContentSpace>, to: ImageSpace.Type) -> Rect<ImageSpace> {
        map.image(rect)
    }

    /// Returns the smallest upright rectangle of the content around a rectangle of the image.
    public func convert(_ rect: Rect<ImageSpace>, to: ContentSpace.Type) -> Rect<ContentSpace> {
        map.content(rect)
    }

    /// Returns the smallest upright rectangle of the view around a rectangle of the image.
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
    /// The minimum length of an indicator, in range and while overscrolled.
    private static let indicatorLength = (resting: 36.0, squeezed: 7.0)

    /// The frame of the vertical scroll indicator at the right edge; nil if the content does not scroll
    /// vertically.
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

    /// The frame of the horizontal scroll indicator at the bottom edge; nil if the content does not scroll
    /// horizontally.
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

    /// Returns start and length of an indicator along its track.
    ///
    /// Its share of the track equals the visible share of the content. Overscroll shortens it.
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

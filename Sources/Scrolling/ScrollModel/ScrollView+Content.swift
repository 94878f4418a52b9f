public import ViewportGeometry

/// Layout. Methods change these values, because a change causes events; setters are unavailable.
extension ScrollView {
    /// The size of the scroll view, in view points; ``setBounds(_:)`` changes it.
    public var bounds: Size<ViewSpace> {
        get { geometry.bounds }
        @available(*, unavailable, message: "use setBounds(_:), which returns the events")
        set {}
    }
    /// The size of the content before zoom and rotation.
    public var viewSize: Size<ImageSpace> { geometry.viewSize }
    /// View points per image point; ``setZoomScale(_:anchor:)`` changes it.
    public var zoomScale: Double {
        get { geometry.zoomScale }
        @available(*, unavailable, message: "use setZoomScale(_:anchor:), which returns the events")
        set {}
    }
    /// The minimum scale at rest; ``setZoomLimits(minimum:maximum:)`` changes it.
    public var minimumZoomScale: Double {
        get { geometry.minimumZoomScale }
        @available(*, unavailable, message: "use setZoomLimits(minimum:maximum:), which returns the events")
        set {}
    }
    /// The maximum scale at rest; ``setZoomLimits(minimum:maximum:)`` changes it.
    public var maximumZoomScale: Double {
        get { geometry.maximumZoomScale }
        @available(*, unavailable, message: "use setZoomLimits(minimum:maximum:), which returns the events")
        set {}
    }
    /// The content point at the top-left corner of the bounds; ``setContentOffset(_:)`` changes it.
    public var contentOffset: Point<ContentSpace> {
        get { geometry.contentOffset }
        @available(*, unavailable, message: "use setContentOffset(_:), which returns the events")
        set {}
    }
    /// The space around the content, in view points; ``setContentInset(_:)`` changes it.
    public var contentInset: EdgeInsets {
        get { geometry.contentInset }
        @available(*, unavailable, message: "use setContentInset(_:), which returns the events")
        set {}
    }
    /// The space covered by bars and notches, in view points; ``setSafeAreaInsets(_:)`` changes it.
    public var safeAreaInsets: EdgeInsets { geometry.safeAreaInsets }
    /// The edges at which the safe area is added to the content inset.
    ///
    /// ``setContentInsetAdjustmentBehavior(_:)`` changes it.
    public var contentInsetAdjustmentBehavior: ContentInsetAdjustmentBehavior {
        get { geometry.insetAdjustment }
        @available(
            *, unavailable, message: "use setContentInsetAdjustmentBehavior(_:), which returns the events"
        )
        set {}
    }
    /// The alignment of content smaller than the bounds.
    public var contentAlignment: ContentAlignment { geometry.contentAlignment }
    /// The clockwise rotation of the content about its center.
    public var contentRotation: Rotation { geometry.contentRotation }
    /// The pixels to which the offset is rounded; by default it is not.
    public var rounding: Rounding { geometry.rounding }
    /// Whether the content is anchored at its bottom, as in a chat.
    public var isReversed: Bool { geometry.isReversed }

    /// Whether the content bounces vertically even if it is not taller than the bounds.
    ///
    /// Requires ``bouncesVertically``. With `scrollableAxes` it also adds the safe area at top and bottom;
    /// the offset follows with the next operation.
    public var alwaysBounceVertical: Bool {
        get { geometry.alwaysBounceVertical }
        set { geometry.alwaysBounceVertical = newValue }
    }
    /// Whether the content bounces horizontally even if it is not wider than the bounds.
    ///
    /// Requires ``bouncesHorizontally``. With `scrollableAxes` it also adds the safe area at left and right;
    /// the offset follows with the next operation.
    public var alwaysBounceHorizontal: Bool {
        get { geometry.alwaysBounceHorizontal }
        set { geometry.alwaysBounceHorizontal = newValue }
    }
}

/// Changes of bounds, insets and content. The visible part stays in place where possible.
extension ScrollView {
    /// Changes the size of the bounds and keeps the image point at their center.
    ///
    /// A scale equal to the fitting scale becomes the new fitting scale, and so does an equal minimum scale;
    /// otherwise the scale stays, within its limits. Content that cannot be zoomed keeps its scale.
    /// UIScrollView keeps offset and scale instead. A size that is not finite has no effect.
    @discardableResult
    public mutating func setBounds(_ size: Size<ViewSpace>) -> ScrollEvents {
        guard size.isFinite else { return ScrollEvents() }
        return rearrange { view in
            let fromBottom = view.distanceFromBottom
            view.keepMiddle { $0.setBounds(size) }
            view.keepBottom(fromBottom)
        }
    }

    /// Rotates the content and keeps the image point at the center of the bounds where possible.
    ///
    /// A scale equal to the fitting scale becomes the new fitting scale, as in ``setBounds(_:)``.
    @discardableResult
    public mutating func setContentRotation(_ rotation: Rotation) -> ScrollEvents {
        rearrange { view in view.keepMiddle { $0.contentRotation = rotation } }
    }

    /// Changes the content inset.
    ///
    /// The offset stays if it is in range.
    ///
    /// Insets that are not finite have no effect.
    @discardableResult
    public mutating func setContentInset(_ inset: EdgeInsets) -> ScrollEvents {
        guard inset.isFinite else { return ScrollEvents() }
        return changeInsets(content: inset, safeArea: safeAreaInsets)
    }

    /// Changes the safe area.
    ///
    /// The offset stays if it is in range.
    ///
    /// ``contentInsetAdjustmentBehavior`` selects the edges at which it is added. Insets that are not finite
    /// have no effect.
    @discardableResult
    public mutating func setSafeAreaInsets(_ inset: EdgeInsets) -> ScrollEvents {
        guard inset.isFinite else { return ScrollEvents() }
        return changeInsets(content: contentInset, safeArea: inset)
    }

    @inline(never)
    private mutating func changeInsets(content: EdgeInsets, safeArea: EdgeInsets) -> ScrollEvents {
        rearrange { view in view.keepBottom { $0.setInsets(content: content, safeArea: safeArea) } }
    }

    /// Changes the edges at which the safe area is added.
    ///
    /// The offset stays if it is in range.
    ///
    /// Causes `didChangeAdjustedContentInset` if the resulting inset differs.
    @discardableResult
    public mutating func setContentInsetAdjustmentBehavior(
        _ behavior: ContentInsetAdjustmentBehavior
    ) -> ScrollEvents {
        rearrange { view in view.keepBottom { $0.insetAdjustment = behavior } }
    }

    /// Changes the size of the content before zoom and rotation.
    ///
    /// Scale and offset stay where possible.
    ///
    /// Pass `keepingPlace` when the same image arrives in another resolution, for example when the full image
    /// replaces a thumbnail: scale and limits are divided by the growth of the width, and nothing moves on
    /// screen. A size that is not finite has no effect.
    @discardableResult
    public mutating func setViewSize(_ size: Size<ImageSpace>, keepingPlace: Bool = false) -> ScrollEvents {
        guard size.isFinite else { return ScrollEvents() }
        return rearrange { view in
            let old = view.viewSize
            guard keepingPlace, !old.isEmpty, !size.isEmpty else {
                return view.keepBottom { $0.setViewSize(size) }
            }
            view.geometry.setViewSize(size)
            view.geometry.multiplyScales(by: old.width / view.viewSize.width)
            view.keepOrMoveInRange(view.contentOffset)
        }
    }

    /// Changes the size of the content before rotation, in zoomed points at the current scale.
    @discardableResult
    public mutating func setContentSize(_ size: Size<ContentSpace>) -> ScrollEvents {
        setViewSize(Size(width: size.width / zoomScale, height: size.height / zoomScale))
    }

    /// Adds content at an edge, or removes it if `length` is negative; what is seen does not move.
    ///
    /// A gesture or a deceleration continues. The offset changes by `length` for the top and the left edge, so
    /// that the edge can be reached again. A length that is not finite, and rotated content, have no effect.
    ///
    /// - Parameter length: content points.
    @discardableResult
    public mutating func addContent(_ length: Double, at edge: RectEdge) -> ScrollEvents {
        let isVertical = edge == .top || edge == .bottom
        var (size, offset) = (viewSize, contentOffset)
        let growth = length / zoomScale
        guard growth.isFinite, contentRotation.degrees == 0 else { return ScrollEvents() }
        if isVertical { size.height = max(0, size.height + growth) }
        if !isVertical { size.width = max(0, size.width + growth) }
        if edge == .top { offset.y += length }
        if edge == .left { offset.x += length }
        return rearrange { view in
            view.geometry.setViewSize(size)
            view.keepOrMoveInRange(ContentGeometry.bounded(offset))
        }
    }

    /// Sets the limits of the scale and clamps the scale to them, about the center of the bounds.
    ///
    /// Limits that are not positive and finite, or in the wrong order, have no effect; UIScrollView stores
    /// them and stops zooming. Limits are clamped to 1e-9 to 1e9.
    @discardableResult
    public mutating func setZoomLimits(minimum: Double, maximum: Double) -> ScrollEvents {
        guard ContentGeometry.isScale(minimum), ContentGeometry.isScale(maximum), minimum <= maximum else {
            return ScrollEvents()
        }
        return rearrange { view in
            view.geometry.setZoomLimits(minimum, maximum)
            guard !view.isZooming else { return }
            view.jump(to: view.goal(zoomingTo: view.zoomScale, anchor: nil))
        }
    }

    /// Changes the alignment of content smaller than the bounds, which may move it.
    @discardableResult
    public mutating func setContentAlignment(_ alignment: ContentAlignment) -> ScrollEvents {
        rearrange { view in view.keepBottom { $0.contentAlignment = alignment } }
    }

    /// Changes the pixels to which the offset is rounded, and rounds the current one.
    @discardableResult
    public mutating func setRounding(_ rounding: Rounding) -> ScrollEvents {
        rearrange { view in view.keepBottom { $0.setRounding(rounding) } }
    }

    /// Changes whether the content is anchored at its bottom.
    ///
    /// Setting it to true scrolls to the end.
    ///
    /// Reversed content that is shorter than the bounds is aligned with their bottom. Every change of sizes
    /// keeps the distance from the bottom instead of the distance from the top.
    @discardableResult
    public mutating func setReversed(_ reversed: Bool) -> ScrollEvents {
        guard reversed != isReversed else { return ScrollEvents() }
        return rearrange { view in
            view.geometry.isReversed = reversed
            view.keepBottom(reversed ? 0 : view.distanceFromBottom)
        }
    }

    /// Places the image as a UIView with this content mode does, within the limits of the scale.
    ///
    /// The mode determines the scale, the alignment of an image smaller than the bounds and the offset of a
    /// larger one. `scaleToFill` and `redraw` need one scale per axis; they behave as `scaleAspectFit` here.
    @discardableResult
    public mutating func show(_ mode: ContentMode) -> ScrollEvents {
        let scale =
            switch mode {
            case .scaleToFill, .redraw, .scaleAspectFit: fittingZoomScale
            case .scaleAspectFill: fillingZoomScale
            default: 1.0
            }
        return rearrange { view in
            let x = mode.alignment.x
            let y = mode.alignment.y
            view.geometry.contentAlignment = ContentAlignment(x: x, y: y)
            view.geometry.setScale(view.limitedScale(scale))
            let (least, greatest) = view.geometry.offsetLimits
            view.moveInRange(
                Point(x: least.x + (greatest.x - least.x) * x, y: least.y + (greatest.y - least.y) * y))
        }
    }

    /// Restores an archived view, within the limits of scale and offset.
    @discardableResult
    public mutating func restore(_ archive: Archive) -> ScrollEvents {
        rearrange { view in
            view.geometry.contentRotation = Rotation(degrees: archive.rotation)
            let greatest = ContentGeometry.possibleScales.upperBound
            view.geometry.setScale(view.limitedScale(min(archive.zoom * view.fittingZoomScale, greatest)))
            // Bounded, so that no later product overflows.
            let most = ContentGeometry.greatestLength
            let center = archive.center
            let image = Point<ImageSpace>(
                x: min(max(center.x, -most), most), y: min(max(center.y, -most), most))
            let middle = view.convert(image, to: ContentSpace.self)
            view.moveInRange(
                ContentGeometry.bounded(
                    Point(x: middle.x - view.bounds.width / 2, y: middle.y - view.bounds.height / 2)))
        }
    }
}

extension ScrollView {
    /// Changes bounds or rotation, keeping the center and a fitting scale.
    @inline(never)
    private mutating func keepMiddle(_ change: (inout ContentGeometry) -> Void) {
        let middle = convert(Point<ViewSpace>(x: bounds.width / 2, y: bounds.height / 2), to: ImageSpace.self)
        let fitted = fittingZoomScale
        let wasFitting = isNear(zoomScale, fitted)
        let leastWasFitting = isNear(minimumZoomScale, fitted) && canZoom
        change(&geometry)
        let fitting = ContentGeometry.possible(fittingZoomScale)
        if leastWasFitting { geometry.setZoomLimits(min(fitting, maximumZoomScale), maximumZoomScale) }
        if !isZooming { geometry.setScale(limitedScale(wasFitting ? fitting : zoomScale)) }
        let now = convert(middle, to: ContentSpace.self)
        keepOrMoveInRange(
            ContentGeometry.bounded(Point(x: now.x - bounds.width / 2, y: now.y - bounds.height / 2)))
    }

    /// Performs a change.
    ///
    /// Reversed content keeps its distance from the bottom.
    private mutating func keepBottom(_ change: (inout ContentGeometry) -> Void) {
        let distance = distanceFromBottom
        change(&geometry)
        guard isReversed else { return keepOrMoveInRange(contentOffset) }
        keepBottom(distance)
    }

    @inline(never)
    private mutating func keepBottom(_ distance: Double) {
        let y = isReversed ? maximumContentOffset.y - distance : contentOffset.y
        keepOrMoveInRange(ContentGeometry.bounded(Point(x: contentOffset.x, y: y)))
    }

    /// The distance of the offset from the maximum along *y*.
    private var distanceFromBottom: Double { maximumContentOffset.y - contentOffset.y }

    private func isNear(_ scale: Double, _ other: Double) -> Bool {
        (scale - other).magnitude <= 1e-9 * other
    }
}

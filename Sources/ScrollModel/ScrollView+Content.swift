public import ViewportGeometry

/// What is laid out: sizes, insets, limits and place. Operations change them, because that has consequences.
extension ScrollView {
    /// The size of the window through which the content is seen.
    public var bounds: Size<ViewSpace> { geometry.bounds }
    /// The size of the content before zoom and rotation.
    public var viewSize: Size<ImageSpace> { geometry.viewSize }
    /// View points per image point.
    public var zoomScale: Double { geometry.zoomScale }
    /// The least scale that zooming may rest at.
    public var minimumZoomScale: Double { geometry.minimumZoomScale }
    /// The greatest scale that zooming may rest at.
    public var maximumZoomScale: Double { geometry.maximumZoomScale }
    /// The content point at the top-left corner of the bounds.
    public var contentOffset: Point<ContentSpace> { geometry.contentOffset }
    /// Distances that the program adds around the content.
    public var contentInset: EdgeInsets { geometry.contentInset }
    /// Distances that bars and notches cover.
    public var safeAreaInsets: EdgeInsets { geometry.safeAreaInsets }
    /// Whether the safe area is added to the content inset.
    public var contentInsetAdjustmentBehavior: ContentInsetAdjustmentBehavior { geometry.insetAdjustment }
    /// The resting place of content smaller than the bounds.
    public var contentAlignment: ContentAlignment { geometry.contentAlignment }
    /// The turn of the content about its center.
    public var contentRotation: Rotation { geometry.contentRotation }
    /// The rounding of the offset before it is seen.
    public var rounding: Rounding { geometry.rounding }
    /// Whether the content is anchored at its bottom, as in a chat.
    public var isReversed: Bool { geometry.isReversed }

    /// Whether content that is not taller than the bounds may be pulled up and down nevertheless.
    ///
    /// It needs ``bouncesVertically``. With `scrollableAxes` it also adds the safe area at top and bottom;
    /// the offset follows with the next operation.
    public var alwaysBounceVertical: Bool {
        get { geometry.alwaysBounceVertical }
        set { geometry.alwaysBounceVertical = newValue }
    }
    /// Whether content that is not wider than the bounds may be pulled left and right nevertheless.
    ///
    /// It needs ``bouncesHorizontally``. With `scrollableAxes` it also adds the safe area at left and right;
    /// the offset follows with the next operation.
    public var alwaysBounceHorizontal: Bool {
        get { geometry.alwaysBounceHorizontal }
        set { geometry.alwaysBounceHorizontal = newValue }
    }
}

/// Changes of the bounds, the insets and the content; what is seen stays in its place where it can.
extension ScrollView {
    /// Changes the size of the bounds and keeps the image point in the middle there.
    ///
    /// Where the zoom was the fitting one it becomes the new fitting one, and so does the least zoom where it
    /// was; otherwise the scale stays, within the limits. Content that cannot be zoomed keeps its scale.
    /// UIScrollView keeps the offset and the scale instead. A size that is not finite changes nothing.
    @discardableResult
    public mutating func setBounds(_ size: Size<ViewSpace>) -> ScrollEvents {
        guard size.isFinite else { return ScrollEvents() }
        return rearrange { view in
            let fromBottom = view.distanceFromBottom
            view.keepMiddle { $0.setBounds(size) }
            view.keepBottom(fromBottom)
        }
    }

    /// Turns the content about the point in the middle of the bounds, which stays there where it can.
    ///
    /// Where the zoom was the fitting one it becomes the new fitting one, as when the bounds change.
    @discardableResult
    public mutating func setContentRotation(_ rotation: Rotation) -> ScrollEvents {
        rearrange { view in view.keepMiddle { $0.contentRotation = rotation } }
    }

    /// Changes the insets that the program adds; the offset stays where that is in range.
    ///
    /// Insets that are not finite change nothing.
    @discardableResult
    public mutating func setContentInset(_ inset: EdgeInsets) -> ScrollEvents {
        guard inset.isFinite else { return ScrollEvents() }
        return changeInsets(content: inset, safeArea: safeAreaInsets)
    }

    /// Changes the insets that bars and notches need; the offset stays where that is in range.
    ///
    /// ``contentInsetAdjustmentBehavior`` says where they are added. Insets that are not finite change
    /// nothing.
    @discardableResult
    public mutating func setSafeAreaInsets(_ inset: EdgeInsets) -> ScrollEvents {
        guard inset.isFinite else { return ScrollEvents() }
        return changeInsets(content: contentInset, safeArea: inset)
    }

    @inline(never)
    private mutating func changeInsets(content: EdgeInsets, safeArea: EdgeInsets) -> ScrollEvents {
        rearrange { view in view.keepBottom { $0.setInsets(content: content, safeArea: safeArea) } }
    }

    /// Changes where the safe area is added to the content inset; the offset stays where that is in range.
    ///
    /// The event is `didChangeAdjustedContentInset`, if that adds another inset than before.
    @discardableResult
    public mutating func setContentInsetAdjustmentBehavior(
        _ behavior: ContentInsetAdjustmentBehavior
    ) -> ScrollEvents {
        rearrange { view in view.keepBottom { $0.insetAdjustment = behavior } }
    }

    /// Changes the size of the content before zoom and rotation; scale and offset stay where they can.
    ///
    /// With `keepingPlace` it is the same picture in other pixels, as when a thumbnail gives way to the full
    /// image: scale and limits are divided by what the width grew by, and nothing is seen to move. A size
    /// that is not finite changes nothing.
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

    /// Changes the size of the zoomed content, before it is turned.
    @discardableResult
    public mutating func setContentSize(_ size: Size<ContentSpace>) -> ScrollEvents {
        setViewSize(Size(width: size.width / zoomScale, height: size.height / zoomScale))
    }

    /// Sets the limits of zooming and takes the scale into them, about the center of the bounds.
    ///
    /// Limits that are not positive and finite, or in the wrong order, change nothing; UIScrollView stores
    /// them and zooms no more. They are taken into 1e-9 to 1e9.
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

    /// Changes where content smaller than the bounds rests.
    @discardableResult
    public mutating func setContentAlignment(_ alignment: ContentAlignment) -> ScrollEvents {
        rearrange { view in view.keepBottom { $0.contentAlignment = alignment } }
    }

    /// Changes how the offset is rounded before it is seen.
    @discardableResult
    public mutating func setRounding(_ rounding: Rounding) -> ScrollEvents {
        rearrange { view in view.keepBottom { $0.setRounding(rounding) } }
    }

    /// Changes whether the content is anchored at its bottom; becoming so, it shows its end.
    ///
    /// Reversed content that is shorter than the bounds stands at their bottom, and every change of sizes
    /// keeps its distance from the bottom instead of that from the top.
    @discardableResult
    public mutating func setReversed(_ reversed: Bool) -> ScrollEvents {
        guard reversed != isReversed else { return ScrollEvents() }
        return rearrange { view in
            view.geometry.isReversed = reversed
            view.keepBottom(reversed ? 0 : view.distanceFromBottom)
        }
    }

    /// Shows the image the way a UIView's content mode lays its picture out, as near as zoom limits allow.
    ///
    /// Scale, alignment of what is smaller and offset of what is larger than the bounds all follow the mode.
    /// A scroll view has one scale: `scaleToFill` and `redraw`, which need two, fit as `scaleAspectFit` does.
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

    /// Shows an archived place, as near as the limits let it.
    @discardableResult
    public mutating func restore(_ archive: Archive) -> ScrollEvents {
        rearrange { view in
            view.geometry.contentRotation = Rotation(degrees: archive.rotation)
            let greatest = ContentGeometry.possibleScales.upperBound
            view.geometry.setScale(view.limitedScale(min(archive.zoom * view.fittingZoomScale, greatest)))
            // A coordinate that no later product can take out of the finite numbers.
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
    /// Changes bounds or rotation: the middle stays in the middle, and what fitted fits again.
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

    /// Changes something else; reversed content keeps its distance from the bottom.
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

    /// The distance of the offset from the greatest one, along *y*.
    private var distanceFromBottom: Double { maximumContentOffset.y - contentOffset.y }

    private func isNear(_ scale: Double, _ other: Double) -> Bool {
        (scale - other).magnitude <= 1e-9 * other
    }
}

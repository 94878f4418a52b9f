public import ViewportGeometry

/// Changes of the bounds, the insets and the content; what is seen stays in its place where it can.
extension ScrollView {
    /// Changes the size of the bounds and keeps the image point in the middle there.
    ///
    /// Where the zoom was the fitting one it becomes the new fitting one, and so does the least zoom where it
    /// was; otherwise the scale stays, within the limits. Content that cannot be zoomed keeps its scale.
    @discardableResult
    public mutating func setBounds(_ size: Size<ViewSpace>) -> ScrollEvents {
        guard size.isFinite else { return ScrollEvents() }
        return rearrange { view, _ in
            let fromBottom = view.distanceFromBottom
            view.keepMiddle {
                $0.bounds = Size(width: Self.length(size.width), height: Self.length(size.height))
            }
            view.keepBottom(fromBottom)
        }
    }

    /// Turns the content about the point in the middle of the bounds, which stays there where it can.
    ///
    /// Where the zoom was the fitting one it becomes the new fitting one, as when the bounds change.
    @discardableResult
    public mutating func setContentRotation(_ rotation: Rotation) -> ScrollEvents {
        rearrange { view, _ in view.keepMiddle { $0.contentRotation = rotation } }
    }

    /// Changes the insets that the program adds; the offset stays where that is in range.
    @discardableResult
    public mutating func setContentInset(_ inset: EdgeInsets) -> ScrollEvents {
        guard inset.isFinite else { return ScrollEvents() }
        return changeInsets(content: Self.bounded(inset), safeArea: safeAreaInsets)
    }

    /// Changes the insets that bars and notches need; the offset stays where that is in range.
    @discardableResult
    public mutating func setSafeAreaInsets(_ inset: EdgeInsets) -> ScrollEvents {
        guard inset.isFinite else { return ScrollEvents() }
        return changeInsets(content: contentInset, safeArea: Self.bounded(inset))
    }

    private mutating func changeInsets(content: EdgeInsets, safeArea: EdgeInsets) -> ScrollEvents {
        rearrange { view, events in
            let old = view.fixedInset
            view.keepBottom {
                $0.contentInset = content
                $0.safeAreaInsets = safeArea
            }
            if view.fixedInset != old { events.append(.didChangeAdjustedContentInset) }
        }
    }

    /// Changes the size of the content before zoom and rotation; scale and offset stay where they can.
    ///
    /// With `keepingPlace` it is the same picture in other pixels, as when a thumbnail gives way to the full
    /// image: scale and limits are divided by what the width grew by, and nothing is seen to move.
    @discardableResult
    public mutating func setViewSize(_ size: Size<ImageSpace>, keepingPlace: Bool = false) -> ScrollEvents {
        guard size.isFinite else { return ScrollEvents() }
        return rearrange { view, _ in
            let new = Size<ImageSpace>(width: Self.length(size.width), height: Self.length(size.height))
            guard keepingPlace, !view.viewSize.isEmpty, !new.isEmpty else {
                return view.keepBottom { $0.viewSize = new }
            }
            let factor = view.viewSize.width / new.width
            view.viewSize = new
            view.minimumZoomScale = Self.possible(view.minimumZoomScale * factor)
            view.maximumZoomScale = Self.possible(view.maximumZoomScale * factor)
            view.zoomScale = Self.possible(view.zoomScale * factor)
            view.keepOrMoveInRange(view.contentOffset)
        }
    }

    /// Changes the size of the zoomed content, before it is turned.
    ///
    /// It is another way to say the view size: the zoom scale stays.
    @discardableResult
    public mutating func setContentSize(_ size: Size<ContentSpace>) -> ScrollEvents {
        setViewSize(Size(width: size.width / zoomScale, height: size.height / zoomScale))
    }

    /// Changes where content smaller than the bounds rests.
    @discardableResult
    public mutating func setContentAlignment(_ alignment: ContentAlignment) -> ScrollEvents {
        rearrange { view, _ in view.keepBottom { $0.contentAlignment = alignment } }
    }

    /// Changes how the offset is rounded before it is seen.
    @discardableResult
    public mutating func setRounding(_ rounding: Rounding) -> ScrollEvents {
        rearrange { view, _ in view.keepBottom { $0.rounding = rounding } }
    }

    /// Changes whether the content is anchored at its bottom; becoming so, it shows its end.
    ///
    /// Reversed content that is shorter than the bounds stands at their bottom, and every change of sizes
    /// keeps its distance from the bottom instead of that from the top.
    @discardableResult
    public mutating func setReversed(_ reversed: Bool) -> ScrollEvents {
        guard reversed != isReversed else { return ScrollEvents() }
        return rearrange { view, _ in
            view.isReversed = reversed
            view.keepBottom(reversed ? 0 : view.distanceFromBottom)
        }
    }
}

extension ScrollView {
    /// Changes bounds or rotation: the middle stays in the middle, and what fitted fits again.
    @inline(never)
    private mutating func keepMiddle(_ change: (inout Self) -> Void) {
        let middle = convert(Point<ViewSpace>(x: bounds.width / 2, y: bounds.height / 2), to: ImageSpace.self)
        let fitted = fittingZoomScale
        let wasFitting = isNear(zoomScale, fitted)
        let leastWasFitting = isNear(minimumZoomScale, fitted) && canZoom
        change(&self)
        let fitting = Self.possible(fittingZoomScale)
        if leastWasFitting { minimumZoomScale = min(fitting, maximumZoomScale) }
        if !isZooming { zoomScale = limitedScale(wasFitting ? fitting : zoomScale) }
        let now = convert(middle, to: ContentSpace.self)
        keepOrMoveInRange(bounded(Point(x: now.x - bounds.width / 2, y: now.y - bounds.height / 2)))
    }

    /// Changes something else; reversed content keeps its distance from the bottom.
    private mutating func keepBottom(_ change: (inout Self) -> Void) {
        let distance = distanceFromBottom
        change(&self)
        guard isReversed else { return keepOrMoveInRange(contentOffset) }
        keepBottom(distance)
    }

    @inline(never)
    private mutating func keepBottom(_ distance: Double) {
        let y = isReversed ? maximumContentOffset.y - distance : contentOffset.y
        keepOrMoveInRange(bounded(Point(x: contentOffset.x, y: y)))
    }

    /// How far the offset is from the greatest one, along *y*.
    private var distanceFromBottom: Double { maximumContentOffset.y - contentOffset.y }

    private func isNear(_ scale: Double, _ other: Double) -> Bool {
        (scale - other).magnitude <= 1e-9 * other
    }

    private static func possible(_ scale: Double) -> Double {
        min(max(scale, possibleScales.lowerBound), possibleScales.upperBound)
    }

    private static func bounded(_ inset: EdgeInsets) -> EdgeInsets {
        let most = greatestLength
        return EdgeInsets(
            top: min(max(inset.top, -most), most), left: min(max(inset.left, -most), most),
            bottom: min(max(inset.bottom, -most), most), right: min(max(inset.right, -most), most))
    }
}

extension ScrollView {
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
        return rearrange { view, _ in
            let x = mode.alignment.x
            let y = mode.alignment.y
            view.contentAlignment = ContentAlignment(x: x, y: y)
            view.zoomScale = view.limitedScale(scale)
            let least = view.minimumContentOffset
            let greatest = view.maximumContentOffset
            view.moveInRange(
                Point(x: least.x + (greatest.x - least.x) * x, y: least.y + (greatest.y - least.y) * y))
        }
    }
}

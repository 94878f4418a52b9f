public import ViewportGeometry

extension ScrollView {
    /// Changes the size of the bounds and keeps the image point in the middle there.
    ///
    /// Where the zoom was the fitting one it becomes the new fitting one, and so does the least zoom where it
    /// was; otherwise the scale stays, within the limits. Content that cannot be zoomed keeps its scale.
    @discardableResult
    public mutating func setBounds(_ size: Size<ViewSpace>) -> ScrollEvents {
        var events = ScrollEvents()
        guard size.isFinite else { return events }
        let before = mark
        let middle = convert(Point<ViewSpace>(x: bounds.width / 2, y: bounds.height / 2), to: ImageSpace.self)
        let fromBottom = distanceFromBottom
        let fitted = fittingZoomScale
        let wasFitting = isNear(zoomScale, fitted)
        let leastWasFitting = isNear(minimumZoomScale, fitted) && minimumZoomScale < maximumZoomScale
        bounds = Size(width: Self.length(size.width), height: Self.length(size.height))
        let fitting = min(
            max(fittingZoomScale, Self.possibleScales.lowerBound), Self.possibleScales.upperBound)
        if leastWasFitting { minimumZoomScale = min(fitting, maximumZoomScale) }
        zoomScale = limitedScale(wasFitting ? fitting : zoomScale)
        let now = convert(middle, to: ContentSpace.self)
        moveInRange(bounded(Point(x: now.x - bounds.width / 2, y: now.y - bounds.height / 2)))
        keepBottom(fromBottom)
        noteChanges(since: before, in: &events)
        return events
    }

    /// Changes the insets that the program adds; the offset stays where that is in range.
    @discardableResult
    public mutating func setContentInset(_ inset: EdgeInsets) -> ScrollEvents {
        guard inset.isFinite else { return ScrollEvents() }
        return changeInsets(content: bounded(inset), safeArea: safeAreaInsets)
    }

    /// Changes the insets that bars and notches need; the offset stays where that is in range.
    @discardableResult
    public mutating func setSafeAreaInsets(_ inset: EdgeInsets) -> ScrollEvents {
        guard inset.isFinite else { return ScrollEvents() }
        return changeInsets(content: contentInset, safeArea: bounded(inset))
    }

    private mutating func changeInsets(content: EdgeInsets, safeArea: EdgeInsets) -> ScrollEvents {
        var events = ScrollEvents()
        let before = mark
        let old = fixedInset
        let fromBottom = distanceFromBottom
        contentInset = content
        safeAreaInsets = safeArea
        explanation = Explanation(self)
        moveInRange(contentOffset)
        keepBottom(fromBottom)
        if fixedInset != old { events.append(.didChangeAdjustedContentInset) }
        noteChanges(since: before, in: &events)
        return events
    }

    /// Changes the size of the content before zoom and rotation; scale and offset stay where they can.
    ///
    /// With `keepingPlace` it is the same picture in other pixels, as when a thumbnail gives way to the full
    /// image: scale and limits are divided by what the width grew by, and nothing is seen to move.
    @discardableResult
    public mutating func setViewSize(_ size: Size<ImageSpace>, keepingPlace: Bool = false) -> ScrollEvents {
        var events = ScrollEvents()
        guard size.isFinite else { return events }
        let before = mark
        let fromBottom = distanceFromBottom
        let old = viewSize
        viewSize = Size(width: Self.length(size.width), height: Self.length(size.height))
        explanation = Explanation(self)
        if keepingPlace, !old.isEmpty, !viewSize.isEmpty {
            let factor = old.width / viewSize.width
            let possible = Self.possibleScales
            minimumZoomScale = min(max(minimumZoomScale * factor, possible.lowerBound), possible.upperBound)
            maximumZoomScale = min(max(maximumZoomScale * factor, possible.lowerBound), possible.upperBound)
            zoomScale = min(max(zoomScale * factor, minimumZoomScale), maximumZoomScale)
        }
        moveInRange(contentOffset)
        if !keepingPlace { keepBottom(fromBottom) }
        noteChanges(since: before, in: &events)
        return events
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
        rearrange { $0.contentAlignment = alignment }
    }

    /// Changes how the offset is rounded before it is seen.
    @discardableResult
    public mutating func setRounding(_ rounding: Rounding) -> ScrollEvents {
        rearrange { $0.rounding = rounding }
    }

    /// Changes whether the content is anchored at its bottom; becoming so, it shows its end.
    @discardableResult
    public mutating func setReversed(_ reversed: Bool) -> ScrollEvents {
        rearrange {
            guard $0.isReversed != reversed else { return }
            $0.isReversed = reversed
            if reversed { $0.keepBottom(0) }
        }
    }

    /// Turns the content about the point in the middle of the bounds, which stays there where it can.
    ///
    /// Where the zoom was the fitting one it becomes the new fitting one, as when the bounds change.
    @discardableResult
    public mutating func setContentRotation(_ rotation: Rotation) -> ScrollEvents {
        var events = ScrollEvents()
        let before = mark
        let middle = convert(Point<ViewSpace>(x: bounds.width / 2, y: bounds.height / 2), to: ImageSpace.self)
        let fitted = fittingZoomScale
        let wasFitting = isNear(zoomScale, fitted)
        let leastWasFitting = isNear(minimumZoomScale, fitted) && minimumZoomScale < maximumZoomScale
        contentRotation = rotation
        if leastWasFitting { minimumZoomScale = min(fittingZoomScale, maximumZoomScale) }
        zoomScale = limitedScale(wasFitting ? fittingZoomScale : zoomScale)
        let now = convert(middle, to: ContentSpace.self)
        moveInRange(bounded(Point(x: now.x - bounds.width / 2, y: now.y - bounds.height / 2)))
        noteChanges(since: before, in: &events)
        return events
    }

    /// Changes something that moves the range, and the offset with it where it must.
    private mutating func rearrange(_ change: (inout Self) -> Void) -> ScrollEvents {
        var events = ScrollEvents()
        let before = mark
        change(&self)
        explanation = Explanation(self)
        moveInRange(contentOffset)
        noteChanges(since: before, in: &events)
        return events
    }

    /// How far the offset is from the greatest one, along *y*.
    private var distanceFromBottom: Double { maximumContentOffset.y - contentOffset.y }

    /// Puts reversed content back to its distance from the bottom.
    private mutating func keepBottom(_ distance: Double) {
        guard isReversed else { return }
        moveInRange(Point(x: contentOffset.x, y: maximumContentOffset.y - distance))
    }

    private func isNear(_ scale: Double, _ other: Double) -> Bool {
        (scale - other).magnitude <= 1e-9 * other
    }

    private func bounded(_ inset: EdgeInsets) -> EdgeInsets {
        let most = Self.greatestLength
        return EdgeInsets(
            top: min(max(inset.top, -most), most), left: min(max(inset.left, -most), most),
            bottom: min(max(inset.bottom, -most), most), right: min(max(inset.right, -most), most))
    }
}

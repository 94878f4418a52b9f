public import ViewportGeometry

extension ScrollView {
    /// The factor of a double tap and of a tap with two fingers.
    public static let tapZoomFactor = 2.0

    /// Zooms in by a factor of 2 about the place that was tapped; from the greatest scale back to the least.
    ///
    /// UIScrollView leaves the double tap to programs. Going in step by step suits images with many levels,
    /// and going back from the end is what every photo viewer does.
    @discardableResult
    public mutating func doubleTap(
        at point: Point<ViewSpace>, animated timing: Timing? = .standard
    ) -> ScrollEvents {
        guard canZoom, isScrollEnabled else { return ScrollEvents() }
        let isGreatest = zoomScale >= maximumZoomScale * (1 - 1e-9)
        return zoom(isGreatest ? minimumZoomScale : zoomScale * Self.tapZoomFactor, about: point, timing)
    }

    /// Zooms out by a factor of 2 about the middle of two fingers that tapped, as in Apple's TapToZoom
    /// sample.
    @discardableResult
    public mutating func twoFingerTap(
        at point: Point<ViewSpace>, animated timing: Timing? = .standard
    ) -> ScrollEvents {
        guard canZoom, isScrollEnabled else { return ScrollEvents() }
        return zoom(zoomScale / Self.tapZoomFactor, about: point, timing)
    }

    /// Zooms about a point over some time or at once.
    mutating func zoom(_ scale: Double, about point: Point<ViewSpace>?, _ timing: Timing?) -> ScrollEvents {
        guard let timing else { return setZoomScale(scale, anchor: point) }
        return setZoomScale(scale, anchor: point, animated: timing)
    }
}

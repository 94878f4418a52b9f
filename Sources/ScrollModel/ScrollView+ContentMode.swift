public import ViewportGeometry

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

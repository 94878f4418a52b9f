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

extension ContentMode {
    /// The shares of the free space left of and above the picture.
    fileprivate var alignment: (x: Double, y: Double) {
        switch self {
        case .scaleToFill, .scaleAspectFit, .scaleAspectFill, .redraw, .center: (0.5, 0.5)
        case .top: (0.5, 0)
        case .bottom: (0.5, 1)
        case .left: (0, 0.5)
        case .right: (1, 0.5)
        case .topLeft: (0, 0)
        case .topRight: (1, 0)
        case .bottomLeft: (0, 1)
        case .bottomRight: (1, 1)
        }
    }
}

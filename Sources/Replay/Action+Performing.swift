internal import ScrollModel
internal import ViewportGeometry

extension Action {
    /// Does it, and returns what that caused.
    func perform(on view: inout ScrollView) -> ScrollEvents {
        switch self {
        case .setContentOffset(let offset, let timing):
            timing.map { view.setContentOffset(offset, animated: $0) } ?? view.setContentOffset(offset)
        case .setZoomScale(let scale, let anchor, let timing):
            timing.map { view.setZoomScale(scale, anchor: anchor, animated: $0) }
                ?? view.setZoomScale(scale, anchor: anchor)
        case .zoomToRect(let rect, let timing):
            timing.map { view.zoom(to: rect, animated: $0) } ?? view.zoom(to: rect)
        case .scrollRectToVisible(let rect, let alignment, let timing):
            timing.map { view.scrollRectToVisible(rect, alignment: alignment, animated: $0) }
                ?? view.scrollRectToVisible(rect, alignment: alignment)
        case .setBounds(let size): view.setBounds(size)
        case .setContentInset(let inset): view.setContentInset(inset)
        case .setSafeAreaInsets(let inset): view.setSafeAreaInsets(inset)
        case .setViewSize(let size, let keepingPlace): view.setViewSize(size, keepingPlace: keepingPlace)
        case .setContentSize(let size): view.setContentSize(size)
        case .setContentRotation(let rotation): view.setContentRotation(rotation)
        case .setZoomLimits(let least, let greatest): view.setZoomLimits(minimum: least, maximum: greatest)
        case .touches(let touches, let phase): view.touches(touches, phase: phase)
        case .wheel(let dx, let dy, let point, let zooms, let timing):
            view.wheel(dx: dx, dy: dy, at: point, zooms: zooms, animated: timing)
        case .doubleTap(let point, let timing): view.doubleTap(at: point, animated: timing)
        case .twoFingerTap(let point, let timing): view.twoFingerTap(at: point, animated: timing)
        case .key(let key, let timing): view.press(key, animated: timing)
        case .flyTo(let rect, let duration): view.fly(to: rect, duration: duration)
        case .advance(let seconds): view.advance(by: seconds)
        case .stop: view.stop()
        case .restore(let archive): view.restore(archive)
        case .setup, .convert, .archive, .explain, .projectedRestingState: ScrollEvents()
        }
    }

    /// Writes what the action was asked for; null for one that only does something.
    func writeResult(of view: ScrollView, to report: inout Report) {
        switch self {
        case .convert(let point, let from, let to):
            let (x, y) = view.convert(point, from: from, to: to)
            report.write([x, y])
        case .archive: report.write(archive: view.archive)
        case .explain: report.write(explanation: view.explain)
        case .projectedRestingState:
            report.write(raw: "{")
            report.write(state: view.projectedRestingState)
            report.write(raw: "}")
        default: report.write(raw: "null")
        }
    }
}

extension ScrollView {
    /// A point in one space as a point in another, by the names of the spaces.
    fileprivate func convert(
        _ point: (Double, Double), from: SpaceName, to: SpaceName
    ) -> (Double, Double) {
        let (x, y) = point
        let content: Point<ContentSpace> =
            switch from {
            case .view: convert(Point<ViewSpace>(x: x, y: y), to: ContentSpace.self)
            case .content: Point(x: x, y: y)
            case .image: convert(Point<ImageSpace>(x: x, y: y), to: ContentSpace.self)
            }
        // The same space gives the same numbers, to the last bit.
        if from == to { return point }
        switch to {
        case .view:
            let view = convert(content, to: ViewSpace.self)
            return (view.x, view.y)
        case .content: return (content.x, content.y)
        case .image:
            let image = convert(content, to: ImageSpace.self)
            return (image.x, image.y)
        }
    }
}

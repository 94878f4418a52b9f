internal import ScrollModel
internal import ViewportGeometry

/// The action of a line.
enum ScriptAction {
    case setup(ScriptSetup)
    case setContentOffset(Point<ContentSpace>, Timing?)
    case setZoomScale(Double, anchor: Point<ViewSpace>?, Timing?)
    case zoomToRect(Rect<ImageSpace>, Timing?)
    case scrollRectToVisible(Rect<ContentSpace>, RectAlignment, Timing?)
    case setBounds(Size<ViewSpace>)
    case setContentInset(EdgeInsets)
    case setSafeAreaInsets(EdgeInsets)
    case setContentInsetAdjustmentBehavior(ContentInsetAdjustmentBehavior)
    case setViewSize(Size<ImageSpace>, keepingPlace: Bool)
    case setContentSize(Size<ContentSpace>)
    case setContentRotation(Rotation)
    case setZoomLimits(minimum: Double, maximum: Double)
    case touches([Touch], TouchPhase)
    case wheel(dx: Double, dy: Double, at: Point<ViewSpace>, zooms: Bool, Timing?)
    case doubleTap(Point<ViewSpace>, Timing?)
    case twoFingerTap(Point<ViewSpace>, Timing?)
    case statusBarTap(shouldScrollToTop: Bool, Timing?)
    case key(ScrollView.Key, Timing?)
    case flyTo(Rect<ImageSpace>, duration: Double?)
    case advance(Double)
    case stop
    case convert((Double, Double), from: SpaceName, to: SpaceName)
    case archive
    case restore(ScrollView.Archive)
    case explain
    case projectedRestingState
}

/// The name of a coordinate space.
enum SpaceName: String, Decodable { case view, content, image }

/// The alignment of a rectangle.
enum RectAlignmentName: String, Decodable {
    case nearest, start, center, end

    var alignment: RectAlignment {
        switch self {
        case .nearest: .nearest
        case .start: .start
        case .center: .center
        case .end: .end
        }
    }
}

/// The phase of touches.
enum PhaseName: String, Decodable {
    case began, moved, ended, cancelled

    var phase: TouchPhase {
        switch self {
        case .began: .began
        case .moved: .moved
        case .ended: .ended
        case .cancelled: .cancelled
        }
    }
}

/// A touch as `[id, x, y]`.
struct TouchEntry: Decodable {
    let touch: Touch

    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        let id = try list.decode(Int.self)
        touch = Touch(
            id: id, location: Point(x: try list.decode(Double.self), y: try list.decode(Double.self)))
        guard list.isAtEnd else { throw MalformedLine("a touch is [id,x,y]") }
    }
}

extension ScrollView.Key {
    /// Creates a key from its name in `KeyboardEvent.key`, ignoring case.
    init?(name: String) {
        switch name.lowercased() {
        case "arrowup", "up": self = .arrowUp
        case "arrowdown", "down": self = .arrowDown
        case "arrowleft", "left": self = .arrowLeft
        case "arrowright", "right": self = .arrowRight
        case "pageup": self = .pageUp
        case "pagedown", " ", "space": self = .pageDown
        case "home": self = .home
        case "end": self = .end
        case "+", "=", "plus": self = .plus
        case "-", "_", "minus": self = .minus
        case "0", "zero": self = .zero
        default: return nil
        }
    }
}

extension ScriptAction {
    /// Performs the action and returns its events.
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
        case .setContentInsetAdjustmentBehavior(let behavior):
            view.setContentInsetAdjustmentBehavior(behavior)
        case .setViewSize(let size, let keepingPlace): view.setViewSize(size, keepingPlace: keepingPlace)
        case .setContentSize(let size): view.setContentSize(size)
        case .setContentRotation(let rotation): view.setContentRotation(rotation)
        case .setZoomLimits(let least, let greatest): view.setZoomLimits(minimum: least, maximum: greatest)
        case .touches(let touches, let phase): view.touches(touches, phase: phase)
        case .wheel(let dx, let dy, let point, let zooms, let timing):
            view.wheel(dx: dx, dy: dy, at: point, zooms: zooms, animated: timing)
        case .doubleTap(let point, let timing): view.doubleTap(at: point, animated: timing)
        case .twoFingerTap(let point, let timing): view.twoFingerTap(at: point, animated: timing)
        case .statusBarTap(let isAllowed, let timing):
            view.statusBarTap(animated: timing) { isAllowed }
        case .key(let key, let timing): view.press(key, animated: timing)
        case .flyTo(let rect, let duration): view.fly(to: rect, duration: duration)
        case .advance(let seconds): view.advance(by: seconds)
        case .stop: view.stop()
        case .restore(let archive): view.restore(archive)
        case .setup, .convert, .archive, .explain, .projectedRestingState: ScrollEvents()
        }
    }

    /// Writes the result of the action: null if it has none.
    func writeResult(of view: ScrollView, to report: inout ReplayWriter) {
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
    /// Converts a point between spaces given by name.
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
        // Exact within one space.
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

internal import ScrollModel
internal import ViewportGeometry

/// What one line of a script asks for.
enum Action {
    case setup(Setup)
    case setContentOffset(Point<ContentSpace>, Timing?)
    case setZoomScale(Double, anchor: Point<ViewSpace>?, Timing?)
    case zoomToRect(Rect<ImageSpace>, Timing?)
    case scrollRectToVisible(Rect<ContentSpace>, RectAlignment, Timing?)
    case setBounds(Size<ViewSpace>)
    case setContentInset(EdgeInsets)
    case setSafeAreaInsets(EdgeInsets)
    case setViewSize(Size<ImageSpace>, keepingPlace: Bool)
    case setContentSize(Size<ContentSpace>)
    case setContentRotation(Rotation)
    case setZoomLimits(minimum: Double, maximum: Double)
    case touches([Touch], TouchPhase)
    case wheel(dx: Double, dy: Double, at: Point<ViewSpace>, zooms: Bool, Timing?)
    case doubleTap(Point<ViewSpace>, Timing?)
    case twoFingerTap(Point<ViewSpace>, Timing?)
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

/// Where a rectangle is shown.
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

/// What happened to fingers.
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

/// A finger as `[id, x, y]`.
struct TouchEntry: Decodable {
    let touch: Touch

    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        let id = try list.decode(Int.self)
        touch = Touch(
            id: id, location: Point(x: try list.decode(Double.self), y: try list.decode(Double.self)))
        guard list.isAtEnd else { throw Complaint("a touch is [id,x,y]") }
    }
}

extension ScrollView.Key {
    /// The key of a name, in the words of a browser's `KeyboardEvent.key`, large or small.
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

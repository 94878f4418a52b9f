/// How a picture is laid into bounds of another shape: UIView's thirteen content modes.
public enum ContentMode: String, CaseIterable, Sendable {
    case scaleToFill, scaleAspectFit, scaleAspectFill, redraw
    case center, top, bottom, left, right
    case topLeft, topRight, bottomLeft, bottomRight
}

extension ContentMode {
    /// The frame of a picture of `size` laid into `bounds`; it may be larger than the bounds.
    ///
    /// Source: UIView.ContentMode. `redraw` asks UIKit to draw anew at the size of the bounds: the frame of
    /// `scaleToFill`. The modes without a scale keep one point per image point. An empty size gives an empty
    /// frame at the origin.
    public func frame(of size: Size<ImageSpace>, in bounds: Size<ViewSpace>) -> Rect<ViewSpace> {
        guard !size.isEmpty, !bounds.isEmpty else { return .zero }
        let across = bounds.width / size.width
        let down = bounds.height / size.height
        let scale: (x: Double, y: Double) =
            switch self {
            case .scaleToFill, .redraw: (across, down)
            case .scaleAspectFit: (min(across, down), min(across, down))
            case .scaleAspectFill: (max(across, down), max(across, down))
            default: (1, 1)
            }
        let width = size.width * scale.x
        let height = size.height * scale.y
        let share = alignment
        return Rect(
            x: (bounds.width - width) * share.x, y: (bounds.height - height) * share.y,
            width: width, height: height)
    }

    /// Which part of the free space lies left of and above the frame: 0, a half or 1.
    package var alignment: (x: Double, y: Double) {
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

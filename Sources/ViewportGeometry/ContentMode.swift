/// How a picture is laid into bounds of another shape: UIView's thirteen content modes.
public enum ContentMode: String, CaseIterable, Sendable {
    /// Each axis has its own scale: the picture fills the bounds exactly.
    case scaleToFill
    /// One scale, as large as the whole picture still fits.
    case scaleAspectFit
    /// One scale, as small as the picture still fills the bounds.
    case scaleAspectFill
    /// As `scaleToFill`; UIKit draws the picture anew at this size.
    case redraw
    /// Unscaled, in the middle.
    case center
    /// Unscaled, at the middle of the top edge.
    case top
    /// Unscaled, at the middle of the bottom edge.
    case bottom
    /// Unscaled, at the middle of the left edge.
    case left
    /// Unscaled, at the middle of the right edge.
    case right
    /// Unscaled, at the top-left corner.
    case topLeft
    /// Unscaled, at the top-right corner.
    case topRight
    /// Unscaled, at the bottom-left corner.
    case bottomLeft
    /// Unscaled, at the bottom-right corner.
    case bottomRight
}

extension ContentMode {
    /// The frame of a picture of `size` laid into `bounds`; it may be larger than the bounds.
    ///
    /// Source: UIView.ContentMode. `redraw` asks UIKit to draw anew at the size of the bounds: the frame of
    /// `scaleToFill`. The modes without a scale keep one point per image point. A size that is empty or not
    /// finite, and a frame that would not be finite, give the empty frame at the origin.
    public func frame(of size: Size<ImageSpace>, in bounds: Size<ViewSpace>) -> Rect<ViewSpace> {
        guard !size.isEmpty, !bounds.isEmpty, size.isFinite, bounds.isFinite else { return .zero }
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
        let frame = Rect<ViewSpace>(
            x: (bounds.width - width) * share.x, y: (bounds.height - height) * share.y,
            width: width, height: height)
        return frame.isFinite ? frame : .zero
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

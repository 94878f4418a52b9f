/// The placement of an image in bounds of another shape: UIView's thirteen content modes.
public enum ContentMode: String, CaseIterable, Sendable {
    /// Scales each axis separately, so that the image fills the bounds exactly.
    case scaleToFill
    /// Scales to the largest size at which the whole image fits.
    case scaleAspectFit
    /// Scales to the smallest size at which the image fills the bounds.
    case scaleAspectFill
    /// Same as `scaleToFill`. UIKit redraws the content at this size.
    case redraw
    /// Unscaled, centered.
    case center
    /// Unscaled, centered at the top edge.
    case top
    /// Unscaled, centered at the bottom edge.
    case bottom
    /// Unscaled, centered at the left edge.
    case left
    /// Unscaled, centered at the right edge.
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
    /// Returns the frame of an image of `size` in `bounds`.
    ///
    /// It may be larger than the bounds.
    ///
    /// `redraw` returns the frame of `scaleToFill`. Unscaled modes keep one view point per image point. The
    /// result is the empty frame at the origin if a size is empty or a number is not finite.
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

    /// The shares of the free space to the left of and above the frame: 0, 0.5 or 1.
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

#if !hasFeature(Embedded)
/// Coded as its name.
extension ContentMode: Codable {}
#endif

internal import ScrollModel
public import ViewportGeometry

/// What a user asks to see of an image, before anything of the image is known.
public struct ViewportRequest: Sendable, Equatable {
    /// The part of the image and how large it is to be seen.
    public enum Region: Sendable, Equatable {
        /// The whole image, fitted into a size without borders and never enlarged.
        case fitted(Size<ViewSpace>)
        /// The whole image at a zoom.
        case whole(zoom: Double)
        /// A rectangle at a zoom; the picture is as large as the zoomed rectangle.
        case rect(ImageRect, zoom: Double)
        /// A scroll view of a size after `zoom(to:)`.
        case zoomToRect(ImageRect, bounds: Size<ViewSpace>)
        /// A scroll view of a size, at a zoom, with an image point in the middle; nil for the image's middle.
        case center(Point<ImageSpace>?, zoom: Double, bounds: Size<ViewSpace>)
        /// A scroll view of a size, at a zoom, with this content offset.
        case offset(Point<ContentSpace>, zoom: Double, bounds: Size<ViewSpace>)
        /// The image laid into a size as UIView lays its content.
        case contentMode(ContentMode, bounds: Size<ViewSpace>)
        /// A rectangle, else the whole image, as large as a box holds it, without borders; an open side is nil.
        case fit(ImageRect?, width: Double?, height: Double?)
        /// A rectangle laid into a size as if it were the whole image.
        case rectInContentMode(ImageRect, ContentMode, bounds: Size<ViewSpace>)
    }

    public var region: Region
    public var minimumZoomScale: Double?
    public var maximumZoomScale: Double?
    /// Pixels of the picture per view point.
    public var displayScale = 1.0

    public init(_ region: Region) {
        self.region = region
    }
}

/// A rectangle of an image, in image points or as percentages of its upright size.
public enum ImageRect: Sendable, Equatable {
    case points(Rect<ImageSpace>)
    case percent(x: Double, y: Double, width: Double, height: Double)

    /// The rectangle in image points.
    public func rect(in size: Size<ImageSpace>) -> Rect<ImageSpace> {
        switch self {
        case .points(let rect):
            rect
        case .percent(let x, let y, let width, let height):
            Rect(
                x: x / 100 * size.width, y: y / 100 * size.height,
                width: width / 100 * size.width, height: height / 100 * size.height)
        }
    }
}

/// A request that has met its image.
public struct ResolvedRequest: Sendable, Equatable {
    public var viewport: Viewport
    /// View points per image point; of the two axes the smaller, where they differ.
    public var zoomScale: Double
    /// The top-left corner of the picture in content points.
    public var contentOffset: Point<ContentSpace>
    /// The part of the image that is seen, in image points; it may reach beyond the image.
    public var visibleRect: Rect<ImageSpace>
    /// The limits that were hit, as "minimumZoomScale" or "maximumContentOffset.x".
    public var limits: [String]
}

public import ScrollModel
public import ViewportGeometry

/// What is to be seen: a rectangle of the upright image and the pixels that it fills.
///
/// The rectangle may reach beyond the image; what lies there is background.
public struct Viewport: Equatable, Sendable {
    /// The part of the image that fills the picture, in image points.
    public let imageRect: Rect<ImageSpace>
    /// The size of the picture.
    public let size: PixelSize<OutputGrid>

    /// A rectangle that fills a picture; the scales of the two axes may differ.
    ///
    /// Where a pixel of the picture is exactly one of the image, the rectangle moves to whole pixels, so that
    /// pixels are shown as they are: a shift by less than a pixel would only blur them.
    public init(imageRect: Rect<ImageSpace>, size: PixelSize<OutputGrid>) {
        var rect = imageRect
        if Self.isOne(rect.width / Double(size.width)) {
            rect.origin.x = (rect.origin.x + 0.5).rounded(.down)
            rect.size.width = Double(size.width)
        }
        if Self.isOne(rect.height / Double(size.height)) {
            rect.origin.y = (rect.origin.y + 0.5).rounded(.down)
            rect.size.height = Double(size.height)
        }
        self.imageRect = rect
        self.size = size
    }

    /// A rectangle at a scale, in pixels of the picture per image point: round(width x scale) pixels wide and
    /// round(height x scale) high, one at least.
    public init(imageRect: Rect<ImageSpace>, scale: Double) {
        let size = PixelSize<OutputGrid>(
            width: Self.pixels(imageRect.width * scale), height: Self.pixels(imageRect.height * scale))
        self.init(
            imageRect: Rect(
                x: imageRect.minX, y: imageRect.minY,
                width: Double(size.width) / scale, height: Double(size.height) / scale),
            size: size)
    }

    /// What a scroll view shows, at `displayScale` pixels a view point.
    public init(_ view: ScrollView, displayScale: Double = 1) {
        let visible = view.visibleRect
        let size = PixelSize<OutputGrid>(
            width: Self.pixels(view.bounds.width * displayScale),
            height: Self.pixels(view.bounds.height * displayScale))
        let scale = view.zoomScale * displayScale
        self.init(
            imageRect: Rect(
                x: visible.minX, y: visible.minY,
                width: Double(size.width) / scale, height: Double(size.height) / scale),
            size: size)
    }

    private static func pixels(_ length: Double) -> Int {
        Int(min(max(length.rounded(.toNearestOrAwayFromZero), 1), 1e9))
    }

    private static func isOne(_ step: Double) -> Bool { abs(step - 1) < 1e-12 }
}

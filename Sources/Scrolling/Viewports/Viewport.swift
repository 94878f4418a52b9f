public import ScrollModel
public import ViewportGeometry

/// A rectangle of the upright image and the size of the picture that it fills.
///
/// The rectangle may reach beyond the image, where the picture shows background. Any values are accepted: a viewport
/// with numbers that are not finite, or an empty rectangle, is not `isValid`, and rendering it throws
/// `RenderingError.invalidViewport`.
public struct Viewport: Hashable, Codable, Sendable {
    /// The part of the image that fills the picture, in image points.
    public let imageRect: Rect<ImageSpace>
    /// The size of the picture.
    public let size: PixelSize<OutputGrid>
    /// Whether content moves by fractions of a pixel at every zoom, as frames of a film need.
    public let isSubpixel: Bool

    /// Creates a viewport of a rectangle that fills a picture; the scales of the two axes may differ.
    ///
    /// At one output pixel per image pixel, the rectangle moves to whole pixels, so that
    /// pixels are copied: a shift by less than a pixel would only blur them.
    ///
    /// - Parameter isSubpixel: whether the rectangle stays where it is, also at one output pixel per image pixel, and
    ///   pixels are interpolated at zoom 8 and above, too. In a film, content would otherwise move in steps.
    public init(imageRect: Rect<ImageSpace>, size: PixelSize<OutputGrid>, isSubpixel: Bool = false) {
        var rect = imageRect
        if !isSubpixel, Self.isOne(rect.width / Double(size.width)) {
            rect.origin.x = (rect.origin.x + 0.5).rounded(.down)
            rect.size.width = Double(size.width)
        }
        if !isSubpixel, Self.isOne(rect.height / Double(size.height)) {
            rect.origin.y = (rect.origin.y + 0.5).rounded(.down)
            rect.size.height = Double(size.height)
        }
        self.imageRect = rect
        self.size = size
        self.isSubpixel = isSubpixel
    }

    /// Creates a viewport of a rectangle at a scale.
    ///
    /// The picture has round(width x scale) by round(height x scale) pixels, at least 1 by 1. Without an area of the
    /// rectangle, or a scale above 0, the viewport is not `isValid`.
    ///
    /// - Parameters:
    ///   - scale: pixels of the picture per image point.
    ///   - isSubpixel: whether content moves by fractions of a pixel at every zoom.
    public init(imageRect: Rect<ImageSpace>, scale: Double, isSubpixel: Bool = false) {
        guard scale > 0, scale.isFinite else {
            self.init(imageRect: imageRect, size: PixelSize(width: 0, height: 0), isSubpixel: isSubpixel)
            return
        }
        let size = PixelSize<OutputGrid>(
            width: Self.pixels(imageRect.width * scale), height: Self.pixels(imageRect.height * scale))
        guard !imageRect.isEmpty else {
            self.init(imageRect: imageRect, size: size, isSubpixel: isSubpixel)
            return
        }
        self.init(
            imageRect: Rect(
                x: imageRect.minX, y: imageRect.minY,
                width: Double(size.width) / scale, height: Double(size.height) / scale),
            size: size, isSubpixel: isSubpixel)
    }

    /// Creates the viewport that a scroll view shows.
    ///
    /// - Parameters:
    ///   - displayScale: pixels of the picture per view point.
    ///   - isSubpixel: whether content moves by fractions of a pixel at every zoom.
    public init(_ view: ScrollView, displayScale: Double = 1, isSubpixel: Bool = false) {
        let visible = view.visibleRect
        let size = PixelSize<OutputGrid>(
            width: Self.pixels(view.bounds.width * displayScale),
            height: Self.pixels(view.bounds.height * displayScale))
        let scale = view.zoomScale * displayScale
        self.init(
            imageRect: Rect(
                x: visible.minX, y: visible.minY,
                width: Double(size.width) / scale, height: Double(size.height) / scale),
            size: size, isSubpixel: isSubpixel)
    }

    /// Whether it can be rendered: its rectangle is finite and has an area, and its picture has pixels.
    public var isValid: Bool {
        guard imageRect.isFinite, !imageRect.isEmpty, !size.isEmpty else { return false }
        // Steps too small or too large for exact arithmetic are invalid, too.
        let steps = [imageRect.width / Double(size.width), imageRect.height / Double(size.height)]
        return steps.allSatisfy { (1e-12...1e12).contains($0) }
            && [imageRect.minX, imageRect.minY].allSatisfy { abs($0) < 1e15 }
    }

    /// Returns the viewport of a part of its picture.
    package func part(_ rect: PixelRect<OutputGrid>) -> Viewport {
        let (x, y) = (imageRect.width / Double(size.width), imageRect.height / Double(size.height))
        return Viewport(
            imageRect: Rect(
                x: imageRect.minX + Double(rect.x) * x, y: imageRect.minY + Double(rect.y) * y,
                width: Double(rect.width) * x, height: Double(rect.height) * y),
            size: rect.size, isSubpixel: isSubpixel)
    }

    /// A length in whole pixels, 1 to 10^9.
    package static func pixels(_ length: Double) -> Int {
        guard length >= 1 else { return 1 }
        return Int(min(length.rounded(.toNearestOrAwayFromZero), 1e9))
    }

    private static func isOne(_ step: Double) -> Bool { abs(step - 1) < 1e-12 }
}

extension Viewport {
    /// Decodes a viewport, whose rectangle moves to whole pixels as by `init`; numbers must be finite.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            imageRect: try values.decode(Rect<ImageSpace>.self, forKey: .imageRect),
            size: try values.decode(PixelSize<OutputGrid>.self, forKey: .size),
            isSubpixel: try values.decodeIfPresent(Bool.self, forKey: .isSubpixel) ?? false)
    }
}

extension Viewport: CustomStringConvertible {
    /// The part and the size of its picture: "900,587.5,2048,1536 as 1024x768".
    public var description: String { "\(imageRect) as \(size)" }
}

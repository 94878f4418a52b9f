internal import ScrollModel
public import ViewportGeometry

/// A part of an image and its scale as a user specifies them, resolved when the size of the image is known.
public struct ViewportRequest: Sendable, Hashable, Codable {
    /// The part of the image and its size.
    public enum Region: Sendable, Hashable, Codable {
        /// The whole image, fitted into a size without bars and never enlarged.
        case fitted(Size<ViewSpace>)
        /// The whole image at a zoom.
        case whole(zoom: Double)
        /// A rectangle at a zoom; the picture is as large as the zoomed rectangle.
        case rect(ImageRect, zoom: Double)
        /// A scroll view of a size after `zoom(to:)`.
        case zoomToRect(ImageRect, bounds: Size<ViewSpace>)
        /// A scroll view of a size, at a zoom, centered on an image point; nil for the center of the image.
        case center(Point<ImageSpace>?, zoom: Double, bounds: Size<ViewSpace>)
        /// A scroll view of a size, at a zoom, with this content offset.
        case offset(Point<ContentSpace>, zoom: Double, bounds: Size<ViewSpace>)
        /// The image laid out in a size by a content mode of UIView.
        case contentMode(ContentMode, bounds: Size<ViewSpace>)
        /// A rectangle, or the whole image, as large as fits into a box, without bars; nil for an open side.
        case fit(ImageRect?, width: Double?, height: Double?)
        /// A rectangle laid out in a size as if it were the whole image.
        case rectInContentMode(ImageRect, ContentMode, bounds: Size<ViewSpace>)
    }

    /// The part of the image and its scale.
    public var region: Region
    /// The minimum zoom, in view points per image point; nil for none.
    ///
    /// Smaller zooms are raised to it.
    public var minimumZoomScale: Double?
    /// The maximum zoom; nil for none.
    ///
    /// Larger zooms are lowered to it.
    public var maximumZoomScale: Double?
    /// Pixels of the picture per view point.
    public var displayScale = 1.0
    /// Whether content moves by fractions of a pixel at every zoom, as frames of a film need.
    public var isSubpixel = false

    /// Creates a request without zoom limits, at one pixel per view point.
    public init(_ region: Region) {
        self.region = region
    }
}

extension ViewportRequest {
    /// Decodes a request; settings that are missing have their defaults.
    ///
    /// Throws `DecodingError` where it is not ``isValid``.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try values.decode(Region.self, forKey: .region))
        minimumZoomScale = try values.decodeIfPresent(Double.self, forKey: .minimumZoomScale)
        maximumZoomScale = try values.decodeIfPresent(Double.self, forKey: .maximumZoomScale)
        displayScale = try values.decodeIfPresent(Double.self, forKey: .displayScale) ?? displayScale
        isSubpixel = try values.decodeIfPresent(Bool.self, forKey: .isSubpixel) ?? isSubpixel
        guard isValid else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "a number is not finite, or a size, zoom or scale is not above 0"))
        }
    }
}

extension ViewportRequest.Region {
    /// Whether all numbers are finite and in range.
    fileprivate var isValid: Bool {
        switch self {
        case .fitted(let bounds), .contentMode(_, let bounds): bounds.isValid
        case .whole(let zoom): ViewportRequest.arePositive([zoom])
        case .rect(let rect, let zoom): rect.isValid && ViewportRequest.arePositive([zoom])
        case .zoomToRect(let rect, let bounds), .rectInContentMode(let rect, _, let bounds):
            rect.isValid && bounds.isValid
        case .center(let center, let zoom, let bounds):
            ViewportRequest.arePositive([zoom]) && bounds.isValid
                && [center?.x ?? 0, center?.y ?? 0].allSatisfy { abs($0) < .infinity }
        case .offset(let offset, let zoom, let bounds):
            ViewportRequest.arePositive([zoom]) && bounds.isValid
                && [offset.x, offset.y].allSatisfy { abs($0) < .infinity }
        case .fit(let rect, let width, let height):
            rect?.isValid ?? true && ViewportRequest.arePositive([width, height].compactMap(\.self))
        }
    }
}

extension Size<ViewSpace> {
    fileprivate var isValid: Bool { ViewportRequest.arePositive([width, height]) }
}

extension ImageRect {
    fileprivate var isValid: Bool {
        let (x, y, width, height) =
            switch self {
            case .points(let rect): (rect.minX, rect.minY, rect.width, rect.height)
            case .percent(let x, let y, let width, let height): (x, y, width, height)
            }
        return [x, y].allSatisfy { abs($0) < .infinity } && ViewportRequest.arePositive([width, height])
    }
}

/// A rectangle of an image, in image points or as percentages of its upright size.
public enum ImageRect: Sendable, Hashable, Codable {
    /// A rectangle in image points: upright pixels of the full resolution.
    case points(Rect<ImageSpace>)
    /// Percentages of the width and the height.
    case percent(x: Double, y: Double, width: Double, height: Double)

    /// Returns the rectangle in image points of an image of a size.
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

/// A request that was resolved for an image.
public struct ResolvedRequest: Sendable, Hashable, Codable {
    /// The viewport to render.
    public var viewport: Viewport
    /// View points per image point; the smaller one where the axes differ.
    public var zoomScale: Double
    /// The top-left corner of the picture in content points.
    public var contentOffset: Point<ContentSpace>
    /// The visible part in image points; it may reach beyond the image.
    public var visibleRect: Rect<ImageSpace>
    /// The limits that were reached, such as "minimumZoomScale" or "maximumContentOffset.x".
    public var limits: [String]
}

extension ViewportRequest {
    /// Whether all numbers are finite, and sizes, zooms and the display scale above 0.
    public var isValid: Bool {
        Self.arePositive([displayScale, minimumZoomScale ?? 1, maximumZoomScale ?? 1]) && region.isValid
    }

    fileprivate static func arePositive(_ values: [Double]) -> Bool {
        values.allSatisfy { $0 > 0 && $0.isFinite }
    }

    /// Resolves the request for an image of a size.
    ///
    /// Returns nil where a rectangle lies outside the image, the request is not `isValid`, or the image has
    /// no area.
    public func resolve(in size: Size<ImageSpace>) -> ResolvedRequest? {
        guard isValid, Self.arePositive([size.width, size.height]), let resolved = resolved(in: size),
            resolved.viewport.isValid
        else { return nil }
        return resolved
    }

    private func resolved(in size: Size<ImageSpace>) -> ResolvedRequest? {
        switch region {
        case .fitted(let bounds):
            let fitting = min(bounds.width / size.width, bounds.height / size.height, 1 / displayScale)
            return edgeToEdge(Rect(origin: .zero, size: size), zoom: fitting)
        case .whole(let zoom):
            return edgeToEdge(Rect(origin: .zero, size: size), zoom: zoom)
        case .rect(let rect, let zoom):
            let rect = rect.rect(in: size)
            return Self.intersects(rect, size) ? magnified(rect, zoom: zoom) : nil
        case .zoomToRect(let rect, let bounds):
            let rect = rect.rect(in: size)
            guard Self.intersects(rect, size) else { return nil }
            return scrolled(size, bounds) { $0.zoom(to: rect) }
        case .center(let center, let zoom, let bounds):
            let center = center ?? Rect(origin: .zero, size: size).center
            return scrolled(size, bounds) { view in
                view.setZoomScale(zoom)
            } then: { view in
                let middle = view.convert(center, to: ContentSpace.self)
                let requested = Point<ContentSpace>(
                    x: middle.x - bounds.width / 2, y: middle.y - bounds.height / 2)
                let possible = view.clampedContentOffset(requested)
                view.setContentOffset(possible)
                return Self.limits(requested, possible)
            }
        case .offset(let offset, let zoom, let bounds):
            return scrolled(size, bounds) { view in
                view.setZoomScale(zoom)
            } then: { view in
                view.setContentOffset(offset)
                return []
            }
        case .contentMode(let mode, let bounds):
            return laid(mode, Rect(origin: .zero, size: size), bounds)
        case .fit(let rect, let width, let height):
            let rect = rect?.rect(in: size) ?? Rect(origin: .zero, size: size)
            guard Self.intersects(rect, size) else { return nil }
            let factors = [width.map { $0 / rect.width }, height.map { $0 / rect.height }]
            return edgeToEdge(rect, zoom: factors.compactMap(\.self).min() ?? 1)
        case .rectInContentMode(let rect, let mode, let bounds):
            let rect = rect.rect(in: size)
            return Self.intersects(rect, size) ? laid(mode, rect, bounds) : nil
        }
    }

    private static func intersects(_ rect: Rect<ImageSpace>, _ size: Size<ImageSpace>) -> Bool {
        rect.intersection(Rect(origin: .zero, size: size)) != nil
    }

    private var zoomRange: ClosedRange<Double> {
        let minimum = minimumZoomScale ?? 1e-9
        return minimum...max(minimum, maximumZoomScale ?? 1e9)
    }

    private func clamped(_ zoom: Double) -> (zoom: Double, limits: [String]) {
        if zoom < zoomRange.lowerBound { return (zoomRange.lowerBound, ["minimumZoomScale"]) }
        if zoom > zoomRange.upperBound { return (zoomRange.upperBound, ["maximumZoomScale"]) }
        return (zoom, [])
    }

    /// Resolves to exactly a rectangle: where the zoomed size is not a whole number of pixels, each axis is scaled
    /// by the remainder, so that no row is cut or left over.
    private func edgeToEdge(_ rect: Rect<ImageSpace>, zoom: Double) -> ResolvedRequest {
        let (zoom, limits) = clamped(zoom)
        let pixels = Viewport(imageRect: rect, scale: zoom * displayScale).size
        return Self.resolved(
            Viewport(imageRect: rect, size: pixels, isSubpixel: isSubpixel), zoom, limits)
    }

    /// Resolves to a rectangle at a zoom.
    private func magnified(_ rect: Rect<ImageSpace>, zoom: Double) -> ResolvedRequest {
        let (zoom, limits) = clamped(zoom)
        return Self.resolved(
            Viewport(imageRect: rect, scale: zoom * displayScale, isSubpixel: isSubpixel), zoom, limits)
    }

    /// Resolves to the viewport of a scroll view after some operations.
    private func scrolled(
        _ size: Size<ImageSpace>, _ bounds: Size<ViewSpace>,
        _ first: (inout ScrollView) -> ScrollEvents,
        then second: (inout ScrollView) -> [String] = { _ in [] }
    ) -> ResolvedRequest {
        var view = ScrollView(bounds: bounds, viewSize: size)
        view.setContentAlignment(.center)
        view.setZoomLimits(minimum: zoomRange.lowerBound, maximum: zoomRange.upperBound)
        _ = first(&view)
        // An offset that the second operation will change is not a limit that was reached.
        var limits = view.explain.limits.names.map { "\($0)" }
        let own = second(&view)
        if case .zoomToRect = region {} else { limits = limits.filter { $0.hasSuffix("ZoomScale") } }
        return Self.resolved(
            Viewport(view, displayScale: displayScale, isSubpixel: isSubpixel), view.zoomScale, limits + own)
    }

    /// Resolves to a rectangle in bounds; modes that keep its aspect respect the zoom limits.
    private func laid(
        _ mode: ContentMode, _ rect: Rect<ImageSpace>, _ bounds: Size<ViewSpace>
    ) -> ResolvedRequest {
        let size = rect.size
        var frame = mode.frame(of: size, in: bounds)
        var limits: [String] = []
        if mode != .scaleToFill, mode != .redraw {
            let zoom: Double
            (zoom, limits) = clamped(frame.width / size.width)
            let alignment = mode == .scaleAspectFit || mode == .scaleAspectFill ? .center : mode
            frame = alignment.frame(
                of: Size(width: size.width * zoom, height: size.height * zoom), in: bounds)
        }
        let scale = (x: frame.width / size.width, y: frame.height / size.height)
        let viewport = Viewport(
            imageRect: Rect(
                x: rect.minX - frame.minX / scale.x, y: rect.minY - frame.minY / scale.y,
                width: bounds.width / scale.x, height: bounds.height / scale.y),
            size: PixelSize(
                width: Viewport.pixels(bounds.width * displayScale),
                height: Viewport.pixels(bounds.height * displayScale)),
            isSubpixel: isSubpixel)
        return Self.resolved(viewport, min(scale.x, scale.y), limits, scale: scale)
    }

    private static func limits(_ requested: Point<ContentSpace>, _ got: Point<ContentSpace>) -> [String] {
        // Differences below a thousandth of a point are rounding.
        func names(_ requested: Double, _ got: Double, _ axis: String) -> [String] {
            if got > requested + 1e-3 { return ["minimumContentOffset.\(axis)"] }
            return got < requested - 1e-3 ? ["maximumContentOffset.\(axis)"] : []
        }
        return names(requested.x, got.x, "x") + names(requested.y, got.y, "y")
    }

    private static func resolved(
        _ viewport: Viewport, _ zoom: Double, _ limits: [String], scale: (x: Double, y: Double)? = nil
    ) -> ResolvedRequest {
        let rect = viewport.imageRect
        return ResolvedRequest(
            viewport: viewport, zoomScale: zoom,
            contentOffset: Point(x: rect.minX * (scale?.x ?? zoom), y: rect.minY * (scale?.y ?? zoom)),
            visibleRect: rect, limits: limits)
    }
}

extension ResolvedRequest: CustomStringConvertible {
    /// The viewport, the zoom and the limits that were reached: "0,0,2048,1536 as 1024x768, zoom 0.5".
    public var description: String {
        "\(viewport), zoom \(zoomScale)"
            + (limits.isEmpty ? "" : ", hit \(limits.joined(separator: ", "))")
    }
}

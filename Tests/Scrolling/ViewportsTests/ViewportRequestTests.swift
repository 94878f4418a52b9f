import Testing
import ViewportGeometry
import Viewports

@Suite("A request")
struct ViewportRequestTests {
    static let size = Size<ImageSpace>(width: 20000, height: 15000)
    static let bounds = Size<ViewSpace>(width: 1024, height: 768)

    static func resolve(
        _ region: ViewportRequest.Region, size: Size<ImageSpace> = size,
        _ change: (inout ViewportRequest) -> Void = { _ in }
    ) -> ResolvedRequest? {
        var request = ViewportRequest(region)
        change(&request)
        return request.resolve(in: size)
    }

    @Test(
        "for a rectangle at a zoom gives round(W x Z) by round(H x Z) pixels",
        arguments: [
            (1024.0, 768.0, 2.0, 2048, 1536), (100, 50, 1, 100, 50), (100.4, 50.6, 1, 100, 51),
            (3, 3, 0.5, 2, 2),
            (10, 10, 0.01, 1, 1), (333, 333, 1.5, 500, 500),
        ])
    func rect(_ width: Double, _ height: Double, _ zoom: Double, _ pixels: Int, _ rows: Int) throws {
        let resolved = try #require(
            Self.resolve(.rect(.points(Rect(x: 9000, y: 7000, width: width, height: height)), zoom: zoom)))
        #expect(resolved.viewport.size == PixelSize(width: pixels, height: rows))
        #expect(resolved.zoomScale == zoom)
        #expect(resolved.limits == [])
        #expect(abs(resolved.visibleRect.width - Double(pixels) / zoom) < 1e-9)
    }

    @Test("with a rectangle and a size is zoom(to:)")
    func zoomToRect() throws {
        let resolved = try #require(
            Self.resolve(
                .zoomToRect(.points(Rect(x: 9000, y: 7000, width: 3000, height: 1000)), bounds: Self.bounds)))
        // z = min(1024/3000, 768/1000), o = center x z - bounds/2: the formula of UIScrollView.
        #expect(abs(resolved.zoomScale - 1024.0 / 3000) < 1e-15)
        #expect(abs(resolved.contentOffset.x - 3072) < 1e-9)
        #expect(abs(resolved.contentOffset.y - 2176) < 1e-9)
        #expect(resolved.viewport.size == PixelSize(width: 1024, height: 768))
    }

    @Test("for a rectangle at the edge is clamped to the range, and reports that")
    func clampedRect() throws {
        let resolved = try #require(
            Self.resolve(
                .zoomToRect(.points(Rect(x: 0, y: 14000, width: 1000, height: 1000)), bounds: Self.bounds)))
        #expect(resolved.limits == ["minimumContentOffset.x"])
        #expect(resolved.contentOffset.x == 0)
        #expect(resolved.visibleRect.maxY <= 15000.0001)
    }

    @Test("in percent is the same rectangle")
    func percent() {
        let percent = Self.resolve(.rect(.percent(x: 10, y: 20, width: 5, height: 10), zoom: 1))
        let points = Self.resolve(.rect(.points(Rect(x: 2000, y: 3000, width: 1000, height: 1500)), zoom: 1))
        #expect(percent == points)
    }

    @Test("with a center has that point at the center")
    func center() throws {
        let resolved = try #require(
            Self.resolve(.center(Point(x: 10000, y: 7500), zoom: 0.5, bounds: Self.bounds)))
        #expect(resolved.contentOffset == Point(x: 4488, y: 3366))
        #expect(resolved.visibleRect == Rect(x: 8976, y: 6732, width: 2048, height: 1536))
    }

    @Test("with a center near a corner stays in range")
    func corner() throws {
        let resolved = try #require(Self.resolve(.center(.zero, zoom: 0.5, bounds: Self.bounds)))
        #expect(resolved.contentOffset == .zero)
        #expect(resolved.limits == ["minimumContentOffset.x", "minimumContentOffset.y"])
    }

    @Test("with an offset keeps that offset, in range or not")
    func offset() throws {
        let resolved = try #require(
            Self.resolve(.offset(Point(x: -100, y: 50), zoom: 0.5, bounds: Self.bounds)))
        #expect(resolved.contentOffset == Point(x: -100, y: 50))
        #expect(resolved.visibleRect.minX == -200)
        #expect(resolved.limits == [])
    }

    @Test(
        "clamps the zoom like a scroll view, and reports the limit",
        arguments: [
            (0.1, 0.2, 4.0, 0.2, ["minimumZoomScale"]), (9, 0.2, 4, 4, ["maximumZoomScale"]),
            (1, 0.2, 4, 1, []),
        ])
    func limits(_ zoom: Double, _ least: Double, _ most: Double, _ expected: Double, _ limits: [String])
        throws
    {
        let regions: [ViewportRequest.Region] = [
            .center(Point(x: 10000, y: 7500), zoom: zoom, bounds: Self.bounds), .whole(zoom: zoom),
            .rect(.points(Rect(x: 5000, y: 5000, width: 100, height: 100)), zoom: zoom),
        ]
        for region in regions {
            let resolved = try #require(
                Self.resolve(region) {
                    $0.minimumZoomScale = least
                    $0.maximumZoomScale = most
                })
            #expect(resolved.zoomScale == expected)
            #expect(resolved.limits == limits)
        }
    }

    @Test("in every content mode shows what UIView would", arguments: ContentMode.allCases)
    func contentMode(_ mode: ContentMode) throws {
        let image = Size<ImageSpace>(width: 200, height: 100)
        let bounds = Size<ViewSpace>(width: 120, height: 120)
        let resolved = try #require(Self.resolve(.contentMode(mode, bounds: bounds), size: image))
        let frame = mode.frame(of: image, in: bounds)
        #expect(resolved.viewport.size == PixelSize(width: 120, height: 120))
        let scale = frame.width / 200
        #expect(abs(resolved.visibleRect.minX + frame.minX / scale) < 1e-9)
        #expect(abs(resolved.visibleRect.width - 120 / scale) < 1e-9)
        #expect(abs(resolved.visibleRect.height - 120 / (frame.height / 100)) < 1e-9)
    }

    @Test("for a small image centers it")
    func small() throws {
        let resolved = try #require(
            Self.resolve(.center(nil, zoom: 1, bounds: Self.bounds), size: Size(width: 100, height: 100)))
        #expect(resolved.visibleRect == Rect(x: -462, y: -334, width: 1024, height: 768))
    }

    @Test(
        "for the whole image fits it without borders and without enlargement",
        arguments: [
            (20000.0, 15000.0, 1024, 768), (1000, 333, 1000, 333), (3, 5000, 1, 1024),
            (1024, 1024, 1024, 1024),
            (2725, 2225, 1024, 836),
        ])
    func fitted(_ width: Double, _ height: Double, _ pixels: Int, _ rows: Int) throws {
        let image = Size<ImageSpace>(width: width, height: height)
        let resolved = try #require(Self.resolve(.fitted(Size(width: 1024, height: 1024)), size: image))
        #expect(resolved.viewport.size == PixelSize(width: pixels, height: rows))
        #expect(resolved.visibleRect == Rect(origin: .zero, size: image))
    }

    /// Boxes, one side of which may be nil, and the size in pixels of an image of 20,000 x 15,000 that fits.
    static let boxes: [(width: Double?, height: Double?, pixels: Int, rows: Int)] = [
        (800, 600, 800, 600), (800, 800, 800, 600), (300, 900, 300, 225), (nil, 600, 800, 600),
        (800, nil, 800, 600),
        (1, 1, 1, 1), (40000, nil, 40000, 30000),
    ]

    @Test("that fits a box shows the whole image as large as possible", arguments: boxes)
    func box(_ width: Double?, _ height: Double?, _ pixels: Int, _ rows: Int) throws {
        let resolved = try #require(Self.resolve(.fit(nil, width: width, height: height)))
        #expect(resolved.viewport.size == PixelSize(width: pixels, height: rows))
        #expect(resolved.visibleRect == Rect(origin: .zero, size: Self.size))
        let limited = try #require(
            Self.resolve(.fit(nil, width: width, height: height)) { $0.maximumZoomScale = 0.01 })
        #expect(limited.viewport.size.width <= 200 && limited.viewport.size.height <= 150)
    }

    @Test(
        "that fits a rectangle into a box shows it and nothing else",
        arguments: [(1.0, 14999.0), (333, 77), (19000, 3)])
    func boxOfRect(_ width: Double, _ height: Double) throws {
        let rect = Rect<ImageSpace>(x: 12.5, y: 0.25, width: width, height: height)
        let resolved = try #require(Self.resolve(.fit(.points(rect), width: 640, height: 480)))
        #expect(
            abs(resolved.visibleRect.minX - rect.minX) < 1 && abs(resolved.visibleRect.maxY - rect.maxY) < 1)
        #expect(resolved.viewport.size.width <= 640 && resolved.viewport.size.height <= 480)
        #expect(resolved.viewport.size.width == 640 || resolved.viewport.size.height == 480)
        #expect(
            Self.resolve(.fit(.points(Rect(x: 1e6, y: 0, width: 9, height: 9)), width: 9, height: nil)) == nil
        )
    }

    @Test("at two pixels per point gives four times the pixels of the same view")
    func displayScale() throws {
        let one = try #require(Self.resolve(.center(nil, zoom: 0.25, bounds: Self.bounds)))
        let two = try #require(
            Self.resolve(.center(nil, zoom: 0.25, bounds: Self.bounds)) { $0.displayScale = 2 })
        #expect(two.viewport.size == PixelSize(width: 2048, height: 1536))
        #expect(two.visibleRect == one.visibleRect)
        #expect(two.contentOffset == one.contentOffset)
    }

    @Test(
        "entirely outside of the image is nil",
        arguments: [
            (20000.0, 0.0), (-101, 0), (0, 15000), (0, -100), (1e6, 1e6),
        ])
    func outside(_ x: Double, _ y: Double) {
        let rect = ImageRect.points(Rect(x: x, y: y, width: 100, height: 100))
        #expect(Self.resolve(.rect(rect, zoom: 1)) == nil)
        #expect(Self.resolve(.zoomToRect(rect, bounds: Self.bounds)) == nil)
    }
}

import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering

/// Numbers that callers should not pass, but may.
@Suite("Extreme numbers")
struct NumbersTests {
    static let odd: [Double] = [
        .nan, .infinity, -.infinity, 0, -0.0, -1, 1, 0.5, 640, 1e-300, 1e300, -1e300, 1e15, 1e18, 3e9,
        .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e-12,
    ]
    static let sizes = [0, 1, -1, 17, 640, 1 << 20, 1 << 40, .max, .min]

    struct Generator {
        var random = SplitMix64(seed: 5)
        mutating func odd() -> Double {
            NumbersTests.odd[Int(random.next() % UInt64(NumbersTests.odd.count))]
        }
        mutating func size() -> Int {
            NumbersTests.sizes[Int(random.next() % UInt64(NumbersTests.sizes.count))]
        }
        mutating func rect<S: CoordinateSpace>() -> Rect<S> {
            Rect(x: odd(), y: odd(), width: odd(), height: odd())
        }
        mutating func bounds<S: CoordinateSpace>() -> Size<S> { Size(width: odd(), height: odd()) }

        mutating func viewport() -> Viewport {
            random.next() % 2 == 0
                ? Viewport(imageRect: rect(), size: PixelSize(width: size(), height: size()))
                : Viewport(imageRect: rect(), scale: odd())
        }

        mutating func request() -> ViewportRequest {
            let mode = ContentMode.allCases[Int(random.next() % UInt64(ContentMode.allCases.count))]
            let rect: ImageRect =
                random.next() % 2 == 0
                ? .points(self.rect()) : .percent(x: odd(), y: odd(), width: odd(), height: odd())
            let regions: [ViewportRequest.Region] = [
                .fitted(bounds()), .whole(zoom: odd()), .rect(rect, zoom: odd()),
                .zoomToRect(rect, bounds: bounds()),
                .center(Point(x: odd(), y: odd()), zoom: odd(), bounds: bounds()),
                .offset(Point(x: odd(), y: odd()), zoom: odd(), bounds: bounds()),
                .contentMode(mode, bounds: bounds()), .fit(rect, width: odd(), height: odd()),
                .fit(nil, width: nil, height: odd()), .rectInContentMode(rect, mode, bounds: bounds()),
            ]
            var request = ViewportRequest(regions[Int(random.next() % UInt64(regions.count))])
            if random.next() % 3 == 0 { request.minimumZoomScale = odd() }
            if random.next() % 3 == 0 { request.maximumZoomScale = odd() }
            if random.next() % 3 == 0 { request.displayScale = odd() }
            return request
        }
    }

    @Test("in a viewport give a picture or an error, never a trap")
    func viewports() async throws {
        let source = ComputedImage(size: PixelSize(width: 640, height: 480), levelCount: 3)
        let file = try ImageFile(source: source)
        var options = RenderOptions()
        options.maximumPictureArea = 1 << 12
        options.background = Color(red: .nan, green: -3, blue: .infinity, alpha: 1)
        let renderer = ViewportRenderer(options: options)
        var generator = Generator()
        for _ in 0..<200 {
            let viewport = generator.viewport()
            do {
                let picture = try await renderer.render(viewport, of: file).picture
                #expect(viewport.isValid && picture.size == viewport.size)
            } catch is RenderingError {
            }
        }
    }

    @Test("in a request give a valid viewport or nil, never a trap")
    func requests() {
        var generator = Generator()
        var count = 0
        for _ in 0..<5000 {
            let request = generator.request()
            let size: Size<ImageSpace> =
                generator.random.next() % 4 == 0 ? generator.bounds() : Size(width: 640, height: 480)
            guard let resolved = request.resolve(in: size) else { continue }
            #expect(request.isValid && resolved.viewport.isValid)
            count += 1
        }
        #expect(count > 10)
    }
}

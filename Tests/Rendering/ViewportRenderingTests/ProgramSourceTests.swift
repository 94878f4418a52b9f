import Synchronization
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering

/// An image of any size with computed pixels: pixel (x, y) of level n is a pattern of x, y and n.
struct ComputedImage: ImageSource {
    let size: PixelSize<StoredGrid>
    let levelCount: Int
    /// The length of the longest row that was read, in bytes, and the number of rows.
    let watched = Watched()

    final class Watched: Sendable {
        let state = Mutex((rows: 0, longest: 0))
    }

    var pyramid: Pyramid {
        Pyramid(
            levels: (0..<levelCount).map { index in
                PyramidLevel(
                    index: index, size: PixelSize(width: size.width >> index, height: size.height >> index),
                    downsampleX: Double(1 << index), downsampleY: Double(1 << index))
            })
    }

    func open(_ level: PyramidLevel) -> any LevelReader { Level(level: level, watched: watched) }

    static func samples(_ x: Int, _ y: Int, _ level: Int) -> [UInt8] {
        [
            UInt8(truncatingIfNeeded: x ^ level), UInt8(truncatingIfNeeded: y),
            UInt8(truncatingIfNeeded: (x >> 8) &+ (y >> 8)),
        ]
    }

    struct Level: LevelReader {
        let level: PyramidLevel
        let watched: Watched
        var pixels: SourcePixelFormat { .rgb() }

        func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
            for y in rect.y..<rect.maxY {
                let bytes = (rect.x..<rect.maxX).flatMap { ComputedImage.samples($0, y, level.index) }
                watched.state.withLock { $0 = ($0.rows + 1, max($0.longest, bytes.count)) }
                try row(unsafe bytes.span.bytes)
            }
        }
    }
}

@Suite("An image source of a client")
struct ProgramSourceTests {
    static let huge = ComputedImage(size: PixelSize(width: 100_000, height: 100_000), levelCount: 10)

    /// A source that fails, when it is opened or behind a row.
    private struct FailingImage: ImageSource, LevelReader {
        struct Failure: Error, CustomStringConvertible { let description = "the database is away" }

        let pyramid = Pyramid(size: PixelSize(width: 64, height: 64), halvings: 0)
        let error: any Error
        var level: PyramidLevel { pyramid.full }
        var pixels: SourcePixelFormat { .gray() }

        func open(_ level: PyramidLevel) -> any LevelReader { self }

        func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
            try row(unsafe [UInt8](repeating: 9, count: rect.width).span.bytes)
            throw error
        }
    }

    @Test("arrives at the caller with the name of the image and the cause where the source fails")
    func failing() async throws {
        let viewport = Viewport(imageRect: Rect(x: 0, y: 0, width: 64, height: 64), scale: 1)
        let file = try ImageFile(source: FailingImage(error: FailingImage.Failure()), named: "slide 7")
        let failure = await #expect(throws: RenderingError.self) {
            try await ViewportRenderer().render(viewport, of: file)
        }
        #expect(failure == .unreadable(file: "slide 7", reason: "its source fails: the database is away"))
        let cancelled = try ImageFile(source: FailingImage(error: CancellationError()))
        await #expect(throws: CancellationError.self) {
            try await ViewportRenderer().render(viewport, of: cancelled)
        }
    }

    @Test(
        "is refused with a sentence that names the rectangle or the scale that has no pixels",
        arguments: [
            (Rect(x: 1, y: 2, width: 0, height: 5), 1, "the rectangle 1,2,0,5 is empty"),
            (Rect(x: 1, y: 2, width: 3, height: 0), 8, "the rectangle 1,2,3,0 is empty"),
            (Rect(x: 1, y: 2, width: 3, height: 4), 0, "its size or scale must be above 0"),
            (Rect(x: 1, y: 2, width: 3, height: 4), -1, "its size or scale must be above 0"),
            (Rect(x: 1, y: 2, width: 3, height: 4), .nan, "its size or scale must be above 0"),
            (Rect(x: .nan, y: 2, width: 3, height: 4), 1, "not finite"),
        ] as [(Rect<ImageSpace>, Double, String)])
    func empty(_ rect: Rect<ImageSpace>, _ scale: Double, _ words: String) async throws {
        let file = try ImageFile(source: Self.huge, named: "computed")
        let error = await #expect(throws: RenderingError.self) {
            try await ViewportRenderer().render(rect: rect, scale: scale, of: file)
        }
        #expect(error?.description.contains(words) == true, "\(error as Any)")
    }

    @Test(
        "is rendered exactly at every level, and only the visible part is read",
        arguments: [(0, 99_500, 0), (3, 12_345, 12_000), (9, 0, 100)], Orientation.allCases)
    func exact(_ look: (level: Int, x: Int, y: Int), _ orientation: Orientation) async throws {
        let source = ComputedImage(size: Self.huge.size, levelCount: Self.huge.levelCount)
        let file = try ImageFile(source: source, named: "computed", orientation: orientation)
        #expect(file.storedSize == source.size)
        let scale = 1 << look.level
        let stored = PixelRect<StoredGrid>(
            x: min(look.x, source.size.width / scale - 30), y: min(look.y, source.size.height / scale - 20),
            width: 30, height: 20)
        let level = PixelSize<StoredGrid>(
            width: source.size.width / scale * scale, height: source.size.height / scale * scale)
        let upright = orientation.upright(
            PixelRect(
                x: stored.x * scale, y: stored.y * scale, width: 30 * scale, height: 20 * scale),
            in: source.size)
        var options = RenderOptions()
        // Renders the pixels of a level unchanged.
        options.oversampling = 1
        let (picture, report) = try await ViewportRenderer(options: options).render(
            Viewport(
                imageRect: Rect(
                    x: Double(upright.x), y: Double(upright.y), width: Double(upright.width),
                    height: Double(upright.height)),
                scale: 1 / Double(scale)), of: file)
        #expect(report.level?.index == look.level)
        let size = orientation.uprightSize(PixelSize(width: 30, height: 20))
        #expect(picture.size == PixelSize(width: size.width, height: size.height))
        var expected: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let pixel = orientation.stored(
                    PixelRect(x: x, y: y, width: 1, height: 1), in: PixelSize(width: 30, height: 20))
                expected += ComputedImage.samples(stored.x + pixel.x, stored.y + pixel.y, look.level)
            }
        }
        #expect(level.width > 0)
        #expect(picture.bytes == expected)
        let watched = source.watched.state.withLock { $0 }
        #expect(watched.rows == 20 && watched.longest == 30 * 3)
    }

    @Test("of 10,000 megapixels is shown whole from a small level")
    func whole() async throws {
        let source = ComputedImage(size: Self.huge.size, levelCount: Self.huge.levelCount)
        let file = try ImageFile(source: source)
        let request = ViewportRequest(.fitted(Size(width: 80, height: 60)))
        let resolved = try #require(request.resolve(in: file.uprightSize.imageSize))
        let (picture, report) = try await ViewportRenderer().render(resolved.viewport, of: file)
        #expect(picture.size == PixelSize(width: 60, height: 60))
        #expect(report.level?.index == 8)
        #expect(source.watched.state.withLock { $0.longest } <= 391 * 3)
    }

    @Test("can be read in tiles, like files")
    func tiles() async throws {
        let file = try ImageFile(source: Self.huge)
        let viewport = Viewport(imageRect: Rect(x: 50_000, y: 777, width: 300, height: 200), scale: 1)
        var last: Picture?
        let refinements = ViewportRenderer().refinements(
            of: viewport, in: file, through: TileLoader(side: 64), for: TileViewer())
        for try await next in refinements { last = next.picture }
        let direct = try await ViewportRenderer().render(viewport, of: file)
        #expect(last?.bytes == direct.picture.bytes)
    }

    /// A source that violates the requirements.
    struct Broken: ImageSource, LevelReader {
        var level = PyramidLevel(
            index: 0, size: PixelSize(width: 64, height: 64), downsampleX: 1, downsampleY: 1)
        var rowBytes = 64
        var rows = 64
        var pixels: SourcePixelFormat { .gray() }
        var pyramid: Pyramid { Pyramid(levels: [level]) }

        func open(_ level: PyramidLevel) -> any LevelReader { self }

        func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
            let bytes = [UInt8](repeating: 7, count: rowBytes)
            for _ in 0..<rows { try row(unsafe bytes.span.bytes) }
        }
    }

    @Test(
        "that returns wrong rows is an error",
        arguments: [(63, 64), (65, 64), (64, 63), (64, 65)])
    func broken(_ rowBytes: Int, _ rows: Int) async throws {
        let file = try ImageFile(source: Broken(rowBytes: rowBytes, rows: rows), named: "broken")
        let viewport = Viewport(imageRect: Rect(x: 0, y: 0, width: 64, height: 64), scale: 1)
        let error = await #expect(throws: RenderingError.self) {
            try await ViewportRenderer().render(viewport, of: file)
        }
        #expect("\(error!)".hasPrefix("broken: "))
    }

    @Test(
        "without pixels, or with too many, is an error",
        arguments: [(0, 5, 1.0), (-3, 5, 1), (.max, .max, 1), (5, 5, .nan), (5, 5, 0), (5, 5, .infinity)]
            as [(Int, Int, Double)])
    func empty(_ width: Int, _ height: Int, _ step: Double) {
        let level = PyramidLevel(
            index: 0, size: PixelSize(width: width, height: height), downsampleX: step, downsampleY: step)
        #expect(throws: RenderingError.self) { try ImageFile(source: Broken(level: level)) }
    }
}

import Foundation
import Synchronization
import TestHarness
import TestSupport
import Testing
import ViewportControl
import Vips

/// A window whose pictures cost little, also without optimization.
private let stamp = Size<ViewSpace>(width: 32, height: 48)

/// An image with many levels whose reads are counted, and wait while the gate is shut.
final class GatedImage: ImageSource {
    let pyramid: Pyramid
    private let pattern: [UInt8]
    private let state: Mutex<(reads: Int, isShut: Bool)>
    private let gate = NSCondition()

    init(width: Int, height: Int, isShut: Bool = false) {
        let size = PixelSize<StoredGrid>(width: width, height: height)
        pyramid = Pyramid(
            levels: (0..<8).filter { min(width, height) >> $0 > 0 }.map { index in
                PyramidLevel(
                    index: index, size: PixelSize(width: size.width >> index, height: size.height >> index),
                    downsampleX: Double(1 << index), downsampleY: Double(1 << index))
            })
        pattern = (0..<(width + 256)).map { UInt8(truncatingIfNeeded: $0 / 8 &* 37) }
        state = Mutex((0, isShut))
    }

    var reads: Int { state.withLock(\.reads) }

    func open(_ level: PyramidLevel) -> any LevelReader { Level(level: level, image: self) }

    func open() {
        gate.lock()
        state.withLock { $0.isShut = false }
        gate.broadcast()
        gate.unlock()
    }

    private func pass() {
        state.withLock { $0.reads += 1 }
        gate.lock()
        while state.withLock(\.isShut) { gate.wait() }
        gate.unlock()
    }

    private struct Level: LevelReader {
        let level: PyramidLevel
        let image: GatedImage
        var pixels: SourcePixelFormat { .gray() }

        func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
            image.pass()
            for y in rect.y..<rect.maxY {
                let start = rect.x + y / 8 % 200
                try row(unsafe image.pattern[start..<(start + rect.width)].span.bytes)
            }
        }
    }
}

@MainActor
@Suite("A controller of an image")
struct ImageScrollViewControllerTests {
    private func file(_ width: Int, _ height: Int) throws -> ImageFile {
        try ImageFile(source: GatedImage(width: width, height: height))
    }

    private let processors = ProcessInfo.processInfo.processorCount

    /// Waits until only those tiles are left whose reads the gate holds.
    private func waitForCancellation(_ loader: TileLoader) async {
        for _ in 0..<100_000 where await loader.jobCount > processors { await Task.yield() }
        #expect(await loader.jobCount <= processors)
    }

    @Test("tests scrolling code in three lines")
    func threeLines() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("lake.png")
        try TestImages.photo(width: 640, height: 480).save(path, with: "pngsave")

        let viewer = ImageScrollViewController(path: path)
        let log = try await viewer.play(#"{"doubleTap":[0,24],"animated":false}"#, in: stamp)
        #expect(log.names == ["didScroll", "didZoom", "reachedEdge"])

        let expected = try await ViewportRenderer().render(
            Viewport(viewer.scrollView.model), of: ImageFile(path: path))
        #expect(log.pictures.map(\.bytes) == [expected.picture.bytes])
    }

    @Test(
        "shows the whole image first, as large as fits, and never smaller",
        arguments: [
            (640, 480, 0.5), (320, 480, 1), (160, 240, 2), (10, 10, 4), (1, 1, 4), (100_000, 3, 0.0032),
        ])
    func fits(width: Int, height: Int, scale: Double) throws {
        let viewer = ImageScrollViewController(try file(width, height))
        let window = Window(size: phone, root: viewer)
        #expect(viewer.scrollView.model.zoomScale == scale)
        #expect(viewer.scrollView.model.minimumZoomScale == scale)
        viewer.scrollView.perform { $0.setZoomScale(scale / 2) }
        #expect(viewer.scrollView.model.zoomScale == scale)
        let middle = viewer.scrollView.model.visibleRect.center
        #expect(abs(middle.x - Double(width) / 2) < 1e-6 && abs(middle.y - Double(height) / 2) < 1e-6)
        window.rotate()
        #expect(viewer.scrollView.model.zoomScale == viewer.scrollView.model.minimumZoomScale)
        #expect(viewer.scrollView.model.zoomScale == min(4, viewer.scrollView.model.fittingZoomScale))
    }

    @Test(
        "gives snapshots and final pictures that equal the renderer's, byte for byte", arguments: [1, 1.5, 2])
    func snapshots(displayScale: Double) async throws {
        let file = try file(5000, 4000)
        let viewer = ImageScrollViewController(file)
        viewer.displayScale = displayScale
        await #expect(throws: ViewNotLaidOut()) { try await viewer.snapshot() }
        let window = Window(size: stamp, root: viewer)
        for point in [Point<ViewSpace>(x: 20, y: 24), Point(x: 0, y: 0), Point(x: 17.3, y: 30.9)] {
            viewer.scrollView.perform { $0.doubleTap(at: point, animated: nil) }
            viewer.scrollView.perform { $0.scroll(dx: -3.7, dy: 12.1) }
            let viewport = try #require(viewer.viewport)
            let expected = try await ViewportRenderer().render(viewport, of: file).picture
            #expect(try await viewer.snapshot().bytes == expected.bytes)
            try await viewer.finishLoading()
            let shown = try #require(viewer.refinement)
            #expect(shown.isFinal && shown.picture.bytes == expected.bytes)
            #expect(shown.picture.size.width == Int((32 * displayScale).rounded()))
        }
        window.hide()
    }

    @Test("shows what is in memory first, and the exact picture in the same place last")
    func refinements() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 640, height: 480).save(folder.path("photo.jpg"), with: "jpegsave")
        let path = folder.path("photo.jpg")
        let loader = TileLoader(side: 64, minimumPixels: 640 * 480)
        let viewer = ImageScrollViewController(loader: loader) { try ImageFile(path: path) }
        var shown: [ViewportRefinement] = []
        viewer.onRefinement = { shown.append($0) }
        let window = Window(size: stamp, root: viewer)
        try await viewer.finishLoading()
        viewer.scrollView.perform { $0.setZoomScale(2) }
        try await viewer.finishLoading()
        #expect(shown.contains { !$0.isFinal })
        #expect(shown.allSatisfy { $0.picture.size == PixelSize(width: 32, height: 48) })
        #expect(try await shown.last?.picture.bytes == viewer.snapshot().bytes)
        window.hide()
    }

    @Test("replaces a thumbnail by the image in the same place", arguments: [false, true])
    func thumbnail(zoomed: Bool) async throws {
        let (small, large) = (try file(160, 120), try file(4000, 3000))
        let viewer = ImageScrollViewController(thumbnail: small) { large }
        let window = Window(size: phone, root: viewer)
        #expect(!viewer.isOpen && viewer.scrollView.model.viewSize.width == 160)
        if zoomed {
            viewer.scrollView.perform { $0.setZoomScale(3, anchor: Point(x: 20, y: 240)) }
            viewer.scrollView.perform { $0.scroll(dx: 40, dy: 3) }
        }
        let before = viewer.scrollView.model.visibleRect
        try await viewer.finishLoading()
        #expect(viewer.isOpen && viewer.scrollView.model.viewSize.width == 4000)
        let after = viewer.scrollView.model.visibleRect
        #expect(abs(after.minX - before.minX * 25) < 1e-6 && abs(after.width - before.width * 25) < 1e-6)
        #expect(abs(after.minY - before.minY * 25) < 1e-6)
        #expect(
            viewer.scrollView.model.minimumZoomScale == 0.08 && viewer.scrollView.model.maximumZoomScale == 4)
        window.hide()
    }

    @Test(
        "fits the image after a thumbnail whose aspect is rounded",
        arguments: [(160, 107, 4000, 2667), (103, 160, 2000, 3100), (104, 160, 2000, 3100), (1, 2, 20, 31)])
    func roundedThumbnail(width: Int, height: Int, fullWidth: Int, fullHeight: Int) throws {
        let viewer = ImageScrollViewController(try file(width, height))
        let window = Window(size: phone, root: viewer)
        viewer.show(try file(fullWidth, fullHeight))
        #expect(viewer.scrollView.model.zoomScale == min(4, viewer.scrollView.model.fittingZoomScale))
        #expect(viewer.scrollView.model.minimumZoomScale == viewer.scrollView.model.zoomScale)
        window.hide()
    }

    @Test("keeps its place when the device is rotated, and in a controller of another size that restores it")
    func place() throws {
        let viewer = ImageScrollViewController(try file(4000, 3000))
        #expect(viewer.archive == nil)
        let window = Window(size: phone, root: viewer)
        viewer.scrollView.perform { $0.zoom(to: Rect(x: 2100, y: 1300, width: 320, height: 480)) }
        let center = viewer.scrollView.model.visibleRect.center
        window.rotate()
        let rotated = viewer.scrollView.model.visibleRect.center
        #expect(abs(rotated.x - center.x) < 1e-6 && abs(rotated.y - center.y) < 1e-6)
        #expect(viewer.scrollView.model.zoomScale == 1)
        let archive = try JSONDecoder().decode(
            ScrollView.Archive.self, from: JSONEncoder().encode(try #require(viewer.archive)))

        let later = ImageScrollViewController(try file(4000, 3000))
        later.restore(archive)
        #expect(later.archive == archive, "kept until the image is shown")
        let tablet = Window(size: Size(width: 768, height: 1024), root: later)
        let restored = later.scrollView.model.visibleRect.center
        #expect(abs(restored.x - center.x) < 1e-6 && abs(restored.y - center.y) < 1e-6)
        #expect(abs(later.scrollView.model.archiveZoom - archive.zoom) < 1e-9)
        viewer.restore(archive)
        #expect(viewer.archive == archive)
        _ = tablet
    }

    @Test("loads while it is on screen only: it stops when it disappears, and starts again")
    func stops() async throws {
        let source = GatedImage(width: 1200, height: 1000, isShut: true)
        let loader = TileLoader(side: 16)
        let file = try ImageFile(source: source)
        let viewer = ImageScrollViewController(loader: loader) { file }
        viewer.loadViewIfNeeded()
        #expect(source.reads == 0)
        let window = Window(size: stamp, root: viewer)
        viewer.show(file)
        viewer.scrollView.perform { $0.setZoomScale(0.3) }
        while source.reads == 0 { await Task.yield() }
        window.hide()
        await waitForCancellation(loader)
        source.open()
        while await loader.jobCount > 0 { await Task.yield() }
        // What was being read is finished; the other tiles are dropped.
        let reads = source.reads
        #expect(reads <= processors)
        #expect(viewer.refinement == nil && viewer.error == nil)
        viewer.scrollView.perform { $0.setZoomScale(0.2) }
        try await viewer.finishLoading()
        #expect(source.reads == reads, "an operation off screen loads nothing")
        window.show()
        try await viewer.finishLoading()
        #expect(viewer.refinement?.isFinal == true && source.reads > reads)
        viewer.didReceiveMemoryWarning()
        #expect(viewer.refinement != nil, "what is on screen stays")
        window.hide()
        viewer.didReceiveMemoryWarning()
        #expect(viewer.refinement == nil)
    }

    @Test("is released while it loads, and ends the load")
    func released() async throws {
        let source = GatedImage(width: 1200, height: 1000, isShut: true)
        let loader = TileLoader(side: 16)
        weak var viewer: ImageScrollViewController?
        do {
            let file = try ImageFile(source: source)
            let controller = ImageScrollViewController(loader: loader) { file }
            let window = Window(size: stamp, root: controller)
            controller.show(file)
            while source.reads == 0 { await Task.yield() }
            viewer = controller
            _ = window
        }
        #expect(viewer == nil)
        await waitForCancellation(loader)
        source.open()
        while await loader.jobCount > 0 { await Task.yield() }
        #expect(source.reads <= processors)
    }

    @Test("keeps the error of an image that cannot be opened, with its path")
    func errors() async throws {
        let viewer = ImageScrollViewController(path: "/nowhere/lake.jpg")
        let window = Window(size: stamp, root: viewer)
        await #expect(throws: RenderingError.self) { try await viewer.finishLoading() }
        #expect("\(try #require(viewer.error))".contains("/nowhere/lake.jpg"))
        await #expect(throws: RenderingError.self) { try await viewer.snapshot() }
        await #expect(throws: RenderingError.self) { try await viewer.play("", in: stamp) }
        window.hide()
    }

    @Test("plays scripts of gestures: events, pictures of each frame, and errors with the line")
    func scripts() async throws {
        let viewer = ImageScrollViewController(try file(1000, 1000))
        await #expect(throws: ViewNotLaidOut()) { try await viewer.play("") }
        let window = Window(size: stamp, root: viewer)
        let heard = viewer.scrollView.events()
        let log = try await viewer.play(
            """
            {"setZoomScale":1}

            {"t":0,"touches":[[1,20,30]],"phase":"began"}
            {"t":0.1,"touches":[[1,5,30]],"phase":"moved"}
            {"t":0.5,"touches":[[1,5,30]],"phase":"ended"}
            """, framesPerSecond: 10)
        #expect(log.lines.count == 4)
        #expect(
            log.names == [
                "didScroll", "didZoom", "willBeginDragging", "didScroll", "willEndDragging", "didEndDragging",
            ])
        var events: [ScrollEvent] = []
        for await event in heard.prefix(log.events.count) { events.append(event) }
        #expect(events == log.events)
        #expect(log.pictures.count == 6)
        #expect(try await log.pictures.last?.bytes == viewer.snapshot().bytes)
        await #expect(throws: ReplayError(line: 2, reason: "unknown action \"jump\"")) {
            try await viewer.play("{\"advance\":1}\r\n{\"jump\":1}")
        }
        #expect(viewer.scrollView.model.time == 1.5, "the line before the error was played")
        try await viewer.play(#"{"setBounds":[48,32]}"#)
        #expect(window.bounds == Size(width: 48, height: 32), "a script rotates the window, too")
        try await viewer.play("", in: stamp)
        #expect(window.bounds == stamp)
        for size in [Size<ViewSpace>.zero, Size(width: .nan, height: 5), Size(width: .infinity, height: 1)] {
            let other = ImageScrollViewController(try file(10, 10))
            await #expect(throws: ViewNotLaidOut()) { try await other.play("", in: size) }
        }
    }
}

extension ScrollView {
    fileprivate var archiveZoom: Double { archive.zoom }
}

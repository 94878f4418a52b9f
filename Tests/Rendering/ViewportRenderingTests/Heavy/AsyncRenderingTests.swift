import Dispatch
import Files
import JPEGIndexing
import Synchronization
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("Rendering from tasks")
struct AsyncRenderingTests {
    @Test("gives the same picture as synchronous rendering, from any number of tasks")
    func same() async throws {
        let folder = try TemporaryFolder()
        let file = try ScalingTests.file(folder)
        let viewport = Viewport(imageRect: Rect(x: 10, y: 20, width: 300, height: 200), scale: 0.3)
        let expected = try ViewportRenderer().renderSynchronously(viewport, of: file, progress: { _ in })
            .picture.bytes
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<20 {
                group.addTask { try await ViewportRenderer().render(viewport, of: file).picture.bytes }
            }
            for try await bytes in group { #expect(bytes == expected) }
        }
    }

    @Test("stops when its task is cancelled")
    func cancelled() async throws {
        let folder = try TemporaryFolder()
        let file = try ScalingTests.file(folder)
        let viewport = Viewport(imageRect: Rect(x: 0, y: 0, width: 400, height: 300), scale: 0.9)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await ViewportRenderer().render(viewport, of: file)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// A source whose readers wait until a task beside them has slept.
    struct TaskSource: ImageSource {
        let base: any ImageSource
        var pyramid: Pyramid { base.pyramid }

        func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
            Level(reader: try base.open(level))
        }

        struct Level: LevelReader {
            struct Starved: Error {}

            let reader: any LevelReader
            var level: PyramidLevel { reader.level }
            var pixels: SourcePixelFormat { reader.pixels }

            func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
                let hasSlept = DispatchSemaphore(value: 0)
                Task.detached {
                    try await Task.sleep(for: .milliseconds(1))
                    hasSlept.signal()
                }
                guard hasSlept.wait(timeout: .now() + 60) == .success else { throw Starved() }
                try reader.read(rect, row: row)
            }
        }
    }

    @Test("lets other tasks run and sleep, however many wait for their source")
    func otherTasks() async throws {
        let folder = try TemporaryFolder()
        let file = try ScalingTests.file(folder)
        let slow = file.reading(from: TaskSource(base: file.source))
        let viewport = Viewport(imageRect: Rect(x: 0, y: 0, width: 200, height: 150), scale: 1)
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { try await ViewportRenderer().render(viewport, of: slow) } }
            for try await image in group { #expect(!image.picture.bytes.isEmpty) }
        }
    }

    /// A source that cancels the reading task after a number of rows, and counts the rows that it returns.
    final class CancellingSource: ImageSource {
        let base: any ImageSource
        let after: Int
        let rows = Atomic(0)

        init(_ base: any ImageSource, after: Int) {
            self.base = base
            self.after = after
        }

        var pyramid: Pyramid { base.pyramid }
        var nativePyramid: Pyramid { base.nativePyramid }
        var capabilities: SourceCapabilities { base.capabilities }
        func sharpeningCompensation(of level: PyramidLevel) -> Double {
            base.sharpeningCompensation(of: level)
        }

        func open(_ level: PyramidLevel) throws(RenderingError) -> any LevelReader {
            Level(reader: try base.open(level), source: self)
        }

        struct Level: LevelReader {
            let reader: any LevelReader
            let source: CancellingSource
            var level: PyramidLevel { reader.level }
            var pixels: SourcePixelFormat { reader.pixels }

            func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
                try reader.read(rect) { bytes in
                    let count = source.rows.wrappingAdd(1, ordering: .relaxed).newValue
                    if count == source.after { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
                    try row(bytes)
                }
            }
        }
    }

    @Test(
        "of every format stops at the next row when the task is cancelled",
        arguments: ["jpg", "png", "tif", "webp"], [1, 0.5, 0.11])
    func stops(_ ending: String, _ scale: Double) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.\(ending)")
        try TestImages.photo(width: 640, height: 480).save(path, oriented: .up)
        let file = try ImageFile.open(path)
        let source = CancellingSource(file.source, after: 3)
        let viewport = Viewport(imageRect: Rect(x: 0, y: 0, width: 640, height: 480), scale: scale)
        await #expect(throws: CancellationError.self) {
            try await ViewportRenderer().render(viewport, of: file.reading(from: source))
        }
        #expect(source.rows.load(ordering: .relaxed) == 3)
    }

    @Test(
        "of a progressive JPEG stops at the next row when the task is cancelled", arguments: [1, 0.5, 0.11])
    func scans(_ scale: Double) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.jpg")
        try TestImages.photo(width: 640, height: 480).save(path, with: "jpegsave", ["interlace": .bool(true)])
        let file = try ImageFile.open(path)
        let viewport = Viewport(imageRect: Rect(x: 0, y: 0, width: 640, height: 480), scale: scale)
        let plain = try await ViewportRenderer().render(viewport, of: file).picture.bytes
        #expect(!plain.isEmpty)
        let source = CancellingSource(file.source, after: 3)
        await #expect(throws: CancellationError.self) {
            try await ViewportRenderer().render(viewport, of: file.reading(from: source))
        }
        #expect(source.rows.load(ordering: .relaxed) == 3)
    }

    @Test("and encoding throws when the task is cancelled", arguments: PictureFormat.installed)
    func encoding(_ format: PictureFormat) async throws {
        let folder = try TemporaryFolder()
        let file = try ScalingTests.file(folder)
        let viewport = Viewport(imageRect: Rect(x: 0, y: 0, width: 400, height: 300), scale: 1)
        let picture = try await ViewportRenderer().render(viewport, of: file).picture
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await PictureEncoder(format).encode(picture)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("makes no more rows of an enlargement after cancellation")
    func enlargement() async throws {
        let source = CancellingSource(
            ComputedImage(size: PixelSize(width: 4, height: 4), levelCount: 1), after: 4)
        let file = try ImageFile(source: source)
        let viewport = Viewport(imageRect: Rect(x: 0, y: 0, width: 4, height: 4), scale: 1000)
        await #expect(throws: CancellationError.self) {
            try await ViewportRenderer().render(viewport, of: file)
        }
    }

    @Test("reports progress up to the end of the rows")
    func progress() async throws {
        let folder = try TemporaryFolder()
        let file = try ScalingTests.file(folder)
        let shares = Mutex([Double]())
        let viewport = Viewport(imageRect: Rect(x: 0, y: 0, width: 400, height: 300), scale: 1)
        _ = try await ViewportRenderer().render(viewport, of: file) { progress in
            shares.withLock { $0.append(progress.fraction) }
        }
        let all = shares.withLock { $0 }
        #expect(
            !all.isEmpty && all == all.sorted() && all.allSatisfy { (0...1).contains($0) } && all.last == 1)
    }

    @Test(
        "reads at most 0.5 MB of a JPEG on each thread after cancellation",
        arguments: [1, 2])
    func scan(_ threads: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("noise.jpg")
        var random = SplitMix64(seed: 9)
        let noise = (0..<(1200 * 900 * 3)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        try VipsImage.pixels(
            noise, width: 1200, height: 900, bands: 3, format: .uint8, interpretation: "srgb"
        ).save(path, with: "jpegsave", ["Q": .int(95)])
        let file = try MemoryFile(InputFile.contents(path))
        let header = try JPEGHeader(file)
        #expect(file.count > 2 << 20)
        let looks = Atomic(0)
        let readBefore = Atomic(0)
        var rows = 0
        #expect(throws: JPEGIndexError.self) {
            try JPEGIndex(
                file, header: header, threads: threads,
                isCancelled: {
                    let look = looks.add(1, ordering: .relaxed).newValue
                    if look == 7 { readBefore.store(file.readBytes, ordering: .relaxed) }
                    return look >= 7
                }
            ) { _, _ in rows += 1 }
        }
        let read = file.readBytes - readBefore.load(ordering: .relaxed)
        #expect(read <= threads << 19, "\(read)")
        let height = header.size(at: .eighth).height
        #expect(rows > 0)
        #expect(rows <= height * (5 << 18) * threads / file.count)
        #expect(throws: JPEGIndexError.self) {
            try JPEGIndex(file, header: header, threads: threads, isCancelled: { true })
        }
    }
}

import Dispatch
import Foundation
import RenderCaching
import Synchronization
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("A pyramid cache")
struct PyramidCacheTests {
    static func cache(
        _ folder: TemporaryFolder, minimumPixels: Int = 1, averagedPixels: Int = 1 << 22
    ) -> PyramidCache {
        var policy = PyramidPolicy()
        policy.minimumPixels = minimumPixels
        policy.averagedPixels = averagedPixels
        return PyramidCache(folder: CacheFolder(path: folder.path("cache")), policy: policy)
    }

    static func photo(_ folder: TemporaryFolder, seed: UInt64 = 1) throws -> String {
        let path = folder.path("photo.tif")
        try TestImages.photo(width: 300, height: 280, seed: seed).save(path, with: "tiffsave")
        return path
    }

    /// Renders the central part of the image that fits 120 x 100 pixels.
    static func render(_ file: ImageFile, zoom: Double = 1) throws -> [UInt8] {
        let size = file.uprightSize.imageSize
        let (width, height) = (min(size.width, 120 / zoom), min(size.height, 100 / zoom))
        let rect = Rect<ImageSpace>(
            x: (size.width - width) / 2, y: (size.height - height) / 2, width: width, height: height)
        return try ViewportRenderer().renderSynchronously(
            Viewport(imageRect: rect, scale: zoom), of: file, progress: { _ in }
        ).picture.bytes
    }

    @Test("stores levels above a minimum size, and reports progress")
    func levels() async throws {
        let folder = try TemporaryFolder()
        let file = try ImageFile.open(try Self.photo(folder))
        let cache = Self.cache(folder, averagedPixels: 10_000)
        let shares = Told()
        _ = try await cache.file(file) { progress in shares.shares.withLock { $0.append(progress.fraction) } }
        // 300x280 and 150x140; 75x70 is averaged from 150x140.
        #expect(cache.folder.items().count == 2)
        let told = shares.shares.withLock { $0 }
        #expect(told == told.sorted() && told.first == 0 && told.last == 1)
    }

    @Test("builds once for concurrent requests, and reports progress")
    func coalesced() async throws {
        let folder = try TemporaryFolder()
        let file = try ImageFile.open(try Self.photo(folder))
        let cache = Self.cache(folder)
        let told = Told()
        try await withThrowingTaskGroup(of: String.self) { group in
            for waiter in 0..<20 {
                group.addTask {
                    try await cache.file(file) { _ in told.waiters.withLock { _ = $0.insert(waiter) } }
                        .reading
                }
            }
            for try await reading in group { #expect(reading.hasPrefix("pyramid")) }
        }
        #expect(await cache.buildCount == 1)
        #expect(!told.waiters.withLock { $0 }.isEmpty)
        #expect(cache.existing(file) != nil)
    }

    @Test("builds once for several caches of one folder, like those of several processes")
    func shared() async throws {
        let folder = try TemporaryFolder()
        let file = try ImageFile.open(try Self.photo(folder))
        let caches = (0..<4).map { _ in Self.cache(folder) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for cache in caches { group.addTask { _ = try await cache.file(file) } }
            try await group.waitForAll()
        }
        var builds = 0
        for cache in caches { builds += await cache.buildCount }
        #expect(builds == 1)
    }

    @Test("builds again when the file has changed, and removes the old entry")
    func stale() async throws {
        let folder = try TemporaryFolder()
        let cache = Self.cache(folder)
        let first = try ImageFile.open(try Self.photo(folder))
        _ = try await cache.file(first)
        let second = try ImageFile.open(try Self.photo(folder, seed: 2))
        #expect(cache.existing(second) == nil)
        let cached = try await cache.file(second)
        #expect(try Self.render(cached) == Self.render(second))
        #expect(await cache.buildCount == 2)
        #expect(cache.folder.items().count == 1)
        // The file that was opened first no longer exists.
        await #expect(throws: CacheError.changed(file: first.path)) { try await cache.file(first) }
    }

    @Test("never shows pixels of a damaged entry", arguments: [0.0, 0.3, 0.6, 0.99])
    func damaged(_ place: Double) async throws {
        let folder = try TemporaryFolder()
        let cache = Self.cache(folder)
        let file = try ImageFile.open(try Self.photo(folder))
        _ = try await cache.file(file)
        let item = try #require(cache.folder.items().first)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: item.path))
        try handle.seek(toOffset: UInt64(Double(item.bytes - 600) * place))
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 300))
        try handle.close()
        #expect(cache.existing(file) == nil)
        let cached = try await cache.file(file)
        #expect(try Self.render(cached) == Self.render(file))
        #expect(await cache.buildCount == 2)
    }

    @Test("falls back to the file when an entry is damaged while it is in use")
    func damagedInUse() async throws {
        let folder = try TemporaryFolder()
        let cache = Self.cache(folder)
        let file = try ImageFile.open(try Self.photo(folder))
        let cached = try await cache.file(file)
        let item = try #require(cache.folder.items().first)
        try Data(repeating: 0, count: 1000).write(to: URL(fileURLWithPath: item.path))
        #expect(try Self.render(cached) == Self.render(file))
        #expect(cache.folder.items().isEmpty)
    }

    @Test("does not build for files that are fast or small")
    func policy() async throws {
        let folder = try TemporaryFolder()
        let photo = try TestImages.photo(width: 300, height: 280)
        try photo.save(folder.path("tiled.tif"), with: "tiffsave", ["tile": .bool(true)])
        try photo.save(folder.path("plain.jpg"), with: "jpegsave")
        try photo.save(folder.path("small.tif"), with: "tiffsave")
        for name in ["tiled.tif", "plain.jpg"] {
            let file = try ImageFile.open(folder.path(name))
            #expect(try await Self.cache(folder).file(file).reading == file.reading)
        }
        let small = try ImageFile.open(folder.path("small.tif"))
        let cache = Self.cache(folder, minimumPixels: 84_001)
        #expect(try await cache.file(small).reading == small.reading)
        #expect(await cache.buildCount == 0)
    }

    @Test("stops building when all requests are cancelled, and builds again for the next request")
    func cancelled() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("noise.tif")
        let noise = try VipsOperation("gaussnoise")
        try noise.set("width", .int(2000))
        try noise.set("height", .int(2000))
        let image = try noise.image().cast(to: .uint8).relabelled("b-w")
        try image.save(path, with: "tiffsave")
        let file = try ImageFile.open(path)
        let cache = Self.cache(folder)
        // The progress handlers block the build until the gate opens.
        let begun = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        let waiters = (0..<3).map { _ in
            Task {
                try await cache.file(file) { progress in
                    guard progress.done > 0 else { return }
                    begun.continuation.yield()
                    gate.wait()
                    gate.signal()
                }
            }
        }
        for await _ in begun.stream { break }
        while await cache.waiterCount(file) < 3 { await Task.yield() }
        for waiter in waiters {
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
        }
        gate.signal()
        #expect(await cache.waiterCount(file) == 0)
        let cached = try await cache.file(file)
        #expect(try Self.render(cached) == Self.render(file))
        #expect(await cache.buildCount == 2)
        let left = try FileManager.default.contentsOfDirectory(atPath: cache.folder.path)
        #expect(left.count == 2, "an entry and its stamp: \(left)")
    }
}

/// Records reports of progress.
private final class Told: Sendable {
    let waiters = Mutex(Set<Int>())
    let shares = Mutex([Double]())
}

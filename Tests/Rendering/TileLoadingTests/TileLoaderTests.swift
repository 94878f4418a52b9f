internal import Basics
import MemoryWatching
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("A tile loader")
struct TileLoaderTests {
    /// Returns a tiled pyramid of 640 x 480 pixels, and the source that records its reads.
    static func file(_ folder: TemporaryFolder, shut: Set<Int> = []) throws -> (ImageFile, WatchedSource) {
        let path = folder.path("pyramid.tif")
        try photo.get().save(
            path, with: "tiffsave",
            [
                "tile": .bool(true), "pyramid": .bool(true), "tile_width": .int(64), "tile_height": .int(64),
            ])
        let file = try ImageFile.open(path)
        let watched = WatchedSource(file.source, shut: shut)
        return (file.reading(from: watched), watched)
    }

    static let photo = Result { try TestImages.photo(width: 640, height: 480) }

    static func viewport(_ x: Double, _ y: Double, _ width: Double, _ height: Double, zoom: Double = 1)
        -> Viewport
    {
        Viewport(imageRect: Rect(x: x, y: y, width: width, height: height), scale: zoom)
    }

    static func waitUntilIdle(_ loader: TileLoader) async {
        while await loader.jobCount > 0 { await Task.yield() }
    }

    @Test("reads each tile once for all viewers")
    func coalesced() async throws {
        let folder = try TemporaryFolder()
        let (file, watched) = try Self.file(folder, shut: [0])
        let loader = TileLoader(side: 64)
        for _ in 0..<5 {
            try await ViewportRenderer().prefetch(
                Self.viewport(0, 0, 256, 128), of: file, through: loader, for: TileViewer())
        }
        #expect(await loader.jobCount == 8)
        watched.open()
        await Self.waitUntilIdle(loader)
        #expect(watched.reads.count == 8)
        #expect(Set(watched.reads.map { "\($0)" }).count == 8)
        #expect(loader.cache.count == 8)
    }

    @Test("reads from the center outwards")
    func centerFirst() async throws {
        let folder = try TemporaryFolder()
        let (file, watched) = try Self.file(folder, shut: [0])
        let loader = TileLoader(side: 64)
        // Squared distances of the centers in half pixels; the tiles of the last row have half the height.
        let nearest = (0..<80).map { tile in
            let (x, y) = (128 * (tile % 10) - 576, tile < 70 ? 128 * (tile / 10) - 416 : 448)
            return x * x + y * y
        }.sorted()
        try await ViewportRenderer().prefetch(
            Self.viewport(0, 0, 640, 480), of: file, through: loader, for: TileViewer())
        // Concurrent reads may begin in any order, so only one read at a time ends and the next one begins.
        for count in min(BlockingExecutor.shared.width, 80)...80 {
            while watched.reads.count < count { await Task.yield() }
            let distances = watched.reads.map { read in
                let x = 2 * read.rect.x + read.rect.width - 640
                let y = 2 * read.rect.y + read.rect.height - 480
                return x * x + y * y
            }
            #expect(distances.sorted() == Array(nearest.prefix(count)))
            watched.letOnePass()
        }
        watched.open()
        await Self.waitUntilIdle(loader)
        #expect(watched.reads.count == 80)
    }

    @Test("drops requests that a viewer no longer needs, and keeps the others")
    func givenUp() async throws {
        let folder = try TemporaryFolder()
        let (file, watched) = try Self.file(folder, shut: [0])
        let loader = TileLoader(side: 64)
        let viewer = TileViewer()
        let renderer = ViewportRenderer()
        try await renderer.prefetch(Self.viewport(0, 0, 320, 480), of: file, through: loader, for: viewer)
        #expect(await loader.jobCount == 40)
        // One column of tiles is in both viewports.
        try await renderer.prefetch(Self.viewport(256, 0, 128, 480), of: file, through: loader, for: viewer)
        #expect(await loader.jobCount == 16)
        watched.open()
        await Self.waitUntilIdle(loader)
        // Reads that had begun were not cancelled.
        let left = watched.reads.filter { $0.rect.x < 256 }
        #expect(left.count <= BlockingExecutor.shared.width)
        #expect(watched.reads.count - left.count == 16)
    }

    @Test("releases tiles off screen under a memory warning, and reads them again")
    func memoryWarning() async throws {
        let folder = try TemporaryFolder()
        let (file, watched) = try Self.file(folder)
        let memory = MemoryWatch()
        let loader = TileLoader(side: 64)
        memory.add(loader)
        let viewer = TileViewer()
        func see(_ x: Double) async throws -> [UInt8]? {
            try await ViewportRenderer().refinements(
                of: Self.viewport(x, 0, 128, 128), in: file, through: loader, for: viewer
            ).reduce(nil) { $1.picture.bytes }
        }
        let first = try await see(0)
        _ = try await see(256)
        let all = loader.cache.count
        memory.report(.warning)
        // Two by two tiles are on screen, and coarser ones that stood in for them.
        #expect(loader.cache.count >= 4 && loader.cache.count < all)
        // What is on screen was kept, also the open file.
        let reads = watched.reads.count
        _ = try await see(256)
        #expect(watched.reads.count == reads)
        await loader.releaseSources(under: .warning)
        #expect(await loader.sourceCount == 1)
        #expect(try await see(0) == first)
        #expect(watched.reads.count > reads)
        memory.report(.critical)
        await loader.releaseSources(under: .critical)
        #expect(await loader.sourceCount == 0 && loader.cache.count == 0)
        #expect(try await see(0) == first)
    }

    @Test("reads no more tiles for a viewer whose requests were cancelled")
    func left() async throws {
        let folder = try TemporaryFolder()
        let (file, watched) = try Self.file(folder, shut: [0])
        let loader = TileLoader(side: 64)
        let viewer = TileViewer()
        try await ViewportRenderer().prefetch(
            Self.viewport(0, 0, 640, 480), of: file, through: loader, for: viewer)
        await loader.cancelRequests(of: viewer)
        #expect(await loader.jobCount == 0)
        watched.open()
        let last = try await ViewportRenderer().refinements(
            of: Self.viewport(0, 0, 10, 10), in: file, through: loader, for: viewer
        ).reduce(nil) { $1 }
        #expect(last?.isFinal == true)
        #expect(watched.reads.count <= BlockingExecutor.shared.width + 1)
    }

    @Test("stays within the capacity of its cache for any viewports")
    func bounded() async throws {
        let folder = try TemporaryFolder()
        let (file, _) = try Self.file(folder)
        let cache = TileCache(capacity: 20 * (64 * 64 * 3 + 256))
        let loader = TileLoader(cache: cache, side: 64)
        var random = SplitMix64(seed: 3)
        for _ in 0..<20 {
            let viewport = Self.viewport(
                Double(random.next() % 500), Double(random.next() % 400), 100, 60)
            var last: ViewportRefinement?
            for try await next in ViewportRenderer().refinements(
                of: viewport, in: file, through: loader, for: TileViewer())
            {
                last = next
            }
            #expect(cache.byteCount <= cache.capacity)
            let direct = try await ViewportRenderer().render(viewport, of: file).picture
            #expect(last?.picture.bytes == direct.bytes)
        }
    }
}

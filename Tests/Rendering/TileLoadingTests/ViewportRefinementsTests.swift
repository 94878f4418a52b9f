internal import Basics
import Foundation
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@Suite("Refinements of a viewport")
struct ViewportRefinementsTests {
    /// The positions, zooms and tile sizes of viewports.
    static let looks: [(Double, Double, Double, Int)] = [
        (0, 0, 1, 64), (313.7, 211.2, 1, 256), (100, 50, 2.3, 64), (-30, -20, 1, 64), (37.3, 11.1, 0.41, 64),
        (0, 0, 0.2, 32), (600, 440, 9, 64),
    ]

    static func all(
        _ viewport: Viewport, _ file: ImageFile, _ loader: TileLoader = TileLoader(side: 64)
    ) async throws -> [ViewportRefinement] {
        var all: [ViewportRefinement] = []
        for try await next in ViewportRenderer().refinements(
            of: viewport, in: file, through: loader, for: TileViewer())
        {
            all.append(next)
        }
        return all
    }

    @Test("end with exactly the picture of a render", arguments: looks.indices)
    func exact(_ index: Int) async throws {
        let folder = try TemporaryFolder()
        let (x, y, zoom, side) = Self.looks[index]
        let (file, _) = try TileLoaderTests.file(folder)
        let viewport = Viewport(
            imageRect: Rect(x: x, y: y, width: 120 / zoom, height: 90 / zoom),
            size: PixelSize(width: 120, height: 90))
        let all = try await Self.all(viewport, file, TileLoader(side: side))
        let direct = try await ViewportRenderer().render(viewport, of: file)
        #expect(all.last?.picture.bytes == direct.picture.bytes)
        #expect(all.map(\.isFinal) == Array(repeating: false, count: all.count - 1) + [true])
        #expect(all.map(\.share) == all.map(\.share).sorted())
        #expect(all.allSatisfy { $0.picture.size == viewport.size })
    }

    @Test("end exactly in every orientation", arguments: Orientation.allCases)
    func turned(_ orientation: Orientation) async throws {
        let folder = try TemporaryFolder()
        _ = try TileLoaderTests.file(folder)
        var options = OpenOptions()
        options.turn = orientation
        let file = try ImageFile.open(folder.path("pyramid.tif"), options)
        let viewport = Viewport(imageRect: Rect(x: 31, y: 77, width: 250, height: 190), scale: 0.43)
        let direct = try await ViewportRenderer().render(viewport, of: file)
        #expect(try await Self.all(viewport, file).last?.picture.bytes == direct.picture.bytes)
    }

    @Test("begin with a coarse level scaled up, at the right position, and get no worse")
    func coarse() async throws {
        let folder = try TemporaryFolder()
        let (file, watched) = try TileLoaderTests.file(folder, shut: [0])
        let viewport = TileLoaderTests.viewport(130, 70, 300, 240)
        let plain = try ImageFile.open(folder.path("pyramid.tif"))
        func picture(movedBy x: Double, _ y: Double) throws -> [UInt8] {
            let viewport = TileLoaderTests.viewport(130 + x, 70 + y, 300, 240)
            return try ViewportRenderer().renderSynchronously(viewport, of: plain, progress: { _ in }).picture
                .bytes
        }
        let exact = try picture(movedBy: 0, 0)
        var qualities: [Double] = []
        for try await next in ViewportRenderer().refinements(
            of: viewport, in: file, through: TileLoader(side: 64), for: TileViewer())
        {
            if qualities.isEmpty {
                // Moved by two pixels in any direction, it is less similar.
                let here = Comparing.psnr(next.picture.bytes, exact)
                for (x, y) in [(2.0, 0.0), (-2, 0), (0, 2), (0, -2)] {
                    #expect(Comparing.psnr(next.picture.bytes, try picture(movedBy: x, y)) < here)
                }
            }
            qualities.append(Comparing.psnr(next.picture.bytes, exact))
            #expect(qualities.count > 1 || !next.isFinal)
            // Full resolution can be read only after the first refinement.
            watched.open()
        }
        #expect(qualities.count >= 2)
        #expect(qualities[0] > 20)
        #expect(qualities.last == 99)
        for (a, b) in zip(qualities, qualities.dropFirst()) { #expect(b >= a - 0.01) }
    }

    @Test("show tiles in memory immediately")
    func warm() async throws {
        let folder = try TemporaryFolder()
        let (file, watched) = try TileLoaderTests.file(folder)
        let loader = TileLoader(side: 64)
        let viewport = TileLoaderTests.viewport(130, 70, 300, 240)
        _ = try await Self.all(viewport, file, loader)
        let reads = watched.reads.count
        let again = try await Self.all(viewport, file, loader)
        #expect(again.count == 1 && again[0].isFinal)
        #expect(watched.reads.count == reads)
    }

    @Test("are only the final one if tiles are not worthwhile", arguments: ["png", "jpg"])
    func direct(_ ending: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.\(ending)")
        try TileLoaderTests.photo.get().save(path, oriented: .up)
        let file = try ImageFile.open(path)
        let viewport = TileLoaderTests.viewport(130, 70, 100, 80)
        let all = try await Self.all(viewport, file)
        #expect(all.count == 1 && all[0].isFinal)
        #expect(try await ViewportRenderer().render(viewport, of: file).picture.bytes == all[0].picture.bytes)
    }

    @Test("end with an error when the viewer shows another viewport or the task is cancelled")
    func replaced() async throws {
        let folder = try TemporaryFolder()
        let (file, watched) = try TileLoaderTests.file(folder, shut: [0, 1, 2, 3])
        let loader = TileLoader(side: 64)
        let viewer = TileViewer()
        let first = Task {
            try await ViewportRenderer().refinements(
                of: TileLoaderTests.viewport(0, 0, 200, 200), in: file, through: loader, for: viewer
            ).reduce(0) { count, _ in count + 1 }
        }
        while await loader.jobCount == 0 { await Task.yield() }
        let second = Task {
            try await ViewportRenderer().refinements(
                of: TileLoaderTests.viewport(400, 200, 200, 200), in: file, through: loader, for: viewer
            ).reduce(0) { count, _ in count + 1 }
        }
        await #expect(throws: CancellationError.self) { try await first.value }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        watched.open()
        await TileLoaderTests.waitUntilIdle(loader)
        #expect(watched.reads.count <= 2 * BlockingExecutor.shared.width)
    }

    /// Returns a JPEG, and a loader that treats it as large.
    static func largeJPEG(_ folder: TemporaryFolder) throws -> (file: ImageFile, loader: TileLoader) {
        let path = folder.path("photo.jpg")
        try TileLoaderTests.photo.get().save(path, with: "jpegsave")
        return (try ImageFile.open(path), TileLoader(side: 64, minimumPixels: 640 * 480))
    }

    @Test("of a large JPEG begin with its overview and end exactly")
    func overview() async throws {
        let folder = try TemporaryFolder()
        let (file, loader) = try Self.largeJPEG(folder)
        let viewport = TileLoaderTests.viewport(130, 70, 300, 240)
        let direct = try await ViewportRenderer().render(viewport, of: file)
        let all = try await Self.all(viewport, file, loader)
        #expect(all.count >= 2)
        #expect(all.map(\.isFinal) == Array(repeating: false, count: all.count - 1) + [true])
        // The first refinement is the overview scaled up, without pixels of full resolution.
        #expect(all[0].share == 0)
        #expect(Comparing.psnr(all[0].picture.bytes, direct.picture.bytes) > 18)
        #expect(all.last?.picture.bytes == direct.picture.bytes)
        // The overview is in memory now, for every viewport of the file.
        let next = TileLoaderTests.viewport(420, 300, 200, 150)
        let others = try await Self.all(next, file, loader)
        #expect(others.count >= 2 && others[0].share < 1)
        #expect(
            try await ViewportRenderer().render(next, of: file).picture.bytes == others.last?.picture.bytes)
    }

    @Test("of a large JPEG at a small zoom end exactly", arguments: [0.06, 0.11])
    func distance(_ zoom: Double) async throws {
        let folder = try TemporaryFolder()
        let (file, loader) = try Self.largeJPEG(folder)
        let viewport = TileLoaderTests.viewport(0, 0, 640, 480, zoom: zoom)
        let all = try await Self.all(viewport, file, loader)
        let direct = try await ViewportRenderer().render(viewport, of: file)
        #expect(all.last?.isFinal == true)
        #expect(all.last?.picture.bytes == direct.picture.bytes)
    }

    @Test("of a damaged large JPEG end with the picture of a render, or fail like it")
    func broken() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.jpg")
        try TileLoaderTests.photo.get().save(path, with: "jpegsave")
        var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        for index in (bytes.count / 2)..<(bytes.count / 2 + 400) { bytes[index] = 0x55 }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let file = try ImageFile.open(path)
        let viewport = TileLoaderTests.viewport(0, 0, 200, 100)
        let all = try? await Self.all(viewport, file, TileLoader(side: 64, minimumPixels: 1))
        let direct = try? await ViewportRenderer().render(viewport, of: file)
        #expect(all?.last?.picture.bytes == direct?.picture.bytes)
    }

    @Test("use prefetched tiles from the cache, which are read in one pass", arguments: ["tif", "jpg"])
    func prefetched(_ ending: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.\(ending)")
        try TileLoaderTests.photo.get().save(path, with: ending == "tif" ? "tiffsave" : "jpegsave")
        let plain = try ImageFile.open(path)
        // Reads with the index of a JPEG do not use the watched source.
        let watched = WatchedSource(plain.source)
        let file = ending == "tif" ? plain.reading(from: watched) : plain
        let loader = TileLoader(side: 64, minimumPixels: 640 * 480)
        let viewer = TileViewer()
        let viewport = TileLoaderTests.viewport(130, 70, 300, 240)
        try await ViewportRenderer().prefetch(viewport, of: file, through: loader, for: viewer)
        await TileLoaderTests.waitUntilIdle(loader)
        // Columns 2 to 6 and rows 1 to 4.
        #expect(loader.cache.count >= 20)
        if ending == "tif" { #expect(watched.reads.count == 1) }
        let all = try await Self.all(viewport, file, loader)
        #expect(all.count == 1 && all[0].isFinal)
        if ending == "tif" { #expect(watched.reads.count == 1) }
        #expect(
            try await ViewportRenderer().render(viewport, of: plain).picture.bytes == all[0].picture.bytes)
    }

    @Test("of an image that is read from the top show its coarser tiles first")
    func sequential() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("photo.png")
        try TileLoaderTests.photo.get().save(path, with: "pngsave")
        let file = try ImageFile.open(path)
        let loader = TileLoader(side: 64, minimumPixels: 640 * 480)
        let whole = TileLoaderTests.viewport(0, 0, 640, 480, zoom: 0.2)
        #expect(try await Self.all(whole, file, loader).count == 1)
        let viewport = TileLoaderTests.viewport(130, 70, 300, 240)
        let all = try await Self.all(viewport, file, loader)
        // Tiles that arrive one after the other may be shown meanwhile.
        #expect(all.count > 1)
        #expect(all.map(\.isFinal) == Array(repeating: false, count: all.count - 1) + [true])
        let direct = try await ViewportRenderer().render(viewport, of: file)
        #expect(all.last?.picture.bytes == direct.picture.bytes)
    }
}

import Benchmark
import Peers
import BenchmarkSupport
import ViewportGeometry
import ViewportRendering

// The closures of benchmarks run in every iteration; the files they read are opened once.

/// A pyramid TIFF that libvips makes and reads.
enum Pyramid: String, CaseIterable {
    /// The output of `vips tiffsave --tile --pyramid --compression jpeg`: chroma is halved.
    case usual = "JPEG tiles"
    /// The same with `--Q 90`: full chroma, the size of pyramids that look like the original.
    case fine = "JPEG tiles of Q 90"

    fileprivate var quality: Int32 { self == .usual ? 75 : 90 }

    fileprivate var path: String {
        let source = SampleImages.path(megapixels: 300)
        return SampleImages.made(quality == 75 ? "300-pyramid.tif" : "300-pyramid-\(quality).tif") {
            peer_write_pyramid(source, $0, quality) == 0
        }
    }
}

/// An open level of a pyramid.
// Any thread may read an open libvips image.
struct PyramidLevel: @unchecked Sendable {
    /// The levels of both pyramids, from full resolution to 1/16.
    static let opened = Dictionary(
        uniqueKeysWithValues: Pyramid.allCases.map { pyramid in
            (pyramid, (0..<5).map { PyramidLevel(pyramid, index: $0) })
        })

    private let image: UnsafeMutableRawPointer
    let width: Int
    let height: Int

    private init(_ pyramid: Pyramid, index: Int) {
        precondition(peer_start(1) == 0)
        guard let image = peer_open(pyramid.path, Int32(index)) else {
            fatalError("\(pyramid.path): cannot be opened")
        }
        self.image = image
        width = Int(peer_width(image))
        height = Int(peer_height(image))
    }

    func read(_ tile: PixelRect<StoredGrid>) {
        let code = peer_crop(
            image, Int32(tile.x), Int32(tile.y), Int32(tile.width), Int32(tile.height), nil)
        precondition(code == 0)
    }
}

/// The same tiles as a server or a viewer renders them: viewports of an open file.
struct RenderedTiles: Sendable {
    static let opened = try! RenderedTiles()

    private let file: ImageFile
    private let renderer: ViewportRenderer
    private let loader = TileLoader()
    private let viewer = TileViewer()

    private init() throws {
        var options = OpenOptions()
        options.optimizesForRandomAccess = true
        file = try ImageFile(path: SampleImages.path(megapixels: 300), options: options)
        // Unchanged pixels of a level: those of the pyramid are not filtered either.
        var rendering = RenderOptions()
        rendering.oversampling = 1
        renderer = ViewportRenderer(options: rendering)
    }

    func read(_ tile: PixelRect<StoredGrid>, level: Int) throws {
        blackHole(try renderer.renderSynchronously(viewport(tile, level), of: file).picture)
    }

    /// The same through a cache of tiles in memory.
    func readThroughCache(_ tile: PixelRect<StoredGrid>, level: Int) async throws {
        let pictures = renderer.refinements(
            of: viewport(tile, level), in: file, through: loader, for: viewer)
        for try await picture in pictures where picture.isFinal { blackHole(picture.picture) }
    }

    private func viewport(_ tile: PixelRect<StoredGrid>, _ level: Int) -> Viewport {
        let factor = Double(1 << level)
        let rect = Rect<ImageSpace>(
            x: Double(tile.x) * factor, y: Double(tile.y) * factor, width: Double(tile.width) * factor,
            height: Double(tile.height) * factor)
        return Viewport(imageRect: rect, scale: 1 / factor)
    }
}

import Benchmark
import JPEGIndex
import Peers
import Turns
import ViewportGeometry
import ViewportRendering

// Benchmarks' closures run in every iteration; what they read from is opened once.

/// Tiles of a level of a pyramid TIFF, by libvips.
// An open image of libvips may be read by any thread.
struct PyramidTiles: @unchecked Sendable {
    /// The levels from full resolution down to 1/8.
    static let opened = (0..<4).map(PyramidTiles.init)

    private let image: UnsafeMutableRawPointer
    let width: Int
    let height: Int

    init(level: Int) {
        precondition(peer_start(1) == 0)
        let source = SampleImages.path(megapixels: 300)
        let pyramid = SampleImages.made("300-pyramid.tif") { peer_write_pyramid(source, $0) == 0 }
        guard let image = peer_open(pyramid, Int32(level)) else { fatalError("\(pyramid): cannot be opened") }
        self.image = image
        width = Int(peer_width(image))
        height = Int(peer_height(image))
    }

    func read(_ tile: PixelRect<ReducedGrid>) {
        let pixels = [UInt8](unsafeUninitializedCapacity: tile.width * tile.height * 3) { buffer, count in
            let (x, y) = (Int32(tile.x), Int32(tile.y))
            let code = peer_crop(image, x, y, Int32(tile.width), Int32(tile.height), buffer.baseAddress)
            precondition(code == 0)
            count = tile.width * tile.height * 3
        }
        blackHole(pixels)
    }
}

/// The same tiles from the JPEG itself: blocks by an index, decoded by libjpeg-turbo.
struct IndexedTiles: Sendable {
    static let opened = try! IndexedTiles()

    private let file: [UInt8]
    private let reader: JPEGRegionReader

    init() throws {
        let bytes = SampleImages.bytes(SampleImages.path(megapixels: 300))
        let header = try JPEGHeader(bytes.span.bytes)
        let index = try JPEGIndex(bytes.span.bytes, header: header, threads: 2)
        reader = try JPEGRegionReader(header: header, index: index)
        file = bytes
    }

    func read(_ tile: PixelRect<ReducedGrid>, at scale: JPEGScale) throws {
        let region = try reader.region(tile, at: scale, of: file.span.bytes)
        let size = region.decodedSize
        let pixels = [UInt8](unsafeUninitializedCapacity: size.width * size.height * 3) { buffer, count in
            let code = peer_decode(
                region.jpeg, region.jpeg.count, Int32(size.width), Int32(size.height), buffer.baseAddress)
            precondition(code == 0)
            count = size.width * size.height * 3
        }
        blackHole(pixels)
    }
}

/// The same tiles as a program gets them: a file that is open, viewports of it.
struct RenderedTiles: Sendable {
    static let opened = try! RenderedTiles()

    private let file: ImageFile
    private let renderer = ViewportRenderer()

    init() throws { file = try ImageFile.open(SampleImages.path(megapixels: 300)) }

    func read(_ tile: PixelRect<ReducedGrid>, scale: Double) throws {
        let rect = Rect<ImageSpace>(
            x: Double(tile.x) / scale, y: Double(tile.y) / scale, width: Double(tile.width) / scale,
            height: Double(tile.height) / scale)
        blackHole(try renderer.render(Viewport(imageRect: rect, scale: scale), of: file).picture)
    }
}

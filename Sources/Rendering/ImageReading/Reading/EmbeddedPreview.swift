internal import ImageMetadata
internal import JPEGCoding
internal import JPEGIndexing
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry

/// The EXIF thumbnail of a JPEG as a source of its pixels, for a first picture before the file itself is read.
struct EmbeddedPreview: ImageSource, LevelReader {
    let level: PyramidLevel
    let pixels: SourcePixelFormat
    private let decoded: DecodedJPEG

    /// Nil where there is no thumbnail, it cannot be decoded, or it does not show exactly the whole image.
    ///
    /// Cameras write thumbnails with bars at two sides, and programs that turn or cut images often leave the old one
    /// behind: the aspect must be the image's, to within a pixel of the thumbnail.
    init?(of source: any JPEGSource) {
        guard let exif = source.metadata.exif, let (jpeg, orientation) = ExifBlock(exif)?.preview,
            let decoder = try? JPEGDecoder(), let size = try? decoder.size(of: jpeg)
        else { return nil }
        let full = source.header.size
        let main = Exif(exif)?.orientation.map { Orientation(exif: $0) } ?? .up
        guard orientation ?? main == main, Self.isReduced(size, of: (full.width, full.height)),
            let decoded = try? decoder.decode(
                jpeg, denominator: 1, bands: source.pixels.layout.bands)
        else { return nil }
        self.decoded = decoded
        pixels = source.pixels
        level = PyramidLevel(
            index: 0, size: PixelSize(width: size.width, height: size.height),
            downsampleX: Double(full.width) / Double(size.width),
            downsampleY: Double(full.height) / Double(size.height))
    }

    /// Whether a size is another one reduced, to within the rounding of one side.
    static func isReduced(
        _ size: (width: Int, height: Int), of full: (width: Int, height: Int)
    ) -> Bool {
        guard (16...1024).contains(size.width), (16...1024).contains(size.height),
            size.width < full.width, size.height < full.height
        else { return false }
        let difference = abs(size.width * full.height - size.height * full.width)
        return difference <= max(full.width, full.height)
    }

    var pyramid: Pyramid { Pyramid(levels: [level]) }
    var description: String { "the embedded thumbnail" }

    /// A thumbnail is mostly enlarged, which needs no sharpening.
    func sharpeningCompensation(of level: PyramidLevel) -> Double { 0 }

    func open(_ level: PyramidLevel) -> any LevelReader { self }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        for y in rect.y..<rect.maxY { try decoded.withRow(y, columns: rect.x..<rect.maxX, row) }
    }
}

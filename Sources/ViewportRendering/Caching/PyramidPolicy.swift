internal import TilePyramid
internal import ViewportGeometry

/// Which sources are worth a pyramid on disk, and at which resolution.
public struct PyramidPolicy: Sendable {
    /// The pixels from which on it is worth it: below, decoding all of it takes a fraction of a second.
    public var minimumPixels = 1 << 24
    /// Whether documents and drawings are kept as pixels, too: they are drawn once instead of for every viewport.
    public var keepsDrawings = false
    /// The most pixels at which a document is drawn; closer looks are drawn from the document.
    public var maximumDrawnPixels = 1 << 26

    public init() {}

    /// The level that a pyramid of the file begins with; nil where it is not worth one.
    ///
    /// JPEGs that can be indexed are not: the index does the same for a thousandth of the disk.
    func base(of file: ImageFile) -> PyramidLevel? {
        let pyramid = file.source.pyramid
        switch file.source.access {
        case .random, .scanned:
            return nil
        case .sequential:
            return pyramid.full.size.area >= minimumPixels ? pyramid.full : nil
        case .drawn:
            return keepsDrawings ? pyramid.levels.first { $0.size.area <= maximumDrawnPixels } : nil
        }
    }
}

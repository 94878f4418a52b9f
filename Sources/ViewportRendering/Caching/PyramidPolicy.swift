internal import TilePyramid
internal import ViewportGeometry

/// Which sources are worth a pyramid on disk, and at which resolutions.
public struct PyramidPolicy: Sendable {
    /// The pixels from which on it is worth it: below, decoding all of it takes a fraction of a second.
    public var minimumPixels = 1 << 24
    /// The most pixels of a level that is averaged from the one before whenever it is needed, not kept.
    public var averagedPixels = 1 << 22
    /// Whether documents and drawings are kept as pixels, too: they are drawn once instead of for every viewport.
    public var keepsDrawings = false
    /// The most pixels at which a document is drawn; closer looks are drawn from the document.
    public var maximumDrawnPixels = 1 << 26

    public init() {}

    /// The levels that are kept of a source, the closest first; none where it is not worth it.
    ///
    /// Levels of the source's own are all kept: each of them costs about as much as the whole file. JPEGs that can
    /// be indexed keep none: the index does the same for a thousandth of the disk.
    func levels(of source: HalvedSource) -> [PyramidLevel] {
        let levels = source.pyramid.levels
        let first: PyramidLevel? =
            switch source.access {
            case .random, .scanned: nil
            case .sequential: source.pyramid.full.size.area >= minimumPixels ? source.pyramid.full : nil
            case .drawn: keepsDrawings ? levels.first { $0.size.area <= maximumDrawnPixels } : nil
            }
        guard let first else { return [] }
        return levels.filter {
            $0.index >= first.index && (source.isOwn($0) || $0.size.area > averagedPixels)
        }
    }
}

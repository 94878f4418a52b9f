internal import TilePyramid
internal import ViewportGeometry

/// The tiles of smaller levels as servers give them: each resampled from the file.
struct ExactTiles: Sendable {
    private let renderer: IIIFRenderer
    private let pyramid: TiledPyramid

    init(_ file: ImageFile, _ pyramid: TiledPyramid) {
        renderer = IIIFRenderer(file)
        self.pyramid = pyramid
    }

    /// - Precondition: the pyramid has the tile.
    func tile(_ key: TilePosition, as format: TileFormat) throws -> [UInt8] {
        guard let rect = pyramid.rect(key) else { preconditionFailure("the pyramid has no tile \(key)") }
        let region = TileRegion.region(of: rect, level: key.level, in: pyramid.full.size)
        return try renderer.make(IIIFPicture(tile: region, size: rect.size, format: format.rawValue))
    }
}

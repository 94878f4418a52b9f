internal import TilePyramid
internal import ViewportGeometry

/// The tiles of smaller levels, and whole levels, as servers give them: each resampled from the file.
struct ExactTiles: Sendable {
    private let renderer: IIIFRenderer
    private let pyramid: TiledPyramid

    init(_ file: ImageFile, _ pyramid: TiledPyramid) {
        renderer = IIIFRenderer(file)
        self.pyramid = pyramid
    }

    /// The most pixels of a whole level that is made so: those that servers give, and that memory has room for.
    private static let mostPixels = 25_000_000

    /// Whether a whole level is small enough.
    func makesWhole(_ level: Int) -> Bool { pyramid.levels[level].size.area <= Self.mostPixels }

    /// A level as one picture.
    func whole(_ level: Int, as format: TileFormat) throws -> [UInt8] {
        let full = PixelRect<UprightGrid>(
            x: 0, y: 0, width: pyramid.full.size.width, height: pyramid.full.size.height)
        let size = pyramid.levels[level].size
        return try renderer.make(IIIFPicture(tile: full, size: size, format: format.rawValue))
    }

    /// - Precondition: the pyramid has the tile.
    func tile(_ key: TilePosition, as format: TileFormat) throws -> [UInt8] {
        guard let rect = pyramid.rect(key) else { preconditionFailure("the pyramid has no tile \(key)") }
        let region = TileRegion.region(of: rect, level: key.level, in: pyramid.full.size)
        return try renderer.make(IIIFPicture(tile: region, size: rect.size, format: format.rawValue))
    }
}

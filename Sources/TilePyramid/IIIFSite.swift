public import ViewportGeometry

/// A level-0 IIIF image: a folder of files that answers every address its `info.json` promises.
public struct IIIFSite: Hashable, Sendable {
    public let pyramid: TiledPyramid
    /// The ending of the pictures, without a dot.
    public let format: String
    /// The longest side of a picture that is given whole.
    public let longestSide: Int

    public init(size: PixelSize<UprightGrid>, tileSize: Int, format: String, longestSide: Int = .max) {
        pyramid = TiledPyramid(size: size, tileSize: tileSize, overlap: 0, depth: .oneTile)
        self.format = format
        self.longestSide = max(longestSide, tileSize)
    }

    /// The levels that the whole image is given at, from the largest.
    public var wholeLevels: [Int] {
        pyramid.levels.indices.filter {
            let size = pyramid.levels[$0].size
            return max(size.width, size.height) <= longestSide
        }
    }

    /// Where the whole image at a level is found; the largest of them is `full/max` too.
    public func addresses(ofLevel level: Int) -> [IIIFAddress] {
        let sizes: [IIIFAddress.Size] =
            [.exact(pyramid.levels[level].size)] + (level == wholeLevels.first ? [.max] : [])
        return sizes.map { IIIFAddress(region: .full, size: $0, format: format) }
    }

    /// Where a tile is found.
    ///
    /// A tile that is its whole level is a whole image as well. Its region is written out beside the canonical
    /// `full`: viewers ask for either.
    public func addresses(_ key: TilePosition) -> [IIIFAddress] {
        guard let rect = pyramid.rect(key) else { return [] }
        let whole = PixelRect(pyramid.full.size)
        let scale = 1 << key.level
        let region = PixelRect<UprightGrid>(
            x: rect.x * scale, y: rect.y * scale, width: rect.width * scale, height: rect.height * scale
        ).intersection(whole)!
        let written = IIIFAddress(region: .rect(region), size: .exact(rect.size), format: format)
        return region == whole ? addresses(ofLevel: key.level) + [written] : [written]
    }

    /// What the `info.json` says of the image at an address.
    public func information(id: String) -> IIIFInformation {
        let largest = wholeLevels.first ?? 0
        return IIIFInformation(
            id: id, level: 0, size: pyramid.full.size,
            sizes: wholeLevels.reversed().map { pyramid.levels[$0].size },
            tiles: [
                IIIFInformation.Tiles(
                    width: pyramid.full.tileSize, height: pyramid.full.tileSize,
                    scaleFactors: pyramid.levels.indices.map { 1 << $0 })
            ],
            maximum: largest == 0 ? nil : pyramid.levels[largest].size,
            extraFormats: format == "jpg" ? [] : [format])
    }
}

package import ViewportGeometry

/// A level-0 IIIF image: a folder of files with a file for every request that its `info.json` allows.
package struct IIIFSite: Hashable, Sendable {
    package let pyramid: TiledPyramid
    /// The file name extension of the pictures, without a dot.
    package let format: String
    /// The maximum length of a side of whole pictures, in pixels.
    package let longestSide: Int

    package init(size: PixelSize<UprightGrid>, tileSize: Int, format: String, longestSide: Int = .max) {
        pyramid = TiledPyramid(size: size, tileSize: tileSize, overlap: 0, depth: .oneTile)
        self.format = format
        self.longestSide = max(longestSide, tileSize)
    }

    /// The levels at which the site contains the whole image, from the largest.
    package var wholeLevels: [Int] {
        pyramid.levels.indices.filter {
            let size = pyramid.levels[$0].size
            return max(size.width, size.height) <= longestSide
        }
    }

    /// Returns the requests for the whole image at a level; the largest level includes `full/max`.
    package func addresses(ofLevel level: Int) -> [IIIFAddress] {
        let sizes: [IIIFAddress.Size] =
            [.exact(pyramid.levels[level].size)] + (level == wholeLevels.first ? [.max] : [])
        return sizes.map { IIIFAddress(region: .full, size: $0, format: format) }
    }

    /// Returns the requests for a tile.
    ///
    /// A tile that covers its level is also a whole image. Viewers request it both by its region and by the canonical
    /// `full`.
    package func addresses(_ key: TilePosition) -> [IIIFAddress] {
        guard let rect = pyramid.rect(key) else { return [] }
        let whole = PixelRect(pyramid.full.size)
        let scale = 1 << key.level
        let region = PixelRect<UprightGrid>(
            x: rect.x * scale, y: rect.y * scale, width: rect.width * scale, height: rect.height * scale
        ).intersection(whole)!
        let written = IIIFAddress(region: .rect(region), size: .exact(rect.size), format: format)
        return region == whole ? addresses(ofLevel: key.level) + [written] : [written]
    }

    /// Returns the contents of `info.json` for an image at a URL.
    package func information(id: String) -> IIIFInformation {
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

/// A request to a level-0 image server in canonical form: `{region}/{size}/0/default.{format}`.
///
/// Source: IIIF Image API 3.0, sections 4.1, 4.2 and 4.7.
package struct IIIFAddress: Hashable, Sendable {
    /// The region of the image, in full-resolution pixels.
    package enum Region: Hashable, Sendable {
        case full
        case rect(PixelRect<UprightGrid>)
    }

    /// The size of the picture.
    package enum Size: Hashable, Sendable {
        case max
        case exact(PixelSize<UprightGrid>)
    }

    package var region: Region
    package var size: Size
    /// The file name extension, without a dot.
    package var format: String

    /// The path relative to that of the image.
    package var path: String { "\(region)/\(size)/0/default.\(format)" }
}

extension IIIFAddress.Region: CustomStringConvertible {
    package var description: String {
        switch self {
        case .full: "full"
        case .rect(let rect): "\(rect.x),\(rect.y),\(rect.width),\(rect.height)"
        }
    }
}

extension IIIFAddress.Size: CustomStringConvertible {
    package var description: String {
        switch self {
        case .max: "max"
        case .exact(let size): "\(size.width),\(size.height)"
        }
    }
}

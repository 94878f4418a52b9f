internal import Files
internal import TilePyramid
internal import ViewportGeometry

/// Cuts the stored tiles out of a tiled TIFF whose tiles are JPEGs.
///
/// Tiles are complete JPEGs except for their tables, which the directory stores once; the two are joined again.
/// Source: TIFF 6.0; Adobe's Photoshop TIFF technical notes (new JPEG compression, 7).
struct TIFFTileCutter: TileCutter {
    private let file: OpenFile
    /// Full resolution first; each following page has half the pixels of the one before.
    private let pages: [(scale: Int, page: TIFFTilePage)]

    /// Returns nil where the file is not a TIFF, has several pictures, or stores its tiles in another way.
    init?(_ image: ImageFile) {
        guard image.format == .tiff, image.pages == 1 else { return nil }
        let stored = TIFFTileDirectory(image.opened).pages.filter { $0.compression == .jpeg }
        pages = image.pyramid.levels.compactMap { level in
            let scale = 1 << max(0, level.index)
            guard level.downsampleX == Double(scale), level.downsampleY == Double(scale),
                let page = stored.first(where: { $0.size == level.size })
            else { return nil }
            return (scale, page)
        }
        guard pages.first?.scale == 1 else { return nil }
        file = image.opened
    }

    /// The side of its tiles, where they are square.
    var side: Int? { pages[0].page.tile.width == pages[0].page.tile.height ? pages[0].page.tile.width : nil }

    func fits(_ side: Int) -> Bool { pages[0].page.tile == PixelSize(width: side, height: side) }

    func tile(_ rect: PixelRect<StoredGrid>, size: PixelSize<StoredGrid>) -> [UInt8]? {
        // Tiles at the edges are stored with padding, which cannot be removed from a JPEG without decoding.
        guard let (scale, page) = pages.first(where: { $0.scale * size.width == rect.width }),
            size == page.tile, scale * size.height == rect.height,
            rect.x % rect.width == 0, rect.y % rect.height == 0,
            let number = page.number(column: rect.x / rect.width, row: rect.y / rect.height)
        else { return nil }
        let (offset, count) = (page.offsets[number], page.counts[number])
        guard count > 4, count < 1 << 24, offset < Int.max >> 1, offset + count <= file.count,
            let data = try? file.bytes(offset..<offset + count), file.isUnchanged
        else { return nil }
        return page.jpeg(data)
    }

    func copyWhole(_ write: ([UInt8]) throws -> Void) -> Bool { false }
}

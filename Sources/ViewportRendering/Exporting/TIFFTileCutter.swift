internal import Files
internal import TilePyramid
internal import ViewportGeometry

/// Takes the stored tiles out of a tiled TIFF whose tiles are JPEGs.
///
/// Tiles are whole pictures but for their tables, which the directory keeps once; the two are put together again.
/// Source: TIFF 6.0; Adobe's Photoshop TIFF technical notes (new JPEG compression, 7).
struct TIFFTileCutter: TileCutter {
    private let file: OpenFile
    /// Full resolution first; each following page has half the pixels of the one before.
    private let pages: [(scale: Int, page: TIFFTilePage)]

    /// Nil where the file is no TIFF, has several pictures, or stores its tiles in another way.
    init?(_ image: ImageFile) {
        guard image.format == .tiff, image.pages == 1 else { return nil }
        let stored = TIFFTileDirectory(image.opened).pages
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

    /// The side of its tiles, where they are squares.
    var side: Int? { pages[0].page.tile.width == pages[0].page.tile.height ? pages[0].page.tile.width : nil }

    func fits(_ side: Int) -> Bool { pages[0].page.tile == PixelSize(width: side, height: side) }

    func tile(_ rect: PixelRect<StoredGrid>, size: PixelSize<StoredGrid>) -> [UInt8]? {
        // Tiles at the edges are stored with filling, which a JPEG cannot be rid of without decoding.
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
}

/// One page of a TIFF whose tiles are JPEGs.
struct TIFFTilePage {
    var size: PixelSize<StoredGrid>
    var tile: PixelSize<StoredGrid>
    var offsets: [Int]
    var counts: [Int]
    /// A JPEG of nothing but tables; empty where each tile has its own.
    var tables: [UInt8]
    /// 1 for gray, 3 for colors.
    var samples: Int
    /// Whether the colors are YCbCr, and not RGB.
    var isYCbCr: Bool

    /// The number of a tile that is filled to its edges; nil for the others.
    func number(column: Int, row: Int) -> Int? {
        let across = (size.width + tile.width - 1) / tile.width
        guard (column + 1) * tile.width <= size.width, (row + 1) * tile.height <= size.height else {
            return nil
        }
        let number = row * across + column
        return offsets.indices.contains(number) && counts.indices.contains(number) ? number : nil
    }

    /// A tile's data as a file of its own: start, colors, tables, picture.
    func jpeg(_ data: [UInt8]) -> [UInt8]? {
        let start: [UInt8] = [0xFF, 0xD8]
        guard data.starts(with: start), data.suffix(2) == [0xFF, 0xD9] else { return nil }
        // Adobe's marker says how three components are meant; without it decoders guess.
        let adobe: [UInt8] =
            samples == 3
            ? [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, isYCbCr ? 1 : 0] : []
        return start + adobe + tables.dropFirst(2).dropLast(2) + data.dropFirst(2)
    }
}

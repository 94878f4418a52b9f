internal import Basics
internal import Containers
internal import Files
internal import ImageMetadata
internal import Pictures
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry

/// A picture whose parts are coded one by one: tiles of equal size, which turns apply to together.
///
/// Tiles of HEVC are decoded by libde265 where it is installed. Others are decoded by libheif, each as a file of its own in
/// memory: libheif joins tiles without a look at their sizes, and what no tile covers is memory of the process. A crop of
/// a phone's HEIC took 0.1 s of processor time and 25 MB before, to start libvips, libheif and all its codecs.
///
/// A grid (ISO/IEC 23008-12, 6.6.2.3) lays tiles side by side and cuts off what exceeds its size; turns and alpha are
/// those of the grid. Everything unusual is left to `HEIFComposition`: a clean aperture, tiles with turns of their own,
/// alpha in other tiles than the colors.
///
/// Shown rows are made from the top, but with some turns a shown row crosses all rows of tiles. Bands are rows or
/// columns of tiles, whichever are rows as shown, in pieces of limited size.
struct HEIFTiles: Sendable {
    let file: LoaderFile
    /// The format of decoded pixels.
    let pixels: SourcePixelFormat
    private let cells: HEIFCells
    private let grid: HEIFGrid
    private let alpha: HEIFGrid?
    private let tileSize: PixelSize<StoredGrid>
    private let orientation: Orientation
    /// Decodes the tiles without libheif; nil where only that can.
    private var hevc: HEVCItems?

    /// The most pixels that are decoded at once, unless one tile has more.
    private static let mostPixels = 1 << 21

    /// Returns nil where the picture is no usual grid.
    ///
    /// - Parameter size: the size of the upright picture.
    init?(
        of picture: HEIFItem, _ items: HEIFItems, _ file: LoaderFile, size: PixelSize<StoredGrid>,
        pixels: SourcePixelFormat, passesRange: Bool = false
    ) {
        let bytes = FileBytes(file.file)
        guard let grid = items.grid(of: picture, in: bytes), grid.tiles.count > 1,
            let tileSize = Self.tileSize(grid, items, turned: picture), picture.aperture == nil
        else { return nil }
        let alphas = items.items(referring: "auxl", to: picture.id).filter(\.isAlpha)
        if pixels.layout.hasAlpha {
            guard alphas.count == 1, let alpha = items.grid(of: alphas[0], in: bytes),
                alpha.rows == grid.rows, alpha.columns == grid.columns, alpha.size == grid.size,
                [.up, picture.orientation].contains(alphas[0].orientation), alphas[0].aperture == nil,
                Self.tileSize(alpha, items, turned: alphas[0]) == tileSize
            else { return nil }
            self.alpha = alpha
        } else {
            guard alphas.isEmpty,
                !items.items(referring: "auxl", to: grid.tiles[0]).contains(where: \.isAlpha)
            else { return nil }
            alpha = nil
        }
        orientation = picture.orientation
        let upright = orientation.uprightSize(grid.size)
        guard upright.width == size.width, upright.height == size.height else { return nil }
        (self.file, self.pixels) = (file, pixels)
        cells = HEIFCells(items: items, file: file.file, colors: picture, passesRange: passesRange)
        (self.grid, self.tileSize) = (grid, tileSize)
        let isPlain =
            !passesRange && alpha == nil
            && pixels.layout == SampleLayout(type: .uint8, bands: 3, hasAlpha: false)
        hevc =
            isPlain
            ? HEVCItems(
                grid.tiles, picture.colors ?? items[grid.tiles[0]]?.colors, of: items, in: file.file) : nil
    }

    /// The same picture, whose tiles libheif decodes.
    fileprivate var decodedByLibheif: HEIFTiles? {
        guard hevc != nil else { return nil }
        var tiles = self
        tiles.hevc = nil
        return tiles
    }

    /// Whether its tiles are decoded without libheif.
    var areDecodedDirectly: Bool { hevc != nil }

    /// Returns the size of all tiles; nil where they are not of one kind, or do not cover the picture exactly once.
    private static func tileSize(
        _ grid: HEIFGrid, _ items: HEIFItems, turned picture: HEIFItem
    ) -> PixelSize<StoredGrid>? {
        guard let first = items[grid.tiles[0]], let size = first.codedSize, !size.isEmpty,
            ["hvc1", "av01"].contains(first.type), max(size.width, size.height) <= 1 << 15
        else { return nil }
        let repeatsTurns = items.repeatsTurns(picture)
        let isUniform = grid.tiles.allSatisfy { id in
            guard let tile = items[id] else { return false }
            return tile.type == first.type && tile.codedSize == size && !tile.data.isEmpty
                && tile.aperture == nil && (repeatsTurns || tile.orientation == .up)
        }
        func fits(_ tile: Int, _ count: Int, _ length: Int) -> Bool {
            // The last tile must begin inside of the picture, and reach its end.
            (count - 1) * tile < length && length <= count * tile
        }
        guard isUniform, fits(size.width, grid.columns, grid.size.width),
            fits(size.height, grid.rows, grid.size.height)
        else { return nil }
        return size
    }

    /// A row of tiles as it is shown, in one or more pieces that are decoded at once.
    struct Band {
        /// The shown rows.
        let rows: Range<Int>
        let pieces: [Piece]
    }

    /// Tiles that are decoded at once.
    struct Piece {
        fileprivate let tileRows: Range<Int>
        fileprivate let tileColumns: Range<Int>
        /// All its pixels, as shown.
        let rect: PixelRect<StoredGrid>
    }

    /// Returns the bands that a rectangle touches, from the top, each with its pieces from the left.
    func bands(_ rect: PixelRect<StoredGrid>) -> [Band] {
        let stored = orientation.stored(
            PixelRect(x: rect.x, y: rect.y, width: rect.width, height: rect.height), in: grid.size)
        let columns = (stored.x / tileSize.width)..<((stored.maxX - 1) / tileSize.width + 1)
        let rows = (stored.y / tileSize.height)..<((stored.maxY - 1) / tileSize.height + 1)
        let count = max(1, Self.mostPixels / tileSize.area)
        var pieces: [Piece] = []
        if orientation.transposes {
            for column in columns {
                pieces += rows.pieces(of: count).map { piece($0, column..<(column + 1)) }
            }
        } else {
            for row in rows {
                pieces += columns.pieces(of: count).map { piece(row..<(row + 1), $0) }
            }
        }
        let bands = Dictionary(grouping: pieces) { $0.rect.y }
        return bands.sorted { $0.key < $1.key }.map { y, pieces in
            Band(
                rows: max(y, rect.y)..<min(pieces[0].rect.maxY, rect.maxY),
                pieces: pieces.sorted { $0.rect.x < $1.rect.x })
        }
    }

    private func piece(_ rows: Range<Int>, _ columns: Range<Int>) -> Piece {
        let (x, y) = (columns.lowerBound * tileSize.width, rows.lowerBound * tileSize.height)
        let stored = PixelRect<StoredGrid>(
            x: x, y: y, width: min(columns.upperBound * tileSize.width, grid.size.width) - x,
            height: min(rows.upperBound * tileSize.height, grid.size.height) - y)
        let shown = orientation.upright(stored, in: grid.size)
        return Piece(
            tileRows: rows, tileColumns: columns,
            rect: PixelRect(x: shown.x, y: shown.y, width: shown.width, height: shown.height))
    }

    /// Decodes a piece and lends rows of it.
    ///
    /// - Parameter rect: a part of the piece's rectangle.
    func read(_ piece: Piece, _ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        let ids = piece.tileRows.flatMap { row in
            piece.tileColumns.map { row * grid.columns + $0 }
        }
        let stored = orientation.stored(
            PixelRect(x: piece.rect.x, y: piece.rect.y, width: piece.rect.width, height: piece.rect.height),
            in: grid.size)
        let walk = TileWalk(
            columns: piece.tileColumns.count, tileSize: tileSize, rect: stored, size: grid.size,
            orientation: orientation)
        if let hevc {
            let tiles = try HEVCTiles(
                ids.map { grid.tiles[$0] }, of: hevc, walk, threads: file.options.threads)
            return try tiles.rows(rect, row)
        }
        let decoded = Processors.map(below: ids.count, threads: max(1, file.options.threads)) { index in
            Result {
                try cells.samples(
                    of: grid.tiles[ids[index]], alpha: alpha?.tiles[ids[index]], size: tileSize, pixels)
            }
        }
        let tiles = DecodedTiles(
            walk: walk, tiles: try decoded.map { try $0.get() }, pixelBytes: pixels.layout.pixelBytes)
        try tiles.rows(rect, row)
    }
}

extension Range<Int> {
    /// The range in consecutive parts of at most `count`.
    fileprivate func pieces(of count: Int) -> [Range<Int>] {
        stride(from: lowerBound, to: upperBound, by: count).map { $0..<Swift.min($0 + count, upperBound) }
    }
}

/// The full resolution of a grid.
struct HEIFTileLevel: LevelReader {
    let tiles: HEIFTiles
    let level: PyramidLevel

    var pixels: SourcePixelFormat { tiles.pixels }

    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        guard !rect.isEmpty else { return }
        let file = tiles.file.file
        try file.checkedRows {
            do {
                guard let others = tiles.decodedByLibheif else { return try readTiles(tiles, rect, row) }
                try file.rows(row) { row in
                    try readTiles(tiles, rect, row)
                } orLoading: { row in
                    try readTiles(others, rect, row)
                }
            } catch let error as any UndecodableData {
                throw RenderingError.undecodable(error, file)
            }
        }
    }

    private func readTiles(
        _ tiles: HEIFTiles, _ rect: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void
    ) throws {
        for band in tiles.bands(rect) {
            if band.pieces.count == 1 {
                try checkCancellation()
                try tiles.read(
                    band.pieces[0],
                    PixelRect(x: rect.x, y: band.rows.lowerBound, width: rect.width, height: band.rows.count),
                    row: row)
            } else {
                try readPieces(tiles, band, rect, row)
            }
        }
    }

    /// Joins the rows of pieces.
    private func readPieces(
        _ tiles: HEIFTiles, _ band: HEIFTiles.Band, _ rect: PixelRect<StoredGrid>,
        _ row: (RawSpan) throws -> Void
    ) throws {
        var parts: [(samples: [UInt8], rowBytes: Int)] = []
        for piece in band.pieces {
            try checkCancellation()
            let x = max(rect.x, piece.rect.x)
            let part = PixelRect<StoredGrid>(
                x: x, y: band.rows.lowerBound, width: min(rect.maxX, piece.rect.maxX) - x,
                height: band.rows.count)
            let rowBytes = part.width * pixels.layout.pixelBytes
            var samples = RowCollector(byteCount: rowBytes * part.height)
            try tiles.read(piece, part) { samples.push($0) }
            parts.append((samples.pixels, rowBytes))
        }
        for y in 0..<band.rows.count {
            let joined = parts.flatMap { $0.samples[(y * $0.rowBytes)..<((y + 1) * $0.rowBytes)] }
            try joined.withRow(joined.indices, row)
        }
    }

    private func checkCancellation() throws {
        guard !Task.isCancelled else { throw CancellationError() }
    }
}

internal import Files
internal import Resampling
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

/// One level of a pyramid while it is made: rows come in from the top, tiles and the next level's rows go out.
///
/// Everything lies as in the file. The upright grid of tiles is laid over the stored pixels, so its first tile
/// may be at any corner, and pixels are paired for the next level from that corner on.
final class LevelBuilder {
    private let bands: [TileBand]
    private let samples: ConvertedSamples
    private let width: Int
    private let height: Int
    private let halver: RowHalver
    /// 1 where the first row has no partner and pairs begin after it.
    private let shift: Int
    private let below: LevelBuilder?
    /// Where all rows go, for a picture of the whole level.
    private let pixelFile: RowFile?
    private let emit: (StoredTile) throws -> Void

    private var buffer: RowBuffer
    private var half: [UInt8]
    private var nextBand = 0

    init(
        _ level: Int, of pyramid: TiledPyramid, _ orientation: Orientation, _ samples: ConvertedSamples,
        pixelFile: (Int) throws -> RowFile?, emit: @escaping (StoredTile) throws -> Void
    ) throws {
        let grid = pyramid.levels[level]
        bands = TileBand.all(of: grid, level: level, orientation)
        let size = orientation.inverse.uprightSize(
            PixelSize<StoredGrid>(width: grid.size.width, height: grid.size.height))
        (width, height) = (size.width, size.height)
        self.samples = samples
        let fromRight = orientation.transposes ? orientation.flipsY : orientation.flipsX
        let fromBottom = orientation.transposes ? orientation.flipsX : orientation.flipsY
        halver = RowHalver(
            width: width,
            layout: SampleLayout(type: .uint8, bands: samples.bands, hasAlpha: samples.hasAlpha),
            fromEnd: fromRight)
        shift = fromBottom && height % 2 == 1 ? 1 : 0
        half = [UInt8](repeating: 0, count: halver.halfBytes)
        buffer = RowBuffer(
            rowBytes: width * samples.bands, capacity: min(height, grid.tileSize + 2 * grid.overlap + 2))
        self.pixelFile = try pixelFile(level)
        self.emit = emit
        below =
            level + 1 < pyramid.levels.count
            ? try LevelBuilder(level + 1, of: pyramid, orientation, samples, pixelFile: pixelFile, emit: emit)
            : nil
    }

    /// Takes the next row.
    func push(_ row: RawSpan) throws {
        let y = buffer.rows.upperBound
        buffer.append(row)
        try pixelFile?.append(row)
        if let below { try shrink(to: y, below) }
        while nextBand < bands.count, bands[nextBand].rows.upperBound <= y + 1 {
            try cut(bands[nextBand])
            nextBand += 1
        }
        // The next band's first row, or the row that still waits for its partner.
        let needed = nextBand < bands.count ? bands[nextBand].rows.lowerBound : height
        buffer.drop(before: min(needed, isPaired(y) ? y + 1 : y))
    }

    /// Whether a row ends a pair: the other rows wait for the next one.
    private func isPaired(_ y: Int) -> Bool { (y + shift) % 2 == 1 || y == height - 1 }

    /// Hands the mean of a pair of rows to the next level when its lower row has come.
    private func shrink(to y: Int, _ below: LevelBuilder) throws {
        guard isPaired(y) else { return }
        // The first or the last row of an odd number is its own partner.
        let upper = (y + shift) % 2 == 1 ? max(0, y - 1) : y
        try buffer.withRow(upper) { upper in
            try buffer.withRow(y) { lower in
                try halver.halve(upper, lower, into: &half) { try below.push($0) }
            }
        }
    }

    private func cut(_ band: TileBand) throws {
        for tile in band.tiles {
            let columns = (tile.rect.x * samples.bands)..<(tile.rect.maxX * samples.bands)
            let bytes = buffer.cut(columns: columns, rows: band.rows)
            try emit(StoredTile(key: tile.key, rect: tile.rect, bytes: bytes))
        }
    }
}

/// The tiles of a level that lie on the same stored rows: a row of the upright grid, or a column of it.
private struct TileBand {
    let rows: Range<Int>
    let tiles: [(key: TilePosition, rect: PixelRect<StoredGrid>)]

    /// All bands of a level, from the top of the file down.
    static func all(of grid: TileGrid, level: Int, _ orientation: Orientation) -> [TileBand] {
        let size = orientation.inverse.uprightSize(
            PixelSize<StoredGrid>(width: grid.size.width, height: grid.size.height))
        let stored = PixelSize<StoredGrid>(width: size.width, height: size.height)
        let isTransposed = orientation.transposes
        let bands = (0..<(isTransposed ? grid.columns : grid.rows)).map { along in
            let tiles = (0..<(isTransposed ? grid.rows : grid.columns)).map { across in
                let key = TilePosition(
                    level: level, column: isTransposed ? along : across, row: isTransposed ? across : along)
                // Inside the grid, whose counts the ranges are.
                let rect = grid.rect(column: key.column, row: key.row)!
                return (key: key, rect: orientation.stored(rect, in: stored))
            }
            return TileBand(rows: tiles[0].rect.y..<tiles[0].rect.maxY, tiles: tiles)
        }
        return bands.sorted { $0.rows.lowerBound < $1.rows.lowerBound }
    }
}

/// The pixels of a tile as they lie in the file, before the orientation.
struct StoredTile: Sendable {
    let key: TilePosition
    /// Its place in its level.
    let rect: PixelRect<StoredGrid>
    let bytes: [UInt8]

    /// The tile as it is seen.
    func picture(_ samples: ConvertedSamples, _ orientation: Orientation) -> Picture {
        samples.picture(bytes, rect.size, orientation)
    }
}

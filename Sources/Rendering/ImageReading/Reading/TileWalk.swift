internal import Files
internal import Resampling
internal import ViewportGeometry

/// The rows of decoded tiles as they are shown turned.
struct TileWalk: Sendable {
    let columns: Int
    let tileSize: PixelSize<StoredGrid>
    /// All pixels of the tiles, in the picture as stored; tiles begin at its corner.
    let rect: PixelRect<StoredGrid>
    /// The size of the picture as stored.
    let size: PixelSize<StoredGrid>
    let orientation: Orientation

    /// Pixels on a line of one tile.
    struct Run {
        let tile: Int
        /// The first one, in the tile.
        let first: (x: Int, y: Int)
        /// The distance to the next one: 1 or -1 on one axis, 0 on the other.
        let step: (x: Int, y: Int)
        let count: Int
        /// The position of its first byte in the row.
        let offset: Int
    }

    /// Lends rows of a rectangle of the picture as it is shown.
    ///
    /// - Parameter fill: writes a run of pixels into a row.
    func rows(
        _ shown: PixelRect<StoredGrid>, pixelBytes: Int, fill: (Run, inout [UInt8]) -> Void,
        _ row: (RawSpan) throws -> Void
    ) rethrows {
        var samples = [UInt8](repeating: 0, count: shown.width * pixelBytes)
        for y in shown.y..<shown.maxY {
            let first = stored(shown.x, y)
            let second = stored(shown.x + 1, y)
            let step = (x: second.x - first.x, y: second.y - first.y)
            var (at, x, y) = (0, first.x, first.y)
            while at < shown.width {
                let (column, line) = ((x - rect.x) / tileSize.width, (y - rect.y) / tileSize.height)
                let inner = (x: x - rect.x - column * tileSize.width, y: y - rect.y - line * tileSize.height)
                let count = min(shown.width - at, length(from: inner, step))
                fill(
                    Run(
                        tile: line * columns + column, first: inner, step: step, count: count,
                        offset: at * pixelBytes), &samples)
                at += count
                x += step.x * count
                y += step.y * count
            }
            try samples.withRow(samples.indices, row)
        }
    }

    /// Returns the position of a shown pixel as stored.
    private func stored(_ x: Int, _ y: Int) -> (x: Int, y: Int) {
        let pixel = orientation.stored(PixelRect(x: x, y: y, width: 1, height: 1), in: size)
        return (pixel.x, pixel.y)
    }

    /// Returns the number of pixels from one in a tile to the border of the tile.
    private func length(from inner: (x: Int, y: Int), _ step: (x: Int, y: Int)) -> Int {
        switch step {
        case (1, 0): tileSize.width - inner.x
        case (-1, 0): inner.x + 1
        case (0, 1): tileSize.height - inner.y
        default: inner.y + 1
        }
    }
}

/// Tiles of finished pixels.
struct DecodedTiles {
    let walk: TileWalk
    /// The rows of each tile, without gaps.
    let tiles: [[UInt8]]
    let pixelBytes: Int

    /// Lends rows of a rectangle of the picture as it is shown.
    func rows(_ shown: PixelRect<StoredGrid>, _ row: (RawSpan) throws -> Void) rethrows {
        try walk.rows(shown, pixelBytes: pixelBytes, fill: fill, row)
    }

    private func fill(_ run: TileWalk.Run, _ samples: inout [UInt8]) {
        let tile = tiles[run.tile]
        var from = (run.first.y * walk.tileSize.width + run.first.x) * pixelBytes
        let step = (run.step.y * walk.tileSize.width + run.step.x) * pixelBytes
        var at = run.offset
        if run.step == (1, 0) {
            samples.replaceSubrange(
                at..<(at + run.count * pixelBytes), with: tile[from..<(from + run.count * pixelBytes)])
            return
        }
        for _ in 0..<run.count {
            for byte in 0..<pixelBytes { samples[at + byte] = tile[from + byte] }
            at += pixelBytes
            from += step
        }
    }
}

internal import Resampling
internal import TilePyramid
internal import ViewportGeometry

/// Pixels of a level made from a coarser one, in the same place to the fraction of a pixel.
///
/// Neighboring ones have no seam: each reads as far beyond its edge as its kernel reaches.
struct PlaceholderTile: Sendable {
    /// What it stands for.
    let rect: PixelRect<StoredGrid>
    /// What it is made from.
    private let coarse: TiledLevel
    private let coarseRect: PixelRect<StoredGrid>
    private let horizontal: AxisWeights
    private let vertical: AxisWeights

    /// Nil where tiles of the coarser level are missing.
    init?(
        _ rect: PixelRect<StoredGrid>, of level: PyramidLevel, from coarse: TiledLevel,
        having tile: (TileKey) -> Tile?
    ) {
        let across = Axis(
            rect.x..<rect.maxX, level.downsampleX, from: coarse.level.downsampleX, coarse.level.size.width)
        let down = Axis(
            rect.y..<rect.maxY, level.downsampleY, from: coarse.level.downsampleY, coarse.level.size.height)
        coarseRect = PixelRect(
            x: across.range.lowerBound, y: down.range.lowerBound, width: across.range.count,
            height: down.range.count)
        var tiles: [TileKey: Tile] = [:]
        for key in coarse.keys(in: coarseRect) {
            guard let tile = tile(key) else { return nil }
            tiles[key] = tile
        }
        self.rect = rect
        self.coarse = coarse.taking { [tiles] key, _ in tiles[key]! }
        horizontal = across.weights
        vertical = down.weights
    }

    /// The pixels of the coarser level that stand for some of a level.
    static func coarseRect(
        _ rect: PixelRect<StoredGrid>, of level: PyramidLevel, in coarse: PyramidLevel
    ) -> PixelRect<StoredGrid> {
        let across = Axis.range(
            rect.x..<rect.maxX, level.downsampleX, from: coarse.downsampleX, coarse.size.width)
        let down = Axis.range(
            rect.y..<rect.maxY, level.downsampleY, from: coarse.downsampleY, coarse.size.height)
        return PixelRect(x: across.lowerBound, y: down.lowerBound, width: across.count, height: down.count)
    }

    func tile() throws -> Tile {
        var resampler = RowResampler(
            horizontal: horizontal, vertical: vertical, layout: coarse.pixels.layout,
            sourceWidth: coarseRect.width)
        try coarse.read(coarseRect) { resampler.push($0) }
        return Tile(rect: rect, bytes: resampler.pixels)
    }
}

/// One axis of a stopgap.
private struct Axis {
    let range: Range<Int>
    let weights: AxisWeights

    init(_ pixels: Range<Int>, _ step: Double, from coarseStep: Double, _ count: Int) {
        range = Self.range(pixels, step, from: coarseStep, count)
        let part = SamplingGrid(
            origin: Double(range.lowerBound) * coarseStep, step: coarseStep, count: range.count)
        weights = AxisWeights(from: part, to: Self.grid(pixels, step), kernel: .linear)
    }

    /// The coarse pixels that a kernel needs.
    static func range(_ pixels: Range<Int>, _ step: Double, from coarseStep: Double, _ count: Int) -> Range<
        Int
    > {
        let whole = SamplingGrid(origin: 0, step: coarseStep, count: count)
        let reach = AxisWeights.reach(from: whole, to: grid(pixels, step), kernel: .linear)
        let lower = min(max(reach.lowerBound, 0), count - 1)
        return lower..<min(max(reach.upperBound, lower + 1), count)
    }

    private static func grid(_ pixels: Range<Int>, _ step: Double) -> SamplingGrid {
        SamplingGrid(origin: Double(pixels.lowerBound) * step, step: step, count: pixels.count)
    }
}

extension TiledLevel {
    /// The same level with its tiles from elsewhere.
    func taking(_ tile: @escaping Supply) -> TiledLevel {
        TiledLevel(identity: identity, level: level, pixels: pixels, grid: grid, tile: tile)
    }
}

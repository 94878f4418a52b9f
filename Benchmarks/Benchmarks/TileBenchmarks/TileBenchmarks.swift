import Benchmark
import BenchmarkSupport
import ViewportGeometry
import ViewportRendering

/// Tiles of 300 megapixels, one thread each, compared with `vips crop` from an open pyramid TIFF.
///
/// No tile is read twice, because both sides cache what they decode. The benchmarks "in memory" read every tile once
/// before they measure it.
let benchmarks = { @Sendable in
    Benchmark.defaultConfiguration = .init(
        metrics: [.perMille, .ours, .theirs], maxDuration: .seconds(4), maxIterations: 1)

    for side in [256, 512] {
        for level in 0..<5 {
            for pyramid in Pyramid.allCases {
                Benchmark("tile \(side) at 1/\(1 << level) vs. \(pyramid.rawValue)") { benchmark in
                    let (ours, theirs) = (RenderedTiles.opened, PyramidLevel.opened[pyramid]![level])
                    let tiles = theirs.shuffledTiles(side)
                    // The first reads make the index and the overview.
                    for tile in tiles { try ours.read(tile, level: level) }
                    try benchmark.interleave(tiles, ours: { try ours.read($0, level: level) }, theirs.read)
                }
            }
        }
        Benchmark("tile \(side) at 1/1 in memory vs. \(Pyramid.usual.rawValue)") { benchmark in
            let (ours, theirs) = (RenderedTiles.opened, PyramidLevel.opened[.usual]![0])
            let tiles = theirs.shuffledTiles(side)
            for tile in tiles { try await ours.readThroughCache(tile, level: 0) }
            for tile in tiles {
                let clock = ContinuousClock()
                let start = clock.now
                try await ours.readThroughCache(tile, level: 0)
                let end = clock.now
                theirs.read(tile)
                benchmark.record((end - start) / .microseconds(1), (clock.now - end) / .microseconds(1))
            }
        }
    }
}

extension PyramidLevel {
    /// Up to 150 whole tiles in random order.
    fileprivate func shuffledTiles(_ side: Int) -> [PixelRect<StoredGrid>] {
        (0..<height / side).flatMap { row in
            (0..<width / side).map { column in
                PixelRect(x: column * side, y: row * side, width: side, height: side)
            }
        }.shuffled().prefix(150).map(\.self)
    }
}

extension Benchmark {
    /// Reads each tile with both, one after the other.
    fileprivate func interleave(
        _ tiles: [PixelRect<StoredGrid>], ours: (PixelRect<StoredGrid>) throws -> Void,
        _ theirs: (PixelRect<StoredGrid>) -> Void
    ) rethrows {
        for tile in tiles {
            let a = try Self.microseconds { try ours(tile) }
            record(a, Self.microseconds { theirs(tile) })
        }
    }

    fileprivate func record(_ ours: Double, _ theirs: Double) {
        measurement(.ours, Int(ours))
        measurement(.theirs, Int(theirs))
        measurement(.perMille, Int(1000 * ours / theirs))
    }
}

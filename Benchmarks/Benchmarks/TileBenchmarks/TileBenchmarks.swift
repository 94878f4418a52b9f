import Benchmark
import JPEGIndex
import Peers
import Turns
import ViewportGeometry
import ViewportRendering

/// Tiles of 300 megapixels, one thread each, beside `vips crop` from a pyramid TIFF that is open.
///
/// Every turn takes another tile: libvips keeps those that it has decoded.
let benchmarks = { @Sendable in
    Benchmark.defaultConfiguration = .init(
        metrics: [.perMille, .ours, .theirs], warmupIterations: 3, maxDuration: .seconds(8),
        maxIterations: 300)

    for side in [256, 512] {
        for level in 0..<4 {
            Benchmark("tile \(side) at 1/\(1 << level), by an index in memory") { benchmark in
                let ours = IndexedTiles.opened
                try take(benchmark, side, .opened[level]) {
                    try ours.read($0, at: JPEGScale(rawValue: 1 << level)!)
                }
            }
            Benchmark("tile \(side) at 1/\(1 << level), by the renderer") { benchmark in
                let ours = RenderedTiles.opened
                try take(benchmark, side, .opened[level]) { try ours.read($0, scale: 1 / Double(1 << level)) }
            }
        }
    }
}

/// Tiles in an order without order, each by both.
private func take(
    _ benchmark: Benchmark, _ side: Int, _ theirs: PyramidTiles,
    ours: (PixelRect<ReducedGrid>) throws -> Void
) throws {
    var random = SystemRandomNumberGenerator()
    let columns = theirs.width / side
    let rows = theirs.height / side
    var tile = PixelRect<ReducedGrid>(x: 0, y: 0, width: side, height: side)
    for _ in benchmark.scaledIterations {
        tile.x = Int.random(in: 0..<columns, using: &random) * side
        tile.y = Int.random(in: 0..<rows, using: &random) * side
        let a = try Benchmark.microseconds { try ours(tile) }
        let b = Benchmark.microseconds { theirs.read(tile) }
        benchmark.measurement(.ours, Int(a))
        benchmark.measurement(.theirs, Int(b))
        benchmark.measurement(.perMille, Int(1000 * a / b))
    }
}

import Benchmark
import PNGEncoding
import Peers
import BenchmarkSupport

/// A photograph of 2048x1536 to PNG, one thread each, compared with libvips' `pngsave` and its defaults.
let benchmarks = { @Sendable in
    Benchmark.defaultConfiguration = .init(
        metrics: [.perMille, .ours, .theirs, .sizePerMille], warmupIterations: 1, maxDuration: .seconds(15),
        maxIterations: 20)

    for level in [PNGEncoder.Level.fast, .standard, .small] {
        Benchmark("PNG of a photograph, \(level.rawValue)") { benchmark in
            let pixels = photograph
            let format = PNGFormat(width: width, height: height, channels: .rgb)
            var sizes = (ours: 0, theirs: 0)
            try benchmark.interleaved {
                sizes.ours = try PNGEncoder(level: level).encode(pixels.span, as: format).count
            } theirs: {
                sizes.theirs = peer_png(pixels, Int32(width), Int32(height))
            }
            precondition(sizes.theirs > 0, "libvips made no PNG")
            benchmark.measurement(.sizePerMille, 1000 * sizes.ours / sizes.theirs)
        }
    }
}

private let (width, height) = (2048, 1536)

/// The center of the image of 12 megapixels; decoded once, because the closures above run in every iteration.
private let photograph: [UInt8] = {
    precondition(peer_start(1) == 0)
    let image = peer_open(SampleImages.path(megapixels: 12), 0)
    return [UInt8](unsafeUninitializedCapacity: width * height * 3) { buffer, count in
        precondition(peer_crop(image, 976, 732, Int32(width), Int32(height), buffer.baseAddress) == 0)
        count = width * height * 3
    }
}()

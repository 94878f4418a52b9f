import Benchmark
import JPEGIndexing
import BenchmarkSupport

/// The speed of indexing: megabytes of the file per second.
let benchmarks = { @Sendable in
    Benchmark.defaultConfiguration = .init(
        metrics: [.megabytesPerSecond], warmupIterations: 1, maxDuration: .seconds(10), maxIterations: 20)

    Benchmark("index, one thread") { benchmark in
        try measure(benchmark) { _ = try JPEGIndex($0, header: $1) }
    }

    Benchmark("index, two threads") { benchmark in
        try measure(benchmark) { _ = try JPEGIndex($0, header: $1, threads: 2) }
    }

    Benchmark("index and overview at 1/8") { benchmark in
        try measure(benchmark) { file, header in
            _ = try JPEGIndex(file, header: header) { _, pixels in blackHole(pixels.byteCount) }
        }
    }
}

/// The file is read once; the closures above run in every iteration.
private let file = SampleImages.bytes(SampleImages.path(megapixels: 300))

private func measure(_ benchmark: Benchmark, _ body: (RawSpan, JPEGHeader) throws -> Void) throws {
    let header = try JPEGHeader(file.span.bytes)
    for _ in benchmark.scaledIterations {
        let time = try Benchmark.microseconds { try body(file.span.bytes, header) }
        // Bytes per microsecond are megabytes per second.
        benchmark.measurement(.megabytesPerSecond, Int(Double(file.count) / time))
    }
}

public import Benchmark

extension BenchmarkMetric {
    /// The time in thousandths of that of libvips in the same iteration.
    public static let perMille = custom("‰ of libvips' time", useScalingFactor: false)
    public static let ours = custom("ours (μs)", useScalingFactor: false)
    public static let theirs = custom("libvips (μs)", useScalingFactor: false)
    /// The size in thousandths of that of libvips.
    public static let sizePerMille = custom("‰ of libvips' size", useScalingFactor: false)
    public static let megabytesPerSecond = custom("MB/s", polarity: .prefersLarger, useScalingFactor: false)
}

extension Benchmark {
    /// Runs both in every iteration: a slow phase of the machine affects both.
    public func interleaved(ours: () throws -> Void, theirs: () throws -> Void) rethrows {
        for _ in scaledIterations {
            let a = try Self.microseconds(ours)
            let b = try Self.microseconds(theirs)
            measurement(.ours, Int(a))
            measurement(.theirs, Int(b))
            measurement(.perMille, Int(1000 * a / b))
        }
    }

    /// The time of a closure.
    public static func microseconds(_ body: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        return try clock.measure(body) / .microseconds(1)
    }
}

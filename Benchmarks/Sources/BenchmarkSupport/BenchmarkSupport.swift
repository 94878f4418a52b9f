public import Benchmark

extension BenchmarkMetric {
    /// Our time, in thousandths of libvips' in the same turn.
    public static let perMille = custom("‰ of libvips' time", useScalingFactor: false)
    public static let ours = custom("ours (μs)", useScalingFactor: false)
    public static let theirs = custom("libvips (μs)", useScalingFactor: false)
    /// Our size, in thousandths of libvips'.
    public static let sizePerMille = custom("‰ of libvips' size", useScalingFactor: false)
    public static let megabytesPerSecond = custom("MB/s", polarity: .prefersLarger, useScalingFactor: false)
}

extension Benchmark {
    /// One turn of each in every iteration: what slows the machine for a while slows both.
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

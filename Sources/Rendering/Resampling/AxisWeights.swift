/// The source samples that each output sample reads, and their weights.
///
/// The kernel widens with the ratio of the steps, so that shrinking averages. Beyond the ends of the source, its edge
/// samples are repeated. Where the source samples are means themselves, shrinking compensates for their softness.
/// Where a step or an origin is not finite, or a step is zero, the nearest existing sample is used.
package struct AxisWeights: Sendable {
    /// The first source sample of each output sample.
    package let starts: [Int]
    /// The number of weights of each output sample; unused ones at the end are 0.
    package let taps: Int
    /// `taps` weights for each output sample, in order; they add up to 1.
    package let weights: [Float]

    /// The number of output samples.
    package var count: Int { starts.count }

    /// Computes the weights; grids without samples have none.
    package init(from source: SamplingGrid, to output: SamplingGrid, kernel: ResamplingKernel) {
        guard source.count > 0, output.count > 0 else {
            (starts, taps, weights) = ([], 1, [])
            return
        }
        let kernel = StretchedKernel(kernel, from: source, to: output)
        var rows: [(start: Int, weights: [Double])] = []
        rows.reserveCapacity(output.count)
        for index in 0..<output.count {
            let position = Self.position(of: index, in: output, on: source)
            let nearest = min(max(Self.whole(position.rounded(.down)), 0), source.count - 1)
            rows.append(
                kernel.isNearest
                    ? (nearest, [1])
                    : Self.row(at: position, kernel, count: source.count) ?? (nearest, [1]))
        }
        let taps = rows.reduce(1) { max($0, $1.weights.count) }
        self.taps = taps
        starts = rows.map { min($0.start, max(0, source.count - taps)) }
        var flat = [Float](repeating: 0, count: taps * output.count)
        for (index, row) in rows.enumerated() {
            // A row near the end begins `shift` samples earlier, so that all of its taps exist.
            let shift = row.start - starts[index]
            for (tap, weight) in row.weights.enumerated() where tap + shift < taps {
                flat[index * taps + shift + tap] = Float(weight)
            }
        }
        weights = flat
    }

    /// Returns the end of the range of source samples that an output sample reads.
    package func end(_ index: Int) -> Int { starts[index] + taps }

    /// Returns the range of source samples that the output samples read, including the margins of the kernel.
    ///
    /// The range is not limited to the samples that exist.
    package static func reach(
        from source: SamplingGrid, to output: SamplingGrid, kernel: ResamplingKernel
    ) -> Range<Int> {
        let reach = StretchedKernel(kernel, from: source, to: output).reach
        let first = position(of: 0, in: output, on: source)
        let last = position(of: output.count - 1, in: output, on: source)
        // Half a sample more than any weight needs, so that rounding never requests a missing sample.
        let lower = whole((min(first, last) - reach).rounded(.down))
        return lower..<max(lower, whole((max(first, last) + reach).rounded(.up))) + 1
    }

    /// Returns the center of an output sample, in source samples.
    private static func position(of index: Int, in output: SamplingGrid, on source: SamplingGrid) -> Double {
        let exact = source.index(of: output.center(of: index))
        // Neighboring viewports compute the same position with different sums. Rounding to a millionth of a sample
        // makes them equal, so that the pixels that both show have the same bytes.
        return (exact * 0x1p20).rounded() * 0x1p-20
    }

    /// Returns a position as an integer, clamped to ±10^15; 0 for NaN.
    private static func whole(_ position: Double) -> Int {
        position.isNaN ? 0 : Int(min(max(position, -1e15), 1e15))
    }

    /// Returns the weights at a position; nil where they cannot be normalized.
    private static func row(
        at position: Double, _ kernel: StretchedKernel, count: Int
    ) -> (start: Int, weights: [Double])? {
        guard position.isFinite, kernel.reach.isFinite else { return nil }
        let lower = whole((position - kernel.reach).rounded(.down))
        let upper = max(lower, whole((position + kernel.reach).rounded(.up)))
        let start = min(max(lower, 0), count - 1)
        let end = min(max(upper, 0), count - 1)
        var weights = [Double](repeating: 0, count: end - start + 1)
        var sum = 0.0
        // An output sample that is much wider than the source covers mostly repeated samples, so some are skipped.
        let step = max(1, (upper - lower) / max(4 * count, 1 << 13))
        for sample in stride(from: lower, through: upper, by: step) {
            let value = kernel.weight(at: Double(sample) + 0.5 - position)
            weights[min(max(sample, start), end) - start] += value
            sum += value
        }
        guard sum.isFinite, abs(sum) > 1e-9 else { return nil }
        while weights.count > 1, weights.last == 0 { weights.removeLast() }
        return (start, weights.map { $0 / sum })
    }
}

/// Evenly spaced samples along one axis: sample *i* covers `origin + i * step` up to the next one.
package struct SamplingGrid: Equatable, Sendable {
    /// The beginning of the first sample, in a unit that both grids share (image points).
    package var origin: Double
    /// The width of a sample in that unit.
    package var step: Double
    package var count: Int
    /// The share of each neighbor that shrinking subtracts from a sample, to compensate for the softness of means.
    package var sharpeningCompensation: Double

    package init(origin: Double, step: Double, count: Int, sharpeningCompensation: Double = 0) {
        self.origin = origin
        self.step = step
        self.count = count
        self.sharpeningCompensation = sharpeningCompensation
    }

    /// The end of the last sample.
    package var end: Double { origin + step * Double(count) }

    /// Returns the center of a sample.
    package func center(of index: Int) -> Double { origin + (Double(index) + 0.5) * step }

    /// Returns the number of samples between the origin and a position.
    package func index(of position: Double) -> Double { (position - origin) / step }

    /// Returns the grid of a range of the samples.
    package func part(_ range: Range<Int>) -> SamplingGrid {
        SamplingGrid(
            origin: origin + step * Double(range.lowerBound), step: step, count: range.count,
            sharpeningCompensation: sharpeningCompensation)
    }

    /// Returns the same samples, counted from the other end of an axis of the given length.
    package func mirrored(in length: Double) -> SamplingGrid {
        SamplingGrid(
            origin: length - origin - step * Double(count), step: step, count: count,
            sharpeningCompensation: sharpeningCompensation)
    }
}

/// For every sample of an output grid: which source samples it is made of, and their weights.
///
/// The source is stretched by a kernel that widens with the ratio of the steps, so that shrinking averages.
/// Beyond its ends the source repeats its last sample. Where a source is shrunk whose samples are a little
/// dull themselves, the kernel makes up for that.
package struct AxisWeights: Sendable {
    /// The first source sample of each output sample.
    package let starts: [Int]
    /// How many weights each output sample has; unused ones at the end are 0.
    package let taps: Int
    /// `taps` weights an output sample, in order; they add up to 1.
    package let weights: [Float]

    /// The number of output samples.
    package var count: Int { starts.count }

    package init(from source: SamplingGrid, to output: SamplingGrid, kernel: ResamplingKernel) {
        let kernel = StretchedKernel(kernel, from: source, to: output)
        var rows: [(start: Int, weights: [Double])] = []
        rows.reserveCapacity(output.count)
        for index in 0..<output.count {
            let place = Self.place(of: index, in: output, on: source)
            rows.append(
                kernel.isNearest
                    ? (min(max(Int(place.rounded(.down)), 0), source.count - 1), [1])
                    : Self.row(at: place, kernel, count: source.count))
        }
        let taps = rows.reduce(1) { max($0, $1.weights.count) }
        self.taps = taps
        starts = rows.map { min($0.start, max(0, source.count - taps)) }
        var flat = [Float](repeating: 0, count: taps * output.count)
        for (index, row) in rows.enumerated() {
            // A row near the end begins `shift` samples earlier, so that all its taps exist.
            let shift = row.start - starts[index]
            for (tap, weight) in row.weights.enumerated() where tap + shift < taps {
                flat[index * taps + shift + tap] = Float(weight)
            }
        }
        weights = flat
    }

    /// The one past the last source sample that output sample `index` reads.
    package func end(_ index: Int) -> Int { starts[index] + taps }

    /// The source samples that output samples read: a grid's pixels and what the kernel reaches beyond them.
    ///
    /// Not limited to the samples that exist.
    package static func reach(
        from source: SamplingGrid, to output: SamplingGrid, kernel: ResamplingKernel
    ) -> Range<Int> {
        let reach = StretchedKernel(kernel, from: source, to: output).reach
        let first = place(of: 0, in: output, on: source)
        let last = place(of: output.count - 1, in: output, on: source)
        // Half a sample more than a weight can need: rounding never asks for a missing one.
        let lower = whole((min(first, last) - reach).rounded(.down))
        return lower..<max(lower, whole((max(first, last) + reach).rounded(.up))) + 1
    }

    /// The middle of an output sample, in source samples.
    private static func place(of index: Int, in output: SamplingGrid, on source: SamplingGrid) -> Double {
        let exact = source.index(of: output.center(of: index))
        // Neighboring viewports reach the same place by other sums: a millionth of a sample makes them equal,
        // so that a picture that is moved by a pixel has the same bytes.
        return (exact * 0x1p20).rounded() * 0x1p-20
    }

    /// A place as a whole number; those of pixels that are larger than any image stay far outside of it.
    private static func whole(_ place: Double) -> Int { Int(min(max(place, -1e15), 1e15)) }

    private static func row(
        at place: Double, _ kernel: StretchedKernel, count: Int
    ) -> (start: Int, weights: [Double]) {
        let lower = whole((place - kernel.reach).rounded(.down))
        let upper = whole((place + kernel.reach).rounded(.up))
        let start = min(max(lower, 0), count - 1)
        let end = min(max(upper, 0), count - 1)
        var weights = [Double](repeating: 0, count: end - start + 1)
        var sum = 0.0
        // A pixel that covers millions of samples is mostly what repeats beyond the ends: few of them tell it.
        for sample in stride(from: lower, through: upper, by: max(1, (upper - lower) >> 20)) {
            let value = kernel.weight(at: Double(sample) + 0.5 - place)
            weights[min(max(sample, start), end) - start] += value
            sum += value
        }
        while weights.count > 1, weights.last == 0 { weights.removeLast() }
        return (start, weights.map { $0 / sum })
    }
}

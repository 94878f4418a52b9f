/// A kernel as wide as the samples of an output, over the samples of a source.
struct StretchedKernel {
    /// The distance, in source samples, beyond which nothing counts.
    let reach: Double
    let isNearest: Bool

    private let kernel: ResamplingKernel
    private let stretch: Double
    private let sharpeningCompensation: Double

    init(_ kernel: ResamplingKernel, from source: SamplingGrid, to output: SamplingGrid) {
        self.kernel = kernel
        isNearest = kernel == .nearest
        stretch = isNearest ? 1 : max(1, output.step / source.step)
        // Samples that are shown one for one stay as they are, and those that nearly are, nearly so.
        sharpeningCompensation = isNearest ? 0 : source.sharpeningCompensation * min(1, stretch - 1)
        reach = kernel.radius * stretch + (sharpeningCompensation == 0 ? 0 : 1)
    }

    /// The weight at a distance in source samples; the weights of a place are normalized afterwards.
    func weight(at distance: Double) -> Double {
        let weight = kernel.weight(at: distance / stretch)
        guard sharpeningCompensation != 0 else { return weight }
        let before = kernel.weight(at: (distance - 1) / stretch)
        let after = kernel.weight(at: (distance + 1) / stretch)
        return weight + sharpeningCompensation * (2 * weight - before - after)
    }
}

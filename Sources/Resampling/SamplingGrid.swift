/// Evenly spaced samples along one axis: sample *i* covers `origin + i * step` up to the next.
package struct SamplingGrid: Equatable, Sendable {
    /// Where the first sample begins, in a unit that both grids share (image points).
    package var origin: Double
    /// The width of a sample in that unit.
    package var step: Double
    package var count: Int
    /// The share of its neighbors that is taken from a sample where samples are shrunk: what makes up for
    /// their being duller than the finer ones that they stand for.
    package var sharpeningCompensation: Double

    package init(origin: Double, step: Double, count: Int, sharpeningCompensation: Double = 0) {
        self.origin = origin
        self.step = step
        self.count = count
        self.sharpeningCompensation = sharpeningCompensation
    }
}

/// Evenly spaced samples along one axis, as an affine map: sample *i* covers `origin + i * step` up to the next.
///
/// Levels, pictures and their parts are all said this way, in image points.
package struct SamplingGrid: Equatable, Sendable {
    /// Where the first sample begins, in a unit that all grids share (image points).
    package var origin: Double
    /// The width of a sample in that unit.
    package var step: Double
    package var count: Int
    /// The share of its neighbors that is taken from a sample where samples are shrunk: what makes up for
    /// their being less sharp than the finer ones that they stand for.
    package var sharpeningCompensation: Double

    package init(origin: Double, step: Double, count: Int, sharpeningCompensation: Double = 0) {
        self.origin = origin
        self.step = step
        self.count = count
        self.sharpeningCompensation = sharpeningCompensation
    }

    /// Where the last sample ends.
    package var end: Double { origin + step * Double(count) }

    /// The middle of a sample.
    package func center(of index: Int) -> Double { origin + (Double(index) + 0.5) * step }

    /// Where a position lies, counted in samples from the origin.
    package func index(of position: Double) -> Double { (position - origin) / step }

    /// Some of the samples, as a grid of their own.
    package func part(_ range: Range<Int>) -> SamplingGrid {
        SamplingGrid(
            origin: origin + step * Double(range.lowerBound), step: step, count: range.count,
            sharpeningCompensation: sharpeningCompensation)
    }

    /// The same samples counted from the other end of an axis of a length.
    package func mirrored(in length: Double) -> SamplingGrid {
        SamplingGrid(
            origin: length - origin - step * Double(count), step: step, count: count,
            sharpeningCompensation: sharpeningCompensation)
    }
}

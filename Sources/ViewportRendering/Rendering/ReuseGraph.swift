internal import Resampling

/// Which of several pictures of a file are read, and which are made from a larger one.
struct ReuseGraph {
    /// For each picture the one that it is made from; nil where it is read.
    private(set) var parents: [Int?]
    /// The largest first: every picture comes after the one that it is made from.
    let order: [Int]

    init(_ grids: [PictureGrid]) {
        let order = grids.indices.sorted { (grids[$0].step, $0) < (grids[$1].step, $1) }
        var parents = [Int?](repeating: nil, count: grids.count)
        for (place, index) in order.enumerated() {
            parents[index] = order[..<place].last { grids[$0].canMake(grids[index]) }
        }
        self.parents = parents
        self.order = order
    }
}

extension PictureGrid {
    /// The finer of the steps.
    fileprivate var step: Double { min(columns.step, rows.step) }

    /// Whether another picture can be made from this one: it shows no more, and its pixels are large enough.
    fileprivate func canMake(_ other: Self) -> Bool {
        self == other || columns.canMake(other.columns) && rows.canMake(other.rows)
    }
}

extension SamplingGrid {
    /// A picture that is a third of another loses 0.4 dB by being made from its 8-bit pixels, a half of it 1 dB;
    /// two and a half percent less come of sizes that were rounded to whole pixels.
    fileprivate func canMake(_ other: Self) -> Bool {
        let reach = step / 2
        return other.step * 1.025 >= step * 3 && other.origin >= origin - reach && other.end <= end + reach
    }

    private var end: Double { origin + step * Double(count) }
}

/// The prediction of the bytes of a row; the raw value is the filter byte of PNG.
///
/// The first three predict from at most one byte and run at memory speed; the others are for the smallest files.
enum RowFilter: UInt8, CaseIterable {
    case none = 0
    case sub = 1
    case up = 2
    case average = 3
    case paeth = 4
}

/// The filters of the rows of an image.
enum FilterChoice: Hashable {
    /// One filter for all rows.
    case all(RowFilter)
    /// For each row the filter whose differences have the least sum of absolute values.
    case leastSum
}

extension RowFilter {
    /// Writes the filter byte, and `row` minus its prediction, to `output`.
    ///
    /// - Parameters:
    ///   - previous: The row above, of the same length; nil for the first row.
    ///   - distance: The number of bytes between a sample and the same sample of the previous pixel.
    @inline(__always)
    func write(
        _ row: UnsafeByteView, previous: UnsafeByteView?, distance: Int, to output: UnsafeMutableByteView
    ) {
        output[0] = rawValue
        switch self {
        case .none:
            output.copy(row, at: 1)
        case .sub:
            let first = min(distance, row.count)
            output.copy(row.part(0, count: first), at: 1)
            let rest = row.count - first
            output.part(1 + first, count: rest).setDifference(
                of: row.part(first, count: rest), and: row.part(0, count: rest))
        case .up:
            if let previous {
                output.part(1, count: row.count).setDifference(of: row, and: previous)
            } else {
                output.copy(row, at: 1)
            }
        case .average:
            for index in 0..<row.count {
                let left = index < distance ? 0 : Int(row[index &- distance])
                let mean = (left &+ Int(previous?[index] ?? 0)) / 2
                output[index &+ 1] = row[index] &- UInt8(truncatingIfNeeded: mean)
            }
        case .paeth:
            for index in 0..<row.count {
                let left = index < distance ? 0 : Int(row[index &- distance])
                let up = Int(previous?[index] ?? 0)
                let corner = index < distance ? 0 : Int(previous?[index &- distance] ?? 0)
                let (toLeft, toUp) = (abs(up &- corner), abs(left &- corner))
                let toCorner = abs(left &+ up &- 2 &* corner)
                let best =
                    toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner
                output[index &+ 1] = row[index] &- UInt8(truncatingIfNeeded: best)
            }
        }
    }

    /// Writes a row with the filter whose differences have the least sum of absolute values.
    static func writeLeastSum(
        _ row: UnsafeByteView, previous: UnsafeByteView?, distance: Int, to output: UnsafeMutableByteView,
        trial: UnsafeMutableByteView
    ) {
        var least = Int.max
        for filter in allCases {
            filter.write(row, previous: previous, distance: distance, to: trial)
            var sum = 0
            for index in 1..<trial.count {
                sum &+= Int(Int8(bitPattern: trial[index]).magnitude)
            }
            guard sum < least else { continue }
            least = sum
            output.copy(trial.readable, at: 0)
        }
    }
}

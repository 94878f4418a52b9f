/// How each byte of a row is predicted; the raw value is the byte that PNG writes before the row.
///
/// Only the three whose prediction is one byte subtracted: they run at memory speed, and compression
/// gains little from the others on photographs.
enum RowFilter: UInt8, CaseIterable {
    case none = 0
    case sub = 1
    case up = 2
}

extension RowFilter {
    /// Writes the filter's own byte and `row` less its prediction to `output`.
    ///
    /// `previous` is the row above, of the same length, nil for the first row; `distance` is the bytes from
    /// a sample to the same sample of the pixel on the left.
    @inline(__always)
    func write(_ row: Bytes, previous: Bytes?, distance: Int, to output: MutableBytes) {
        output[0] = rawValue
        switch self {
        case .none:
            output.copy(row, at: 1)
        case .sub:
            let first = min(distance, row.count)
            output.copy(row.part(0, count: first), at: 1)
            let rest = row.count - first
            Self.subtract(
                row.part(0, count: rest), from: row.part(first, count: rest),
                to: output.part(1 + first, count: rest))
        case .up:
            if let previous {
                Self.subtract(previous, from: row, to: output.part(1, count: row.count))
            } else {
                output.copy(row, at: 1)
            }
        }
    }

    /// `row` less `prediction`, byte by byte with wrap-around.
    @inline(never)
    private static func subtract(_ prediction: Bytes, from row: Bytes, to output: MutableBytes) {
        let count = row.count
        var index = 0
        while index &+ 32 <= count {
            let value =
                row.load(index, as: SIMD32<UInt8>.self) &- prediction.load(index, as: SIMD32<UInt8>.self)
            output.store(value, at: index)
            index &+= 32
        }
        while index < count {
            output[index] = row[index] &- prediction[index]
            index &+= 1
        }
    }
}

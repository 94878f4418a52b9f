/// Places in a JPEG's compressed data from which decoding can begin.
///
/// One at the beginning of each row of MCUs and every `interval` MCUs in it. An index is a hint about the file
/// it was made from: whatever it says, reading through it stays inside the file.
public struct JPEGIndex: Hashable, Sendable {
    /// MCUs between two places of a row.
    public let interval: Int
    /// The rows of MCUs that are indexed, from the top.
    public let rows: Int
    /// MCUs in a row.
    let mcusPerRow: Int
    /// The places, in bits from the beginning of the file.
    var places: [UInt64]
    /// The last DC value of each component before each place.
    var predictors: [SIMD4<Int16>]

    /// The interval that is used unless another is asked for.
    public static let standardInterval = 64

    init(interval: Int, rows: Int, mcusPerRow: Int, places: [UInt64] = [], predictors: [SIMD4<Int16>] = []) {
        self.interval = interval
        self.rows = rows
        self.mcusPerRow = mcusPerRow
        self.places = places
        self.predictors = predictors
    }

    /// The places of a row.
    var placesPerRow: Int { (mcusPerRow + interval - 1) / interval }

    /// Notes the place where a cursor stands.
    mutating func append(_ cursor: MCUCursor) throws(JPEGIndexError) {
        let values = cursor.state.predictors
        let small = SIMD4<Int16>(truncatingIfNeeded: values)
        // Predictors of data that is not broken are of 12 bits.
        guard SIMD4<Int32>(truncatingIfNeeded: small) == values else { throw cursor.error }
        places.append(cursor.place)
        predictors.append(small)
    }

    /// A cursor at an MCU: from the place before it, over the MCUs between.
    func cursor(
        _ scanner: EntropyScanner, _ data: LentBytes, row: Int, column: Int
    ) throws(JPEGIndexError) -> MCUCursor {
        guard row < rows, column < mcusPerRow, mcusPerRow == scanner.header.mcusPerRow else { throw .outside }
        let number = row * placesPerRow + column / interval
        let first = column / interval * interval
        var cursor = MCUCursor(
            scanner, data, mcu: row * mcusPerRow + first, place: places[number],
            predictors: SIMD4<Int32>(truncatingIfNeeded: predictors[number]))
        try cursor.advance(by: column - first)
        return cursor
    }
}

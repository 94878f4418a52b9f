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

    /// The interval for files whose parts are read again and again: 16 bytes of memory for every four MCUs.
    public static let denseInterval = 4

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
        predictors.append(try cursor.savedPredictors)
        places.append(cursor.place)
    }

    /// The last place at or before an MCU of a row; the column behind the row's last is of that row still.
    func place(row: Int, column: Int) throws(JPEGIndexError) -> Int {
        guard row >= 0, row < rows, column >= 0, column <= mcusPerRow else { throw .outside }
        return row * placesPerRow + min(column / interval, placesPerRow - 1)
    }

    /// A cursor at a place.
    func cursor(_ scanner: EntropyScanner, _ window: ByteWindow, at place: Int) -> MCUCursor {
        MCUCursor(
            scanner, window, mcu: mcu(ofPlace: place), place: places[place],
            predictors: SIMD4<Int32>(truncatingIfNeeded: predictors[place]))
    }
}

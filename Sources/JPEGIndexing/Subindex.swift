internal import Synchronization

/// Places between those of an index, found when a part is first read and kept for all that follow.
///
/// All together they take the memory of an index of `JPEGIndex.denseInterval`.
final class Subindex: Sendable {
    private struct Place {
        var bit: UInt64
        var predictors: SIMD4<Int16>
    }

    private static let interval = JPEGIndex.denseInterval

    /// The places from one place of the index to the next, by the number of the first.
    private let found = Mutex([Int: [Place]]())

    /// Nil where the index has places enough of its own.
    init?(between index: JPEGIndex) {
        guard index.interval > Self.interval else { return nil }
    }

    /// A cursor at the last known place at or before the MCU of a number.
    func cursor(
        before mcu: Int, after place: Int, of index: JPEGIndex, _ scanner: EntropyScanner,
        _ window: ByteWindow
    ) throws(JPEGIndexError) -> MCUCursor {
        let first = index.mcu(ofPlace: place)
        let places = try places(after: place, of: index, scanner, window)
        let number = min((mcu - first) / Self.interval, places.count - 1)
        return MCUCursor(
            scanner, window, mcu: first + number * Self.interval, place: places[number].bit,
            predictors: SIMD4<Int32>(truncatingIfNeeded: places[number].predictors))
    }

    private func places(
        after place: Int, of index: JPEGIndex, _ scanner: EntropyScanner, _ window: ByteWindow
    ) throws(JPEGIndexError) -> [Place] {
        if let known = found.withLock({ $0[place] }) { return known }
        var cursor = index.cursor(scanner, window, at: place)
        let rowEnd = (place / index.placesPerRow + 1) * index.mcusPerRow
        let end = min(cursor.mcu + index.interval, rowEnd)
        var places = [Place(bit: cursor.place, predictors: try cursor.savedPredictors)]
        while cursor.mcu + Self.interval < end {
            try cursor.advance(by: Self.interval)
            places.append(Place(bit: cursor.place, predictors: try cursor.savedPredictors))
        }
        // Two threads may have found the same.
        found.withLock { [places] in $0[place] = places }
        return places
    }
}

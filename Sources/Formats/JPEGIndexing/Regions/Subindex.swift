internal import Synchronization

/// Checkpoints between those of an index, found by the first read of a part and kept for later reads.
///
/// Together they take the memory of an index of `JPEGIndex.denseInterval`.
final class Subindex: Sendable {
    private struct Checkpoint {
        var bitPosition: UInt64
        var predictors: SIMD4<Int16>
    }

    private static let interval = JPEGIndex.denseInterval

    /// The checkpoints from each of the index to the next; empty where they were not found yet.
    private let found: Mutex<[[Checkpoint]]>

    /// Returns nil if the index is as dense.
    init?(between index: JPEGIndex) {
        guard index.interval > Self.interval else { return nil }
        found = Mutex(Array(repeating: [], count: index.checkpointCount))
    }

    /// A cursor at the last checkpoint at or before an MCU, which lies behind a checkpoint of the index.
    func cursor(
        before mcu: Int, after checkpoint: Int, of index: JPEGIndex, _ scanner: EntropyScanner,
        _ window: ByteWindow
    ) throws(JPEGIndexError) -> MCUCursor {
        let first = index.mcu(ofCheckpoint: checkpoint)
        let checkpoints = try checkpoints(after: checkpoint, of: index, scanner, window)
        let number = min((mcu - first) / Self.interval, checkpoints.count - 1)
        return MCUCursor(
            scanner, window, mcu: first + number * Self.interval,
            bitPosition: checkpoints[number].bitPosition,
            predictors: SIMD4<Int32>(truncatingIfNeeded: checkpoints[number].predictors))
    }

    private func checkpoints(
        after checkpoint: Int, of index: JPEGIndex, _ scanner: EntropyScanner, _ window: ByteWindow
    ) throws(JPEGIndexError) -> [Checkpoint] {
        let known = found.withLock { $0[checkpoint] }
        guard known.isEmpty else { return known }
        var cursor = index.cursor(scanner, window, at: checkpoint)
        let rowEnd = (checkpoint / index.checkpointsPerRow + 1) * index.mcusPerRow
        let end = min(cursor.mcu + index.interval, rowEnd)
        var result = [Checkpoint(bitPosition: cursor.bitPosition, predictors: try cursor.savedPredictors)]
        while cursor.mcu + Self.interval < end {
            try cursor.advance(by: Self.interval)
            result.append(
                Checkpoint(bitPosition: cursor.bitPosition, predictors: try cursor.savedPredictors))
        }
        // Two threads may have found the same.
        found.withLock { [result] in $0[checkpoint] = result }
        return result
    }
}

#if hasFeature(Embedded)
// A WebAssembly module has one thread.
struct Mutex<Value>: @unchecked Sendable {
    private final class Box {
        var value: Value

        init(_ value: Value) { self.value = value }
    }

    private let box: Box

    init(_ value: Value) { box = Box(value) }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result { body(&box.value) }
}
#endif

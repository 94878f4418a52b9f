internal import Dispatch
internal import Synchronization

/// Hands rows from the thread that reads them to another one, so that decoding and scaling overlap.
package enum RowHandover {
    /// The rows that are handed over at a time take about as many bytes, which stay in the processor's cache.
    private static let bandBytes = 1 << 18
    /// The bands that are read ahead.
    private static let bands = 3
    /// Fewer bytes take less time than starting a thread.
    private static let fewestBytes = 4 << 20

    /// Calls `read` on this thread, and `consume` with its rows in their order, on another thread where that pays.
    ///
    /// - Parameters:
    ///   - rowBytes: The size of a row.
    ///   - rows: The number of rows.
    ///   - threads: The threads that may be used.
    /// - Throws: what `read` or `consume` throws; after an error of `consume` no row is read any more.
    package static func run(
        rowBytes: Int, rows: Int, threads: Int, _ read: ((RawSpan) throws -> Void) throws -> Void,
        consume: @escaping (RawSpan) throws -> Void
    ) throws {
        guard threads > 1, rowBytes > 0, rows >= fewestBytes / rowBytes else { return try read(consume) }
        let capacity = max(1, bandBytes / rowBytes) * rowBytes
        let consumer = Consumer(consume, rowBytes)
        defer { consumer.finish() }
        var band: [UInt8] = []
        band.reserveCapacity(capacity)
        try read { row in
            // The consumer's thread does not belong to the task.
            guard !Task.isCancelled else { throw CancellationError() }
            // Copied before the call returns.
            unsafe row.withUnsafeBytes { unsafe band.append(contentsOf: $0) }
            guard band.count >= capacity else { return }
            let full = band
            band = []
            try consumer.take(full)
            band.reserveCapacity(capacity)
        }
        try consumer.take(band)
        consumer.finish()
        try consumer.check()
    }

    /// Consumes bands of rows one after another on another thread.
    private final class Consumer: Sendable {
        private let queue = DispatchQueue(label: "rows")
        private let free = DispatchSemaphore(value: RowHandover.bands)
        private let failure = Mutex<(any Error)?>(nil)
        // Used on the serial queue only; nil behind `finish`.
        private nonisolated(unsafe) var consume: ((RawSpan) throws -> Void)?
        private let rowBytes: Int

        init(_ consume: @escaping (RawSpan) throws -> Void, _ rowBytes: Int) {
            unsafe self.consume = consume
            self.rowBytes = rowBytes
        }

        /// Waits until few bands are left, and adds one.
        func take(_ band: [UInt8]) throws {
            free.wait()
            queue.async {
                self.work(band)
                self.free.signal()
            }
            try check()
        }

        private func work(_ band: [UInt8]) {
            guard let consume = unsafe consume, failure.withLock({ $0 == nil }) else { return }
            do {
                for start in stride(from: 0, to: band.count, by: rowBytes) {
                    try band.withRow(start..<(start + rowBytes)) { try consume($0) }
                }
            } catch {
                failure.withLock { $0 = error }
            }
        }

        /// Throws what consuming has thrown.
        func check() throws {
            if let failure = failure.withLock({ $0 }) { throw failure }
        }

        /// Waits until all bands are consumed, and gives the closure back.
        func finish() { queue.sync { unsafe consume = nil } }
    }
}

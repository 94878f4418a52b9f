internal import Dispatch
package import Files
internal import Synchronization

/// Bytes that closures supply, of which those that were read last are kept.
///
/// Readers of an image come back to what they have read: a scan finds the blocks that are decoded next, and its threads
/// read some bytes beyond their parts. While one thread waits for bytes, others that need the same wait for them, too.
package final class SuppliedBytes: RandomAccessBytes {
    package let count: Int
    package let isRemote: Bool
    private let capacity: Int
    private let announce: @Sendable ([Range<Int>]) -> Void
    private let supply: @Sendable (Range<Int>) throws -> [UInt8]
    private let state: Mutex<State>

    private struct State {
        var store: ByteStore
        /// What threads wait for; no two ranges overlap.
        var pending: [Range<Int>] = []
        var waiters: [DispatchSemaphore] = []
    }

    /// The bytes that are kept of a source that costs little.
    package static let usualCapacity = 8 << 20

    /// - Parameters:
    ///   - capacity: the most bytes that are kept; 0 for bytes that are in memory already.
    ///   - announce: receives the ranges that will be read.
    ///   - supply: Returns the bytes of a range.
    package init(
        count: Int, isRemote: Bool, capacity: Int = usualCapacity,
        announce: @escaping @Sendable ([Range<Int>]) -> Void,
        supply: @escaping @Sendable (Range<Int>) throws -> [UInt8]
    ) {
        (self.count, self.isRemote, self.capacity) = (count, isRemote, capacity)
        (self.announce, self.supply) = (announce, supply)
        state = Mutex(State(store: ByteStore(capacity: capacity, keepsBytes: true)))
    }

    /// Announces the parts of ranges that are not kept.
    package func willRead(_ ranges: [Range<Int>]) {
        let ranges = ranges.map { $0.clamped(to: 0..<count) }
        announce(state.withLock { state in ranges.flatMap { state.store.missing(in: $0) } })
    }

    private enum Step {
        case copied(Int)
        case wait(DispatchSemaphore)
        case missing(Range<Int>)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError) {
        // What would replace most of the others is not worth it: copies of whole files.
        let keeps = buffer.count <= capacity / 4
        var done = 0
        while done < buffer.count {
            // The rest of the caller's buffer, which outlives the call.
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let start = position + done
            switch keeps ? unsafe next(start, rest) : .missing(start..<(start + rest.count)) {
            case .copied(let length): done += length
            case .wait(let semaphore): semaphore.wait()
            case .missing(let range):
                let bytes: [UInt8]
                do throws(FileError) {
                    bytes = try supplied(range)
                } catch {
                    if keeps { end(range, []) }
                    throw error
                }
                if keeps { end(range, bytes) }
                // As many as the buffer has room for.
                unsafe rest.copyBytes(from: bytes)
                done += range.count
            }
        }
    }

    /// Copies what is there, or finds the next range to load or to wait for.
    private func next(_ start: Int, _ buffer: UnsafeMutableRawBufferPointer) -> Step {
        state.withLock { state in
            let length = unsafe state.store.copy(from: start, into: buffer)
            if length > 0 { return .copied(length) }
            if state.pending.contains(where: { $0.contains(start) }) {
                let semaphore = DispatchSemaphore(value: 0)
                state.waiters.append(semaphore)
                return .wait(semaphore)
            }
            let missing = state.store.missing(in: start..<(start + buffer.count))[0]
            let end = state.pending.map(\.lowerBound).filter { $0 > start }.min() ?? missing.upperBound
            let range = start..<min(missing.upperBound, end)
            state.pending.append(range)
            return .missing(range)
        }
    }

    private func end(_ range: Range<Int>, _ bytes: [UInt8]) {
        let waiters = state.withLock { state in
            state.pending.removeAll { $0 == range }
            if !bytes.isEmpty { _ = state.store.insert(bytes, at: range.lowerBound) }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.signal() }
    }

    private func supplied(_ range: Range<Int>) throws(FileError) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try supply(range)
        } catch {
            throw .unreadable("\(error)")
        }
        guard bytes.count == range.count else {
            throw .unreadable("its source returned \(bytes.count) of \(range.count) bytes")
        }
        return bytes
    }
}

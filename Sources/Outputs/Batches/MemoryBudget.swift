internal import Dispatch
package import MemoryWatching
internal import Synchronization

/// Memory that the items of a batch share: an item waits until its estimate fits.
///
/// Items get memory in the order in which they ask, so that small ones do not keep a large one waiting for ever. One that
/// does not fit alone gets all of it.
package final class MemoryBudget: Sendable {
    private struct State {
        var free: Int
        /// The items that wait, first come, first served.
        var waiting: [(bytes: Int, isServed: DispatchSemaphore)] = []
    }

    /// The memory in bytes.
    package let byteCount: Int
    private let state: Mutex<State>

    /// The memory that decoders of whole images are limited to.
    private static let largestItem = 3 << 29

    /// Creates a budget of 60 % of the memory; nil if any items fit side by side.
    package convenience init?(jobs: Int, limit: MemoryLimit? = MemoryLimit.current) {
        guard let limit else { return nil }
        let bytes = limit.byteCount / 10 * 6
        guard bytes / jobs < Self.largestItem else { return nil }
        self.init(byteCount: bytes)
    }

    package init(byteCount: Int) {
        self.byteCount = max(0, byteCount)
        state = Mutex(State(free: self.byteCount))
    }

    /// Calls a closure while it holds memory; blocks the calling thread until there is enough.
    package func holding<R>(_ bytes: Int, _ body: () -> R) -> R {
        let share = min(max(0, bytes), byteCount)
        let turn = state.withLock { state -> DispatchSemaphore? in
            if state.waiting.isEmpty, state.free >= share {
                state.free -= share
                return nil
            }
            let turn = DispatchSemaphore(value: 0)
            state.waiting.append((share, turn))
            return turn
        }
        turn?.wait()
        defer {
            state.withLock { state in
                state.free += share
                while let first = state.waiting.first, state.free >= first.bytes {
                    state.free -= first.bytes
                    state.waiting.removeFirst().isServed.signal()
                }
            }
        }
        return body()
    }
}

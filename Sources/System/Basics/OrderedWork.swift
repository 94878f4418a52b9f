internal import Dispatch
internal import Synchronization

/// Values that several threads make, and the caller uses in order.
///
/// The caller makes values while it waits, so that the work ends where no other thread is free. One value more than
/// there are threads is in memory: without it, threads wait for a value that takes longer than the next.
package final class OrderedWork<Value: Sendable>: Sendable {
    private struct State {
        /// The next value to make.
        var next = 0
        /// The values that the caller has used.
        var used = 0
        /// The other threads at work.
        var workers = 0
        var isEnded = false
        var made: [Int: Result<Value, any Error>] = [:]
    }

    private let count: Int
    private let threads: Int
    private let make: @Sendable (Int) throws -> Value
    private let state = Mutex(State())
    private let isMade = DispatchSemaphore(value: 0)
    private let workers = DispatchGroup()

    private init(_ count: Int, threads: Int, _ make: @escaping @Sendable (Int) throws -> Value) {
        self.count = count
        self.threads = threads
        self.make = make
    }

    /// Makes some values and passes each to the caller, from the first on.
    ///
    /// - Parameters:
    ///   - make: Called on any thread, never after this call has returned.
    ///   - use: Called on this thread.
    /// - Throws: The first error of `make` or `use`.
    package static func run(
        _ count: Int, threads: Int, make: @escaping @Sendable (Int) throws -> Value,
        use: (Value) throws -> Void
    ) throws {
        guard threads > 1, count > 1 else {
            for index in 0..<count { try use(make(index)) }
            return
        }
        let work = OrderedWork(count, threads: threads, make)
        defer { work.end() }
        for index in 0..<count {
            work.startWorkers()
            try use(work.value(index).get())
            work.state.withLock { $0.used += 1 }
        }
    }

    /// Starts threads for the values that can be made besides the one that the caller makes.
    private func startWorkers() {
        let missing = state.withLock { state in
            let waiting = end(state) - state.next
            let missing = max(0, min(threads - 1, waiting) - state.workers)
            state.workers += missing
            return missing
        }
        for _ in 0..<missing {
            WorkerThread.start("viewport.ordered", in: workers) {
                while self.makeNext() {}
                self.state.withLock { $0.workers -= 1 }
            }
        }
    }

    /// Makes the next value; false where there is none, or too many wait for the caller.
    private func makeNext() -> Bool {
        let index = state.withLock { state -> Int? in
            guard !state.isEnded, state.next < end(state) else { return nil }
            state.next += 1
            return state.next - 1
        }
        guard let index else { return false }
        let value = Result { try make(index) }
        state.withLock { $0.made[index] = value }
        isMade.signal()
        return true
    }

    /// The end of the values that may be made now.
    private func end(_ state: State) -> Int { min(count, state.used + threads + 1) }

    /// Waits for a value, and makes others meanwhile.
    private func value(_ index: Int) -> Result<Value, any Error> {
        while true {
            if let value = state.withLock({ $0.made.removeValue(forKey: index) }) { return value }
            if !makeNext() { isMade.wait() }
        }
    }

    private func end() {
        state.withLock { $0.isEnded = true }
        workers.wait()
    }
}

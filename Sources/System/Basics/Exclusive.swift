package import Dispatch
private import Platform
private import Synchronization

/// A value that one thread at a time uses, for as long as that takes.
///
/// A `Mutex` is held for moments: threads that wait for it keep processors busy, and cannot be cancelled. Those that wait
/// for this value sleep, get it in the order of their arrival, and stop waiting when their task is cancelled.
// Only the thread whose turn it is touches the value.
package final class Exclusive<Value>: @unchecked Sendable {
    private struct Waiter {
        let thread: UInt
        let isNext = DispatchSemaphore(value: 0)
    }

    private struct Turns {
        /// The thread that uses the value.
        var thread: UInt?
        var waiters: [Waiter] = []
    }

    private var value: Value
    private let turns = Mutex(Turns())

    package init(_ value: sending Value) {
        self.value = value
    }

    /// Lends the value to a closure; other threads wait.
    ///
    /// - Parameter cancelled: The error if the task of the calling thread is cancelled while it waits.
    /// - Precondition: The calling thread does not use the value already.
    package func withValue<R, E: Error>(
        cancelled: @autoclosure () -> E, _ body: (inout Value) throws(E) -> R
    ) throws(E) -> R {
        guard waitForTurn(isCancellable: true) else { throw cancelled() }
        defer { giveTurn() }
        return try body(&value)
    }

    /// Lends the value to a closure; other threads wait.
    ///
    /// - Throws: `CancellationError` if the task of the calling thread is cancelled while it waits.
    /// - Precondition: The calling thread does not use the value already.
    package func withValue<R>(_ body: (inout Value) throws -> R) throws -> R {
        try withValue(cancelled: CancellationError(), body)
    }

    /// Lends the value to a closure; other threads wait.
    ///
    /// The calling thread waits even if its task is cancelled.
    ///
    /// - Precondition: The calling thread does not use the value already.
    package func withValueEvenIfCancelled<R, E: Error>(
        _ body: (inout Value) throws(E) -> R
    ) throws(E) -> R {
        _ = waitForTurn(isCancellable: false)
        defer { giveTurn() }
        return try body(&value)
    }

    /// Lends the value to a closure unless another thread uses it; then returns nil at once.
    package func withValueIfFree<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R? {
        let isFree = turns.withLock { turns in
            guard turns.thread == nil else { return false }
            turns.thread = Self.currentThread
            return true
        }
        guard isFree else { return nil }
        defer { giveTurn() }
        return try body(&value)
    }

    /// The number of threads that wait.
    package var waiterCount: Int { turns.withLock { $0.waiters.count } }

    /// Returns true when it is the calling thread's turn, false if its task is cancelled before.
    private func waitForTurn(isCancellable: Bool) -> Bool {
        let thread = Self.currentThread
        let waiter = turns.withLock { turns -> Waiter? in
            precondition(turns.thread != thread, "a thread waits for itself")
            guard turns.thread != nil else {
                turns.thread = thread
                return nil
            }
            let waiter = Waiter(thread: thread)
            turns.waiters.append(waiter)
            return waiter
        }
        guard let waiter else { return true }
        guard isCancellable else {
            waiter.isNext.wait()
            return true
        }
        if waiter.isNext.waitUnlessCancelled() { return true }
        return turns.withLock { turns in
            guard let index = turns.waiters.firstIndex(where: { $0.isNext === waiter.isNext }) else {
                // Its turn has come meanwhile.
                return true
            }
            turns.waiters.remove(at: index)
            return false
        }
    }

    private func giveTurn() {
        let next = turns.withLock { turns in
            let next = turns.waiters.isEmpty ? nil : turns.waiters.removeFirst()
            // The turn is handed over before the next thread wakes: one that arrives meanwhile has to queue.
            turns.thread = next?.thread
            return next
        }
        next?.isNext.signal()
    }

    private static var currentThread: UInt {
        #if canImport(Glibc)
        pthread_self()
        #else
        UInt(bitPattern: pthread_self())
        #endif
    }
}

extension DispatchSemaphore {
    /// Waits for a signal; returns false if the task of the calling thread is cancelled before.
    ///
    /// A thread without a task waits for the signal.
    package func waitUnlessCancelled() -> Bool {
        guard unsafe withUnsafeCurrentTask(body: { unsafe $0 != nil }) else {
            wait()
            return true
        }
        // Nothing calls synchronous code when its task is cancelled.
        repeat {
            if Task.isCancelled { return false }
        } while wait(timeout: .now() + .milliseconds(20)) == .timedOut
        return true
    }
}

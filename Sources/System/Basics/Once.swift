private import Synchronization

/// A value that is made when it is first needed, on the thread of the first caller, and then shared.
///
/// Concurrent callers wait, asleep, until it is made. A failure is not kept, nor what a cancelled caller began: then one
/// of those that wait makes the value. To keep a failure, make it part of the value.
package final class Once<Value: Sendable>: Sendable {
    // Held for moments only: who needs a value that is made never waits for one that is being made.
    private let kept = Mutex<Value?>(nil)
    private let making = Exclusive(())

    package init() {}

    /// The value, if it is made.
    package var valueIfMade: Value? { kept.withLock { $0 } }

    /// Returns the value, and makes it unless it is made.
    ///
    /// - Parameters:
    ///   - cancelled: The error if the task of the calling thread is cancelled while another thread makes the value.
    ///   - make: Must not ask for the value.
    package func value<E: Error>(
        cancelled: @autoclosure () -> E, _ make: () throws(E) -> Value
    ) throws(E) -> Value {
        if let value = valueIfMade { return value }
        return try making.withValue(cancelled: cancelled()) { _ throws(E) in try made(make) }
    }

    /// Returns the value, and makes it unless it is made.
    ///
    /// - Parameter make: Must not ask for the value.
    /// - Throws: The error of `make`, or `CancellationError` if the task of the calling thread is cancelled while another
    ///   thread makes the value.
    package func value(_ make: () throws -> Value) throws -> Value {
        try value(cancelled: CancellationError(), make)
    }

    /// Returns the value, and makes it unless it is made; waits for another thread even if the task is cancelled.
    ///
    /// - Parameter make: Must not ask for the value.
    package func valueEvenIfCancelled<E: Error>(_ make: () throws(E) -> Value) throws(E) -> Value {
        if let value = valueIfMade { return value }
        return try making.withValueEvenIfCancelled { _ throws(E) in try made(make) }
    }

    /// Keeps a value that was made elsewhere.
    package func keep(_ value: Value) { kept.withLock { $0 = value } }

    /// The number of threads that wait.
    package var waiterCount: Int { making.waiterCount }

    private func made<E: Error>(_ make: () throws(E) -> Value) throws(E) -> Value {
        // Another caller may have made it meanwhile.
        if let value = valueIfMade { return value }
        let value = try make()
        keep(value)
        return value
    }
}

private import Dispatch
private import Synchronization

/// Two threads that encode and write tiles while a third reads.
///
/// Only so many tiles wait at once: whoever brings more waits too, so that memory stays bounded.
final class TileWorkers: Sendable {
    private let queues = (0..<2).map { DispatchQueue(label: "viewport.tiles.\($0)") }
    private let turn = Atomic(0)
    private let slots = DispatchSemaphore(value: 32)
    private let group = DispatchGroup()
    private let failure = Mutex<(any Error)?>(nil)

    /// Takes work, and waits while there is too much.
    ///
    /// - Throws: the first error of any work before.
    func submit(_ work: @escaping @Sendable () throws -> Void) throws {
        slots.wait()
        do {
            try check()
        } catch {
            slots.signal()
            throw error
        }
        let queue = queues[turn.wrappingAdd(1, ordering: .relaxed).oldValue % queues.count]
        queue.async(group: group) { [self] in
            defer { slots.signal() }
            // After an error nothing counts any more.
            guard failure.withLock({ $0 == nil }) else { return }
            do {
                try work()
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }
    }

    /// Waits for all work.
    ///
    /// - Throws: the first error of any.
    func finish() throws {
        group.wait()
        try check()
    }

    /// Waits for what has begun and forgets the rest.
    func abandon() {
        failure.withLock { $0 = $0 ?? CancellationError() }
        group.wait()
    }

    private func check() throws {
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

internal import Synchronization

/// Places of which there are only so many; one is free again when nobody holds its seat any more.
final class ConnectionLimiter: Sendable {
    private let free: Mutex<Int>

    init(_ count: Int) {
        free = Mutex(count)
    }

    /// Nil where all are taken.
    func take() -> Permit? {
        let isFree = free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
        return isFree ? Permit(of: self) : nil
    }

    final class Permit: Sendable {
        private let seats: ConnectionLimiter

        fileprivate init(of seats: ConnectionLimiter) { self.seats = seats }

        deinit { seats.free.withLock { $0 += 1 } }
    }
}

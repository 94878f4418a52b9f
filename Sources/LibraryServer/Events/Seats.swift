internal import Synchronization

/// Places of which there are only so many; one is free again when nobody holds its seat any more.
final class Seats: Sendable {
    private let free: Mutex<Int>

    init(_ count: Int) {
        free = Mutex(count)
    }

    /// Nil where all are taken.
    func take() -> Seat? {
        let isFree = free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
        return isFree ? Seat(of: self) : nil
    }

    final class Seat: Sendable {
        private let seats: Seats

        fileprivate init(of seats: Seats) { self.seats = seats }

        deinit { seats.free.withLock { $0 += 1 } }
    }
}

internal import Synchronization

/// The answers that clients are receiving: together they hold no more memory than a budget.
///
/// Where they would, those connections make room that have taken nothing for longest. So nobody can hold the
/// server by reading slowly, and who reads at all is not the one who has to go.
final class OutboundByteBudget: Sendable {
    /// What names a connection while it is there.
    typealias Number = Int

    private struct Delivery {
        var bytes = 0
        var lastTaken = ContinuousClock.now
        let abandon: @Sendable () -> Void
    }

    private struct State {
        var lastNumber = 0
        var bytes = 0
        var deliveries: [Number: Delivery] = [:]
    }

    private let budget: Int
    private let state = Mutex(State())

    /// - Parameter budget: the bytes of all answers together; a larger one is sent alone.
    init(budget: Int) {
        self.budget = budget
    }

    /// The bytes of all answers that are on their way.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Takes in a connection.
    ///
    /// - Parameter abandon: called, at most once, where others need its room.
    func enter(abandon: @escaping @Sendable () -> Void) -> Number {
        state.withLock { state in
            state.lastNumber += 1
            state.deliveries[state.lastNumber] = Delivery(abandon: abandon)
            return state.lastNumber
        }
    }

    func leave(_ number: Number) {
        state.withLock { _ = remove(number, &$0) }
    }

    /// Adds bytes that a connection has to bring, and makes room for them.
    func add(_ bytes: Int, to number: Number) {
        let abandoned = state.withLock { state in
            guard var delivery = state.deliveries[number] else { return [Delivery]() }
            if delivery.bytes == 0 { delivery.lastTaken = .now }
            delivery.bytes += bytes
            state.deliveries[number] = delivery
            state.bytes += bytes
            var abandoned: [Delivery] = []
            while state.bytes > budget, let slowest = slowest(state, but: number) {
                abandoned += remove(slowest, &state).map { [$0] } ?? []
            }
            return abandoned
        }
        for delivery in abandoned { delivery.abandon() }
    }

    /// Notes that the client has taken something.
    func noteTaken(_ number: Number) {
        state.withLock { $0.deliveries[number]?.lastTaken = .now }
    }

    /// Notes that so many bytes have been taken to their end.
    func finish(_ bytes: Int, of number: Number) {
        state.withLock { state in
            guard state.deliveries[number] != nil else { return }
            state.deliveries[number]?.bytes -= bytes
            state.deliveries[number]?.lastTaken = .now
            state.bytes -= bytes
        }
    }

    /// How long the client has taken nothing of what is on its way; nil where nothing is.
    func idleTime(of number: Number) -> Duration? {
        state.withLock { state in
            guard let delivery = state.deliveries[number], delivery.bytes > 0 else { return nil }
            return .now - delivery.lastTaken
        }
    }

    private func slowest(_ state: State, but number: Number) -> Number? {
        let others = state.deliveries.filter { $0.key != number && $0.value.bytes > 0 }
        return others.min { ($0.value.lastTaken, $0.key) < ($1.value.lastTaken, $1.key) }?.key
    }

    private func remove(_ number: Number, _ state: inout State) -> Delivery? {
        let delivery = state.deliveries.removeValue(forKey: number)
        state.bytes -= delivery?.bytes ?? 0
        return delivery
    }
}

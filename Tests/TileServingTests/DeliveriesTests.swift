import Synchronization
import Testing

@testable import TileServing

@Suite("Answers on their way")
struct DeliveriesTests {
    /// Connections that note when they are given up.
    final class Given: Sendable {
        private let names = Mutex<[String]>([])

        var up: [String] { names.withLock { $0 } }

        func connection(_ name: String, to deliveries: OutboundByteBudget) -> OutboundByteBudget.Number {
            deliveries.enter { self.names.withLock { $0.append(name) } }
        }
    }

    @Test("make room for others: who has taken nothing for longest goes first")
    func slowest() {
        let (deliveries, given) = (OutboundByteBudget(budget: 100), Given())
        let first = given.connection("first", to: deliveries)
        let second = given.connection("second", to: deliveries)
        let third = given.connection("third", to: deliveries)
        deliveries.add(40, to: first)
        deliveries.add(40, to: second)
        deliveries.noteTaken(first)
        deliveries.add(20, to: third)
        #expect(given.up.isEmpty && deliveries.bytes == 100)
        deliveries.add(1, to: third)
        #expect(given.up == ["second"] && deliveries.bytes == 61)
        deliveries.add(60, to: third)
        #expect(given.up == ["second", "first"] && deliveries.bytes == 81)
    }

    @Test("may be larger than all room there is, but then alone")
    func alone() {
        let (deliveries, given) = (OutboundByteBudget(budget: 100), Given())
        let idle = given.connection("idle", to: deliveries)
        let large = given.connection("large", to: deliveries)
        deliveries.add(1000, to: large)
        #expect(given.up.isEmpty && deliveries.bytes == 1000)
        deliveries.add(10, to: idle)
        #expect(given.up == ["large"] && deliveries.bytes == 10)
    }

    @Test("hold nothing any more when they are over, however that came")
    func over() {
        let (deliveries, given) = (OutboundByteBudget(budget: 100), Given())
        let patient = given.connection("patient", to: deliveries)
        let gone = given.connection("gone", to: deliveries)
        deliveries.add(30, to: patient)
        deliveries.add(30, to: gone)
        #expect(deliveries.idleTime(of: patient) != nil)
        deliveries.finish(30, of: patient)
        #expect(deliveries.idleTime(of: patient) == nil)
        deliveries.leave(gone)
        deliveries.add(30, to: gone)
        deliveries.finish(30, of: gone)
        #expect(deliveries.bytes == 0 && given.up.isEmpty)
    }
}

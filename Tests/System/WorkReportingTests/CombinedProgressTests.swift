import Dispatch
import Synchronization
import Testing
import WorkReporting

@Suite("Combined progress")
struct CombinedProgressTests {
    private static func values(
        _ make: (@escaping @Sendable (WorkProgress) -> Void) -> CombinedProgress,
        _ work: (CombinedProgress) -> Void
    ) -> [WorkProgress] {
        let values = Mutex<[WorkProgress]>([])
        work(make { value in values.withLock { $0.append(value) } })
        return values.withLock { $0 }
    }

    @Test("of pieces on several threads never decreases, and ends with exactly 1")
    func threads() {
        let values = Self.values({ CombinedProgress(of: 7, report: $0) }) { total in
            DispatchQueue.concurrentPerform(iterations: 7) { piece in
                let report = total.part(piece)
                for done in 0...50 { report(WorkProgress(.rows, done: done, of: 50)) }
            }
        }
        #expect(zip(values, values.dropFirst()).allSatisfy { $0.fraction <= $1.fraction })
        #expect(values.last?.fraction == 1 && values.count { $0.fraction == 1 } == 1)
        #expect(values.allSatisfy { $0.what == .thousandths && $0.total == 1000 })
    }

    @Test("counts a piece by its weight")
    func weights() {
        let values = Self.values({ CombinedProgress(weights: [3, 1, .nan, -2], report: $0) }) { total in
            total.part(0)(WorkProgress(.rows, done: 5, of: 10))
            total.part(1)(WorkProgress(.files, done: 1, of: 1))
            total.part(9)(WorkProgress(.files, done: 1, of: 1))
        }
        #expect(values.map(\.fraction) == [0.375, 0.625])
    }

    @Test("stays below 1 where a piece ends early")
    func cancelled() {
        let values = Self.values({ CombinedProgress(of: 2, report: $0) }) { total in
            total.part(0)(WorkProgress(.rows, done: 10, of: 10))
            total.part(1)(WorkProgress(.rows, done: 9, of: 10))
            total.part(1)(WorkProgress(.rows, done: 2, of: 10))
        }
        #expect(values.last?.fraction == 0.95)
    }
}

import Dispatch
import Synchronization
import Testing

@testable import WorkReporting

@Suite("Progress")
struct ProgressReporterTests {
    private static func values(
        _ what: WorkProgress.What = .files, of total: Int? = nil, _ work: (ProgressReporter) -> Void
    ) -> [WorkProgress] {
        let values = Mutex<[WorkProgress]>([])
        let reporter = ProgressReporter(what, of: total) { value in values.withLock { $0.append(value) } }
        work(reporter)
        return values.withLock { $0 }
    }

    @Test("never decreases, and ends with exactly 1, from several threads")
    func threads() {
        let values = Self.values(of: 1000) { reporter in
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for done in stride(from: thread, through: 1000, by: 8) { reporter.report(done) }
            }
            reporter.finish()
        }
        #expect(zip(values, values.dropFirst()).allSatisfy { $0.done < $1.done })
        #expect(values.last == WorkProgress(.files, done: 1000, of: 1000))
        #expect(values.last?.fraction == 1)
        #expect(values.count { $0.fraction == 1 } == 1)
    }

    @Test("is passed on one at a time, also where it is reported while it is received")
    func nested() {
        let isReceiving = Atomic(false)
        let reporter = Mutex<ProgressReporter?>(nil)
        let made = ProgressReporter(.rows, of: 100) { value in
            let wasReceiving = isReceiving.exchange(true, ordering: .relaxed)
            #expect(!wasReceiving)
            reporter.withLock { $0 }?.report(value.done + 10)
            isReceiving.store(false, ordering: .relaxed)
        }
        reporter.withLock { $0 = made }
        made.report(1)
        #expect(made.done == 91)
    }

    @Test("is 1 at the end of nothing, and of sums that are rounded")
    func end() {
        #expect(Self.values { $0.finish() }.map(\.fraction) == [1])
        #expect(Self.values(of: 0) { $0.finish() }.map(\.fraction) == [1])
        let rounded = Self.values(.thousandths, of: 1000) { reporter in
            for _ in 0..<3 { reporter.report(fraction: 0.9999999999999994) }
            reporter.report(fraction: 1)
            reporter.report(fraction: .nan)
            reporter.report(fraction: -.infinity)
            reporter.finish()
        }
        #expect(rounded.map(\.done) == [999, 1000])
        #expect(rounded.last?.fraction == 1)
    }

    @Test("keeps the number of files whose total is found at the end")
    func unknown() {
        let values = Self.values { reporter in
            reporter.report(3)
            reporter.report(2)
            reporter.report(7)
            reporter.finish()
        }
        #expect(values.map(\.done) == [3, 7, 7])
        #expect(values.map(\.total) == [nil, nil, 7])
        #expect(values.map(\.fraction) == [0, 0, 1])
    }

    @Test(
        "is a text that people read",
        arguments: [
            (WorkProgress(.files, done: 12, of: 40), "12 of 40 files"),
            (WorkProgress(.comparisons, done: 5, of: nil), "5 comparisons"),
            (WorkProgress(.rows, done: 9, of: 3), "9 of 9 rows"),
        ])
    func text(_ progress: WorkProgress, _ text: String) { #expect("\(progress)" == text) }
}

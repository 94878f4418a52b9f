import Basics
import Files
import Foundation
import MemoryWatching
import Synchronization
import TestHarness
import TestSupport
import Testing

@testable import Batches

@Suite("The memory of a batch", .ownThread)
struct MemoryBudgetTests {
    /// Items whose paths are their estimates in MB; it records how much is in progress.
    final class MeasuringWork: BatchWork {
        private let state = Mutex((now: 0, most: 0, count: 0, mostCount: 0))

        var most: (bytes: Int, items: Int) { state.withLock { ($0.most, $0.mostCount) } }

        var noun: String { "output" }
        var identity: BatchIdentity { .key }
        var naming: OutputNaming? { nil }
        func fingerprint(of item: BatchItem) -> String { "" }
        func memory(of item: BatchItem) -> Int { (Int(item.path) ?? 0) << 20 }

        func make(_ item: BatchItem, _ outputs: [String], _ source: FileStatus?) -> BatchOutput {
            let bytes = memory(of: item)
            state.withLock { state in
                state.now += bytes
                state.count += 1
                state.most = max(state.most, state.now)
                state.mostCount = max(state.mostCount, state.count)
            }
            Thread.sleep(forTimeInterval: 0.0005)
            state.withLock { state in
                state.now -= bytes
                state.count -= 1
            }
            return BatchOutput(.made([]))
        }
    }

    @Test("is never more than the limit allows, and every item is done", arguments: [64, 8, 1])
    func limit(_ jobs: Int) throws {
        let folder = try TemporaryFolder()
        var random = SplitMix64(seed: 2)
        // Up to 280 MB each; one does not fit into 60 % of 1 GiB alone.
        let lines = (0..<200).map { "{\"path\":\"\($0 == 70 ? 900 : random.next() % 280)\",\"id\":\($0)}" }
        try lines.joined(separator: "\n").write(
            to: folder.url.appendingPathComponent("list"), atomically: false, encoding: .utf8)
        let work = MeasuringWork()
        let batch = Batch(
            work, jobs: jobs, limit: MemoryLimit(byteCount: 1 << 30, origin: .controlGroup))
        let plan = BatchPlan(try BatchList(manifest: folder.path("list"), root: BatchRoot()), for: work)
        #expect(try batch.run(plan) { _, _ in }.made == 200)
        // The large one is alone; without it, the others keep to 614 MB.
        #expect(work.most.bytes == 900 << 20 && work.most.items <= jobs)
    }

    @Test("has as many workers as the process has processors, or as it is told")
    func workers() {
        #expect(Batch(MeasuringWork()).jobs == Processors.count)
        #expect(Batch(MeasuringWork(), jobs: 3, limit: nil).jobs == 3)
    }

    @Test("is given to one item at a time where each needs all of it")
    func alone() async {
        let budget = MemoryBudget(byteCount: 100)
        let state = Mutex((now: 0, most: 0))
        DispatchQueue.concurrentPerform(iterations: 40) { number in
            budget.holding(51 + number) {
                state.withLock { ($0.now, $0.most) = ($0.now + 1, max($0.most, $0.now + 1)) }
                state.withLock { $0.now -= 1 }
            }
        }
        #expect(state.withLock { $0.most } == 1)
    }
}

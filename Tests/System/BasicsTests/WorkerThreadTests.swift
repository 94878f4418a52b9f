import Dispatch
import Synchronization
import TestHarness
import Testing

@testable import Basics

@Suite("Threads for long work", .ownThread)
struct WorkerThreadTests {
    /// Waits on this thread until a task of the priority has run; false if none runs.
    private static func runs(_ priority: TaskPriority) -> Bool {
        let hasRun = DispatchSemaphore(value: 0)
        Task.detached(priority: priority) {
            try await Task.sleep(for: .milliseconds(1))
            hasRun.signal()
        }
        return hasRun.wait(timeout: .now() + 60) == .success
    }

    private static let priorities: [TaskPriority] = [.background, .low, .medium, .high]

    @Test("are none of those that tasks and sleeps need, however many work", arguments: priorities)
    func threads(_ priority: TaskPriority) {
        let ended = DispatchGroup()
        let failures = Atomic(0)
        // Both can be all that there are for tasks; a sleep needs one, too.
        for _ in 0..<(4 * Processors.count + 4) {
            WorkerThread.start("test", in: ended) {
                if !Self.runs(priority) { failures.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        ended.wait()
        #expect(failures.load(ordering: .relaxed) == 0)
    }

    @Test("run the jobs of executors that block", arguments: priorities)
    func executor(_ priority: TaskPriority) async throws {
        let executor = BlockingExecutor(width: 4 * Processors.count + 4)
        try await withThrowingTaskGroup { group in
            for _ in 0..<executor.width {
                group.addTask { try await executor.run { Self.runs(priority) } }
            }
            for try await hasRun in group { #expect(hasRun) }
        }
    }

    @Test("run parallel and ordered work")
    func work() throws {
        let failures = Atomic(0)
        Processors.run(threads: 4 * Processors.count + 4) { _ in
            if !Self.runs(.medium) { failures.wrappingAdd(1, ordering: .relaxed) }
        }
        try OrderedWork.run(20, threads: 4 * Processors.count + 4) { _ in
            Self.runs(.medium)
        } use: { hasRun in
            #expect(hasRun)
        }
        #expect(failures.load(ordering: .relaxed) == 0)
    }
}

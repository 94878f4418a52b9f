#if Server
import Files
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import TileServing

/// Looks at files that wait until they are let go.
private final class HeldLook: Sendable {
    private let gate = NSCondition()
    private let state = Mutex((isOpen: false, held: 0))

    var held: Int { state.withLock { $0.held } }

    func callAsFunction() {
        gate.lock()
        state.withLock { $0.held += 1 }
        while !state.withLock({ $0.isOpen }) { gate.wait() }
        gate.unlock()
    }

    func open() {
        gate.lock()
        state.withLock { $0.isOpen = true }
        gate.broadcast()
        gate.unlock()
    }
}

/// A count that tasks share.
private final class SharedCount: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }
    func increase() { count.add(1, ordering: .relaxed) }
}

@Suite("The threads of a root")
struct RootThreadsTests {
    /// Longer than any test takes on a machine with other work.
    private static let never = Duration.seconds(86_400)

    private static func isBusy(_ error: any Error) -> Bool {
        (error as? RouteError)?.status == .serviceUnavailable
    }

    @Test("give the status of a file as it was when it was asked for, or later")
    func fresh() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a")
        try Data([0]).write(to: URL(fileURLWithPath: path))
        let threads = RootThreads(folder.url.path)
        let (ends, asked) = (SharedCount(), SharedCount())
        try await withThrowingTaskGroup { group in
            for _ in 0..<16 {
                group.addTask {
                    while ends.value == 0 {
                        _ = try await threads.status(of: path)
                        asked.increase()
                    }
                }
            }
            defer { ends.increase() }
            for size in 2...300 {
                let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
                try file.truncate(atOffset: UInt64(size))
                try file.close()
                #expect(try await threads.status(of: path)?.size == size)
            }
        }
        #expect(asked.value > 0)
        #expect(try await threads.status(of: folder.path("none")) == nil)
    }

    @Test("give up on storage that does not answer in time")
    func late() async throws {
        let threads = RootThreads("/", timeout: .milliseconds(50))
        let look = HeldLook()
        defer { look.open() }
        let error = await #expect(throws: RouteError.self) { try await threads.run { look() } }
        #expect(error?.status == .serviceUnavailable && error?.retryAfter != nil)
    }

    @Test("let a cancelled request go, which may leave its thread behind")
    func cancelled() async throws {
        let threads = RootThreads("/", timeout: Self.never)
        let look = HeldLook()
        defer { look.open() }
        let tasks = (0..<6).map { _ in Task { try await threads.run { look() } } }
        while look.held < 4 { try await Task.sleep(for: .milliseconds(1)) }
        tasks[0].cancel()
        tasks[5].cancel()
        for task in [tasks[0], tasks[5]] {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        look.open()
        for task in tasks[1...4] { try await task.value }
    }

    @Test("refuse more requests once many wait for storage that does not answer")
    func bounded() async throws {
        let threads = RootThreads("/", timeout: Self.never)
        let look = HeldLook()
        defer { look.open() }
        let refusals = SharedCount()
        try await withThrowingTaskGroup { group in
            var begun = 0
            while refusals.value == 0 {
                group.addTask {
                    do {
                        try await threads.run { look() }
                    } catch {
                        #expect(Self.isBusy(error))
                        refusals.increase()
                    }
                }
                begun += 1
                // They are refused after they have waited for some time.
                if begun > 600 { try await Task.sleep(for: .milliseconds(10)) }
            }
            #expect(begun > 500)
            look.open()
            try await group.waitForAll()
        }
        try await threads.run {}
    }

    @Test("give up all that wait when the server ends")
    func stopped() async throws {
        let threads = RootThreads("/", timeout: Self.never)
        let look = HeldLook()
        defer { look.open() }
        let tasks = (0..<10).map { _ in Task { try await threads.run { look() } } }
        while look.held < 4 { try await Task.sleep(for: .milliseconds(1)) }
        threads.stop()
        for task in tasks {
            let error = await #expect(throws: (any Error).self) { try await task.value }
            #expect(error.map(Self.isBusy) == true)
        }
        await #expect(throws: RouteError.self) { try await threads.run {} }
        await #expect(throws: RouteError.self) { try await threads.status(of: "/") }
    }
}
#endif

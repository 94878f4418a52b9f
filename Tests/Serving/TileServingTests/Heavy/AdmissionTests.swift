#if Server
import Foundation
import HTTPTypes
import MemoryWatching
import Synchronization
import TestSupport
import Testing

@testable import TileServing

/// Work that waits until it may end, and records the order in which it begins.
private final class Gate: Sendable {
    private let state = Mutex((begun: [String](), waiting: [String: CheckedContinuation<Void, Never>]()))
    let beginnings: AsyncStream<String>
    private let beginning: AsyncStream<String>.Continuation

    init() { (beginnings, beginning) = AsyncStream.makeStream() }

    var begun: [String] { state.withLock { $0.begun } }

    func work(_ name: String) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.begun.append(name)
                state.waiting[name] = continuation
            }
            beginning.yield(name)
        }
    }

    func end(_ name: String) {
        state.withLock { $0.waiting.removeValue(forKey: name) }?.resume()
    }
}

/// A cache that counts how often it is emptied.
private final class CountedCache: MemoryReleasing {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }
    var releasableByteCount: Int { 0 }

    func releaseMemory(under pressure: MemoryPressure) { state.withLock { $0 += 1 } }
}

@Suite("The queue of builds")
struct AdmissionTests {
    private static func wait(until condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }

    /// Starts builds one after another, so that all of them are in the queue in this order.
    private static func start(
        _ builds: [(name: String, cost: WorkCost)], _ queue: AdmissionController, _ gate: Gate
    ) async -> [Task<Void, any Error>] {
        var tasks: [Task<Void, any Error>] = []
        for (index, build) in builds.enumerated() {
            tasks.append(Task { try await queue.run(.build, build.cost) { await gate.work(build.name) } })
            await wait { gate.begun.count + queue.waitingBuilds == index + 1 }
        }
        return tasks
    }

    private static func cost(_ bytes: Int = 1, threads: Int = 1, seconds: Int = 1) -> WorkCost {
        WorkCost(bytes: bytes, threads: threads, duration: .seconds(seconds))
    }

    @Test("begins the first build at once and the others as threads become free, short ones first")
    func order() async throws {
        let queue = AdmissionController(width: 2, budget: 100, timeLimit: .seconds(1_000_000))
        let gate = Gate()
        let tasks = await Self.start(
            [
                ("a", Self.cost(seconds: 9000)), ("b", Self.cost(seconds: 9000)),
                ("long", Self.cost(seconds: 90_000)), ("c", Self.cost(seconds: 9000)),
                ("short", Self.cost(seconds: 1)),
            ], queue, gate)
        #expect(gate.begun == ["a", "b"])
        for (ended, next) in [("b", "short"), ("short", "c"), ("a", "long")] {
            gate.end(ended)
            await Self.wait { gate.begun.last == next }
        }
        gate.end("c")
        gate.end("long")
        for task in tasks { try await task.value }
        #expect(queue.byteCount == 0 && queue.waitingBuilds == 0)
    }

    @Test("begins a large image when clients have read the responses before it, and tiles at once")
    func outbound() async throws {
        let outbound = OutboundByteBudget(budget: 100, patience: .seconds(9999))
        let queue = AdmissionController(width: 2, budget: 100, outbound: outbound)
        let client = outbound.register {}
        outbound.add(100, to: client)
        let gate = Gate()
        let large = Task { try await queue.run(.large, Self.cost()) { await gate.work("large") } }
        await Self.wait { queue.waiting == 1 }
        let tile = Task { try await queue.run(.small, Self.cost()) { await gate.work("tile") } }
        await Self.wait { gate.begun == ["tile"] }
        outbound.finish(100, of: client)
        await Self.wait { gate.begun == ["tile", "large"] }
        gate.end("tile")
        gate.end("large")
        try await large.value
        try await tile.value
    }

    @Test("lets work of much memory wait for other work while the process would exceed its limit")
    func tight() async throws {
        let root = try TemporaryFolder()
        let status = root.url.appendingPathComponent("proc/self/status")
        try FileManager.default.createDirectory(
            at: status.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("VmRSS:\t   92160 kB\n".utf8).write(to: status)
        let queue = AdmissionController(width: 8, budget: 1 << 40, timeLimit: .seconds(1_000_000))
        let (memory, cache) = (MemoryWatch(root: root.url.path, limit: 100 << 20), CountedCache())
        memory.add(cache)
        queue.listen(to: memory)
        let gate = Gate()
        func start(_ name: String, _ bytes: Int) -> Task<Void, any Error> {
            Task { try await queue.run(.large, Self.cost(bytes)) { await gate.work(name) } }
        }
        // Alone, it need not wait.
        var tasks = [start("first", 20 << 20)]
        await Self.wait { gate.begun == ["first"] }
        tasks.append(start("second", 20 << 20))
        await Self.wait { queue.waiting == 1 }
        let tile = Task { try await queue.run(.small, Self.cost()) { await gate.work("tile") } }
        await Self.wait { gate.begun == ["first", "tile"] }
        gate.end("tile")
        try await tile.value
        #expect(gate.begun == ["first", "tile"] && queue.waiting == 1)
        let (before, clock) = (cache.count, ContinuousClock.now)
        for _ in 0..<1000 { try await queue.run(.small, Self.cost()) {} }
        // Twice at a time, ten times a second.
        #expect(cache.count - before <= 2 + 2 * Int((ContinuousClock.now - clock) / .milliseconds(100)))
        gate.end("first")
        await Self.wait { gate.begun.last == "second" }
        try Data("VmRSS:\t   40960 kB\n".utf8).write(to: status)
        tasks.append(start("third", 20 << 20))
        await Self.wait { gate.begun.last == "third" }
        // The two may have used none of their memory yet: 40 + 3 * 20 is too much.
        tasks.append(start("fourth", 20 << 20))
        await Self.wait { queue.waiting == 1 }
        try await queue.run(.small, Self.cost()) {}
        #expect(gate.begun.last == "third" && queue.waiting == 1)
        gate.end("second")
        await Self.wait { gate.begun.last == "fourth" }
        gate.end("third")
        gate.end("fourth")
        for task in tasks { try await task.value }
    }

    @Test("keeps builds within their memory and threads")
    func memory() async throws {
        let queue = AdmissionController(width: 4, budget: 100, timeLimit: .seconds(1_000_000))
        let gate = Gate()
        let tasks = await Self.start(
            [
                ("a", Self.cost(60)), ("b", Self.cost(60, seconds: 2000)),
                ("c", Self.cost(10, threads: 4, seconds: 4000)),
            ], queue, gate)
        // The third would fit, but does not overtake the second.
        #expect(gate.begun == ["a"] && queue.byteCount == 60)
        gate.end("a")
        await Self.wait { gate.begun.count == 2 }
        #expect(gate.begun == ["a", "b"])
        gate.end("b")
        await Self.wait { gate.begun.count == 3 }
        gate.end("c")
        for task in tasks { try await task.value }
        await #expect(throws: RouteError.self) { try await queue.run(.build, Self.cost(101)) {} }
        await #expect(throws: RouteError.self) {
            try await queue.run(.small, WorkCost(bytes: 101)) { () async in }
        }
    }

    @Test("refuses a build at once that cannot end in time, with the time after which it can")
    func refused() async throws {
        let queue = AdmissionController(width: 1, budget: 100, timeLimit: .seconds(60_000))
        let gate = Gate()
        // The first is never refused, however long it takes.
        let tasks = await Self.start(
            [("a", Self.cost(seconds: 100_000))], queue, gate)
        do {
            try await queue.run(.build, Self.cost(seconds: 1)) {}
            Issue.record("was admitted")
        } catch let error as RouteError {
            #expect(error.status == .serviceUnavailable)
            #expect(error.retryAfter == 3600)
        }
        #expect(gate.begun == ["a"] && queue.waitingBuilds == 0)
        // Renders do not wait for builds.
        #expect(try await queue.run(.small, WorkCost(bytes: 1)) { () async in 5 } == 5)
        gate.end("a")
        for task in tasks { try await task.value }
        #expect(RouteError.busy(for: .milliseconds(1)).retryAfter == 1)
        #expect(RouteError.busy(for: .milliseconds(7100)).retryAfter == 8)
    }

    @Test("forgets builds that all requests have left, before they begin")
    func left() async throws {
        let queue = AdmissionController(width: 1, budget: 100, timeLimit: .seconds(1_000_000))
        let gate = Gate()
        let images = RequestCoalescer<String, Int>(outlivesWaiters: true)
        @Sendable func build(_ name: String) async throws -> Int {
            try await images.value(
                for: name,
                queued: { begin in
                    try await queue.run(.build, Self.cost()) {
                        try begin()
                        await gate.work(name)
                        return name.count
                    }
                })
        }
        let first = Task { try await build("first") }
        await Self.wait { gate.begun == ["first"] }
        let waiting = (0..<2).map { _ in Task { try await build("second") } }
        await Self.wait { queue.waitingBuilds == 1 }
        let last = Task { try await build("last") }
        await Self.wait { queue.waitingBuilds == 2 }
        for task in waiting { task.cancel() }
        await Self.wait { queue.waitingBuilds == 1 }
        for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
        // One that has begun continues without requests, and the next request gets its result.
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let again = Task { try await build("first") }
        await Task.yield()
        gate.end("first")
        await Self.wait { gate.begun.contains("last") }
        #expect(gate.begun == ["first", "last"] || gate.begun == ["first", "last", "first"])
        gate.end("last")
        #expect(try await last.value == 4)
        await Self.wait { again.isCancelled || images.count == 0 || gate.begun.count == 3 }
        gate.end("first")
        #expect(try await again.value == 5)
    }
}
#endif

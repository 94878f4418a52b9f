import Basics
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

private struct Failure: Error {}

/// Threads for blocking calls.
private let threads = BlockingExecutor(width: 64)

/// Waits until a condition holds.
private func until(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
}

/// Begins to make a value and holds its maker until `open` is called.
private struct HeldMaker {
    let once = Once<Int>()
    private let gate = DispatchSemaphore(value: 0)
    private let began = DispatchSemaphore(value: 0)

    func value(_ result: Result<Int, any Error> = .success(1)) throws -> Int {
        try once.value {
            began.signal()
            gate.wait()
            return try result.get()
        }
    }

    /// Starts the maker; returns when it is at work.
    func start(_ result: Result<Int, any Error> = .success(1)) async throws -> Task<Int, any Error> {
        let task = Task { try await threads.run { try self.value(result) } }
        try await threads.run { began.wait() }
        return task
    }

    /// Starts a caller that would make another value; returns when it waits.
    func startWaiter(_ value: Int = 2) async throws -> Task<Int, any Error> {
        let count = once.waiterCount
        let task = Task { try await threads.run { try once.value { value } } }
        try await until { once.waiterCount > count }
        return task
    }

    func open() { gate.signal() }
}

private final class Counts: Sendable {
    let makers = Atomic(0)
    let made = Atomic(0)
}

@Suite("A value that is made once")
struct OnceTests {
    @Test("is made by the first caller, for all that wait")
    func once() async throws {
        let held = HeldMaker()
        #expect(held.once.valueIfMade == nil)
        let maker = try await held.start()
        var waiters: [Task<Int, any Error>] = []
        for number in 0..<20 { waiters.append(try await held.startWaiter(100 + number)) }
        #expect(held.once.valueIfMade == nil)
        held.open()
        #expect(try await maker.value == 1)
        for waiter in waiters { #expect(try await waiter.value == 1) }
        #expect(held.once.valueIfMade == 1 && held.once.waiterCount == 0)
        #expect(try held.once.value { throw Failure() } == 1)
    }

    @Test("is made by one that waits if its maker fails", arguments: [false, true])
    func handedOver(isCancelled: Bool) async throws {
        let held = HeldMaker()
        let maker = try await held.start(.failure(isCancelled ? CancellationError() : Failure()))
        let waiters = [try await held.startWaiter(2), try await held.startWaiter(3)]
        if isCancelled { maker.cancel() }
        held.open()
        let error = await #expect(throws: (any Error).self) { try await maker.value }
        #expect(isCancelled ? error is CancellationError : error is Failure)
        for waiter in waiters { #expect(try await waiter.value == 2) }
    }

    @Test("lets a cancelled caller go while another one makes it")
    func cancelled() async throws {
        let held = HeldMaker()
        let maker = try await held.start()
        let waiters = [
            try await held.startWaiter(), try await held.startWaiter(), try await held.startWaiter(),
        ]
        waiters[1].cancel()
        await #expect(throws: CancellationError.self) { try await waiters[1].value }
        #expect(held.once.waiterCount == 2 && held.once.valueIfMade == nil)
        held.open()
        for task in [maker, waiters[0], waiters[2]] { #expect(try await task.value == 1) }
    }

    @Test("is waited for in a cancelled task where the caller cannot do without it")
    func evenIfCancelled() async throws {
        let held = HeldMaker()
        let maker = try await held.start()
        let waiter = Task { try await threads.run { held.once.valueEvenIfCancelled { 2 } } }
        try await until { held.once.waiterCount == 1 }
        waiter.cancel()
        held.open()
        #expect(try await waiter.value == 1)
        #expect(try await maker.value == 1)
    }

    @Test("costs the threads that wait no processor time")
    func asleep() async throws {
        let once = Once<Int>()
        let began = DispatchSemaphore(value: 0)
        let maker = Task {
            try await threads.run {
                try once.value {
                    began.signal()
                    while once.waiterCount < 4 { usleep(1000) }
                    // Busy, as a decoder is.
                    let start = Self.processorTime
                    while Self.processorTime - start < 200_000_000 {}
                    return 1
                }
            }
        }
        try await threads.run { began.wait() }
        let times = try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    try await threads.run { () throws -> Int in
                        let start = Self.processorTime
                        _ = try once.value { 2 }
                        return Self.processorTime - start
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(try await maker.value == 1)
        #expect(times.allSatisfy { $0 < 50_000_000 }, "\(times)")
    }

    /// The processor time of the calling thread in nanoseconds.
    private static var processorTime: Int {
        var time = timespec()
        // `time` is written by the call and outlives it.
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    @Test("is made by one caller at a time, however many fail and are cancelled", arguments: 1...8)
    func stress(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let once = Once<Int>()
        let counts = Counts()
        var tasks: [(Task<Int, any Error>, isCancelled: Bool)] = []
        for number in 0..<200 {
            // The last one succeeds, whatever became of the others.
            let (fails, isCancelled) = (
                number < 199 && random.next() % 4 > 0, number < 199 && random.next() % 3 == 0
            )
            let pauses = random.next() % 50
            let task = Task {
                try await threads.run {
                    try once.value {
                        #expect(counts.makers.add(1, ordering: .relaxed).newValue == 1)
                        defer { counts.makers.subtract(1, ordering: .relaxed) }
                        for _ in 0..<pauses { sched_yield() }
                        if fails { throw Failure() }
                        counts.made.add(1, ordering: .relaxed)
                        return number
                    }
                }
            }
            tasks.append((task, isCancelled))
            if random.next() % 2 == 0 { await Task.yield() }
            if isCancelled { task.cancel() }
        }
        var values: Set<Int> = []
        for (task, isCancelled) in tasks {
            switch await task.result {
            case .success(let value): values.insert(value)
            case .failure(let error): #expect(error is Failure || isCancelled && error is CancellationError)
            }
        }
        #expect(values.count == 1 && counts.made.load(ordering: .relaxed) == 1)
        #expect(once.waiterCount == 0 && values.first == once.valueIfMade)
    }

    @Test("does not ask for itself")
    func reentrancy() async {
        await #expect(processExitsWith: .failure) {
            let once = Once<Int>()
            _ = try once.value { try once.value { 1 } }
        }
    }
}

@Suite("A value that one thread at a time uses")
struct ExclusiveTests {
    @Test("is lent in the order of arrival")
    func order() async throws {
        let value = Exclusive<[Int]>([])
        let (began, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var tasks = [
            Task {
                try await threads.run {
                    try value.withValue { _ in
                        began.signal()
                        gate.wait()
                    }
                }
            }
        ]
        try await threads.run { began.wait() }
        for number in 0..<10 {
            tasks.append(Task { try await threads.run { try value.withValue { $0.append(number) } } })
            try await until { value.waiterCount == number + 1 }
        }
        #expect(value.withValueIfFree { $0.count } == nil)
        tasks[4].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[4].value }
        #expect(value.waiterCount == 9)
        gate.signal()
        for (number, task) in tasks.enumerated() where number != 4 { try await task.value }
        #expect(value.withValueIfFree { $0 } == [0, 1, 2, 4, 5, 6, 7, 8, 9])
    }

    @Test("is free again after an error")
    func failure() throws {
        let value = Exclusive(1)
        #expect(throws: Failure.self) { try value.withValue { _ in throw Failure() } }
        #expect(throws: Failure.self) { try value.withValueIfFree { _ in throw Failure() } }
        #expect(value.withValueEvenIfCancelled { $0 } == 1)
    }
}

import Basics
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("The processors of the process")
struct ProcessorsTests {
    private static let version2 = "0::/a/b\n"
    private static let version1 = "7:cpu,cpuacct:/x\n4:memory:/y\n"

    static let quotas: [(files: [String: String], count: Int)] = [
        ([:], 8),
        (["proc/self/cgroup": version2, "sys/fs/cgroup/a/b/cpu.max": "max 100000\n"], 8),
        (["proc/self/cgroup": version2, "sys/fs/cgroup/a/b/cpu.max": "150000 100000\n"], 2),
        (["proc/self/cgroup": version2, "sys/fs/cgroup/a/cpu.max": "50000 100000\n"], 1),
        (
            [
                "proc/self/cgroup": version2, "sys/fs/cgroup/a/cpu.max": "400000 100000\n",
                "sys/fs/cgroup/a/b/cpu.max": "600000 100000\n",
            ], 4
        ),
        // In a container, only the root of the cgroups is visible.
        (["proc/self/cgroup": "0::/host/path\n", "sys/fs/cgroup/cpu.max": "200000 100000\n"], 2),
        (["proc/self/cgroup": version2, "sys/fs/cgroup/a/b/cpu.max": "6400000 100000\n"], 8),
        (["proc/self/cgroup": version2, "sys/fs/cgroup/a/b/cpu.max": "100000\n"], 8),
        (["proc/self/cgroup": version2, "sys/fs/cgroup/a/b/cpu.max": "100000 0\n"], 8),
        (["proc/self/cgroup": version2, "sys/fs/cgroup/a/b/cpu.max": "many few\n"], 8),
        (
            [
                "proc/self/cgroup": version1, "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "250000\n",
                "sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000\n",
            ], 3
        ),
        (
            [
                "proc/self/cgroup": version1, "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us": "300000\n",
                "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us": "100000\n",
            ], 3
        ),
        (
            [
                "proc/self/cgroup": version1, "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000\n",
            ], 8
        ),
    ]

    @Test("are as many as the smallest CPU quota of its control groups has", arguments: quotas)
    func quota(_ files: [String: String], _ count: Int) throws {
        let system = try MadeUpSystem(files)
        #expect(Processors.count(SystemFiles(root: system.root), machine: 8) == count)
    }

    /// The affinity of a process, the processors that are online, and the number of those in both.
    static let affinities: [(allowed: String, online: String, count: Int)] = [
        ("0-7", "0-7", 8), ("3", "0-7", 1), ("0-1", "0-63", 2), ("0,2,8-11", "0-63", 6),
        // Processors that can be plugged in later, and one that is switched off.
        ("0-255", "0-7", 8), ("0-3", "0,2-3", 3),
        // Where a file is missing, empty or broken, the machine's processors count.
        ("", "0-3", 64), ("0-1", "", 2), ("70", "", 64), ("none", "0-3", 64), ("3-1", "0-3", 64),
        ("0-9223372036854775807", "0-3", 64),
    ]

    @Test("are those of a cpuset or an affinity that are online", arguments: affinities)
    func affinity(_ allowed: String, _ online: String, _ count: Int) throws {
        let system = try MadeUpSystem([
            "proc/self/status": "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t\(allowed)\n",
            "sys/devices/system/cpu/online": "\(online)\n",
        ])
        #expect(Processors.count(SystemFiles(root: system.root), machine: 64) == count)
    }

    @Test("are the fewer ones where a quota and a cpuset apply", arguments: [("2", 2), ("6", 4), ("0.5", 1)])
    func both(_ quota: String, _ count: Int) throws {
        let time = try #require(Double(quota)) * 100_000
        let system = try MadeUpSystem([
            "proc/self/cgroup": Self.version2, "proc/self/status": "Cpus_allowed_list:\t8-11\n",
            "sys/devices/system/cpu/online": "0-63\n", "sys/fs/cgroup/a/b/cpu.max": "\(Int(time)) 100000\n",
        ])
        #expect(Processors.count(SystemFiles(root: system.root), machine: 64) == count)
    }

    @Test("are at least one, and at most those of this machine")
    func thisMachine() {
        #expect((1...ProcessInfo.processInfo.processorCount).contains(Processors.count))
        #expect(BlockingExecutor(for: .computing).width == Processors.count)
    }

    @Test("are not used for a task that was cancelled before", arguments: [false, true])
    func cancelledBefore(_ leavesCancelledWork: Bool) async {
        let threads = BlockingExecutor(for: .computing, leavesCancelledWork: leavesCancelledWork)
        let isBegun = Atomic(false)
        await Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            await #expect(throws: CancellationError.self) {
                try await threads.run { isBegun.store(true, ordering: .relaxed) }
            }
        }.value
        let wasBegun = isBegun.load(ordering: .relaxed)
        #expect(!wasBegun)
    }

    @Test("let a caller go that is cancelled while its work waits", arguments: [false, true])
    func cancelledWaiting(_ leavesCancelledWork: Bool) async throws {
        let thread = BlockingExecutor(width: 1, leavesCancelledWork: leavesCancelledWork)
        let (isBegun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let first = Task {
            try await thread.run {
                isBegun.signal()
                _ = gate.wait(timeout: .now() + 60)
            }
        }
        try await BlockingExecutor.background.run { isBegun.wait() }
        let wasRun = Atomic(false)
        let second = Task { try await thread.run { wasRun.store(true, ordering: .relaxed) } }
        // A task that is cancelled before it has begun does not even ask for a thread.
        try await Task.sleep(for: .milliseconds(100))
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        gate.signal()
        try await first.value
        // The thread has passed the second's place in the queue.
        try await thread.run {}
        let secondRan = wasRun.load(ordering: .relaxed)
        #expect(!secondRan)
    }

    @Test("each take the next number until none is left", arguments: [0, 1, 2, 1000])
    func forEach(_ count: Int) {
        let seen = Mutex([Int](repeating: 0, count: count))
        let running = Mutex((now: 0, most: 0))
        Processors.forEach(below: count) { number in
            running.withLock { ($0.now, $0.most) = ($0.now + 1, max($0.most, $0.now + 1)) }
            seen.withLock { $0[number] += 1 }
            running.withLock { $0.now -= 1 }
        }
        #expect(seen.withLock { $0.allSatisfy { $0 == 1 } })
        #expect(running.withLock { $0.most } <= Processors.count)
    }

    @Test("make results in the order of their numbers", arguments: [0, 1, 2, 1000], [1, 3])
    func map(_ count: Int, _ threads: Int) {
        #expect(Processors.map(below: count, threads: threads) { 7 * $0 } == (0..<count).map { 7 * $0 })
    }

    @Test(
        "begin nothing after a flag is raised, and keep what was made before the first number that is missing"
    )
    func flag() {
        let flag = CancellationFlag()
        let begun = Mutex(0)
        let results = Processors.map(below: 1000, until: flag) { number in
            begun.withLock { $0 += 1 }
            if number == 5 { flag.raise() }
            return number
        }
        #expect(results == Array(0..<results.count))
        #expect((1..<1000).contains(results.count))
        #expect(begun.withLock { $0 } < 1000)
        #expect(Processors.map(below: 3, until: flag) { $0 }.isEmpty)
    }
}

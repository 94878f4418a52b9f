import Basics
import Files
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import MemoryWatching

/// A cache that records what it is asked to release.
private final class Contents: MemoryReleasing {
    private let state = Mutex((bytes: 1000, levels: [MemoryPressure]()))
    let name: String
    let log: Log

    init(_ name: String = "", log: Log = Log()) { (self.name, self.log) = (name, log) }

    var releasableByteCount: Int { state.withLock { $0.bytes } }
    var levels: [MemoryPressure] { state.withLock { $0.levels } }

    func releaseMemory(under pressure: MemoryPressure) {
        log.add("\(name) \(pressure)")
        state.withLock {
            $0.levels.append(pressure)
            if pressure == .critical { $0.bytes = 0 }
        }
    }
}

private final class Log: Sendable {
    private let entries = Mutex([String]())

    func add(_ entry: String) { entries.withLock { $0.append(entry) } }
    var all: [String] { entries.withLock { $0 } }
}

extension MadeUpSystem {
    static let machine = "MemTotal: 8000 kB\nMemFree: 1 kB\nMemAvailable: 6000 kB\n"

    static func version2(limit: String = "1000000", used: Int, inactive: Int = 0) -> [String: String] {
        [
            "proc/meminfo": machine, "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/b/memory.max": limit + "\n",
            "sys/fs/cgroup/a/b/memory.current": "\(used)\n",
            "sys/fs/cgroup/a/b/memory.stat": "anon 5\ninactive_file \(inactive)\n",
        ]
    }
}

@Suite("A memory limit")
struct MemoryLimitTests {
    static let cases: [(files: [String: String], limit: MemoryLimit?)] = [
        ([:], nil),
        (["proc/meminfo": MadeUpSystem.machine], MemoryLimit(byteCount: 8_192_000, origin: .machine)),
        (["proc/meminfo": "MemTotal: many kB\n"], nil),
        (["proc/meminfo": "MemTotal: 9223372036854775807 kB\n"], nil),
        (["proc/meminfo": "MemTotal: -5 kB\n"], nil),
        (MadeUpSystem.version2(used: 1), MemoryLimit(byteCount: 1_000_000, origin: .controlGroup)),
        (MadeUpSystem.version2(limit: "max", used: 1), MemoryLimit(byteCount: 8_192_000, origin: .machine)),
        (
            MadeUpSystem.version2(limit: "99999999", used: 1),
            MemoryLimit(byteCount: 8_192_000, origin: .machine)
        ),
        (
            // The limit of a parent is smaller.
            MadeUpSystem.version2(used: 1).merging(["sys/fs/cgroup/a/memory.max": "5000\n"]) { $1 },
            MemoryLimit(byteCount: 5000, origin: .controlGroup)
        ),
        (
            // A container sees the path of the host, but only its own folder.
            [
                "proc/self/cgroup": "0::/host/path\n", "sys/fs/cgroup/memory.max": "7000",
            ], MemoryLimit(byteCount: 7000, origin: .controlGroup)
        ),
        (
            [
                "proc/meminfo": MadeUpSystem.machine,
                "proc/self/cgroup": "9:name=systemd:/\n4:cpu,memory:/x\n0::/\n",
                "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "6000\n",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            ], MemoryLimit(byteCount: 6000, origin: .controlGroup)
        ),
        (["proc/self/cgroup": "0\n:::\n0::\n", "proc/meminfo": ""], nil),
    ]

    @Test("is the smaller of those of the control groups and the machine", arguments: cases.indices)
    func smaller(_ index: Int) throws {
        let (files, limit) = Self.cases[index]
        let system = try MadeUpSystem(files)
        #expect(SystemFiles(root: system.root).memoryLimit == limit)
    }

    @Test("of this machine can be read")
    func thisMachine() throws {
        let limit = try #require(MemoryLimit.current)
        #expect(limit.byteCount > 1 << 20)
    }

    @Test("applies to the resident memory of the process")
    func resident() throws {
        let system = try MadeUpSystem(["proc/self/status": "Name:\tx\nVmHWM:\t  99 kB\nVmRSS:\t    2048 kB\n"]
        )
        #expect(SystemFiles(root: system.root).residentByteCount == 2 << 20)
        #if os(Linux)
        #expect(try #require(ProcessMemory.residentByteCount) > 1 << 20)
        #endif
    }
}

@Suite("A memory watch")
struct MemoryWatchTests {
    static let levels: [(used: Int, inactive: Int, level: MemoryPressure)] = [
        (0, 0, .normal), (849_999, 0, .normal), (850_000, 0, .warning), (950_000, 0, .critical),
        (2_000_000, 0, .critical), (990_000, 200_000, .normal), (100, 2_000_000, .normal),
    ]

    @Test("compares usage without idle pages of files with the limit", arguments: levels)
    func usage(used: Int, inactive: Int, level: MemoryPressure) throws {
        let system = try MadeUpSystem(MadeUpSystem.version2(used: used, inactive: inactive))
        #expect(SystemFiles(root: system.root).pressure == level)
    }

    @Test("counts the machine's memory where no control group limits it")
    func machine() throws {
        let system = try MadeUpSystem(["proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 100 kB\n"])
        #expect(SystemFiles(root: system.root).pressure == .warning)
        try system.write("proc/meminfo", "MemTotal: 0 kB\nMemAvailable: 0 kB\n")
        #expect(SystemFiles(root: system.root).pressure == .normal)
    }

    @Test("calls caches in order, then handlers, and not those that were released")
    func order() {
        let watch = MemoryWatch()
        let log = Log()
        let first = Contents("first", log: log)
        let second = Contents("second", log: log)
        var gone: Contents? = Contents("gone", log: log)
        for cache in [first, second, gone!, first] { watch.add(cache) }
        let observation = watch.onPressure { log.add("handler \($0)") }
        gone = nil
        watch.report(.warning)
        #expect(log.all == ["second warning", "first warning", "handler warning"])
        #expect(watch.releasableByteCount == 2000)
        observation.cancel()
        watch.report(.normal)
        watch.report(.critical)
        #expect(log.all.suffix(2) == ["second critical", "first critical"])
        #expect(log.all.count == 5)
        #expect(watch.releasableByteCount == 0)
        #expect(watch.pressure == .critical)
    }

    @Test("ends a handler with its observation, also from within the handler")
    func handlers() {
        let watch = MemoryWatch()
        let calls = Mutex(0)
        let held = Mutex<MemoryObservation?>(nil)
        held.withLock {
            $0 = watch.onPressure { _ in
                calls.withLock { $0 += 1 }
                held.withLock { $0 = nil }
            }
        }
        watch.report(.warning)
        watch.report(.warning)
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("reports the pressure of a made-up limit, and its end")
    func madeUp() async throws {
        let system = try MadeUpSystem(MadeUpSystem.version2(used: 960_000))
        let watch = MemoryWatch(
            root: system.root, check: .milliseconds(1), calm: .milliseconds(1))
        let cache = Contents()
        watch.add(cache)
        var pressures = watch.pressures.makeAsyncIterator()
        let running = Task { await watch.run() }
        #expect(await pressures.next() == .critical)
        #expect(cache.levels.first == .critical)
        try system.write("sys/fs/cgroup/a/b/memory.current", "10\n")
        while let next = await pressures.next(), next > .normal {}
        #expect(watch.pressure == .normal)
        running.cancel()
        await running.value
    }

    @Test("ends when its task is cancelled, before and while it waits", arguments: [false, true])
    func cancelled(isEarly: Bool) async throws {
        let system = try MadeUpSystem(["proc/pressure/memory": ""])
        let watch = MemoryWatch(root: system.root)
        let running = Task {
            while isEarly, !Task.isCancelled { await Task.yield() }
            await watch.run()
        }
        for _ in 0..<(isEarly ? 0 : 100) { await Task.yield() }
        running.cancel()
        await running.value
    }

    #if os(Linux)
    @Test(
        "sets triggers that this kernel accepts",
        .enabled(
            if: FileManager.default.isWritableFile(atPath: "/proc/pressure/memory"),
            "SKIPPED: this kernel has no /proc/pressure/memory, or does not let this user write it"))
    func triggers() throws {
        let alarms = try PressureAlarms("/proc/pressure/memory", triggers: MemoryWatch.triggers)
        #expect(alarms.hasTriggers)
        #expect(alarms.wait(milliseconds: 0) == .timeout)
        alarms.interrupt()
        #expect(alarms.wait(milliseconds: nil) == .interruption)
        #expect(throws: FileError.self) {
            try PressureAlarms("/proc/pressure/memory", triggers: ["some 1 1"])
        }
    }
    #endif
}

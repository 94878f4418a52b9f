import Testing

@testable import MemoryWatching

@Suite("Limits of the system")
struct SystemLimitsTests {
    private static let version2 = "0::/a/b\n"
    private static let version1 = "7:cpu,cpuacct:/x\n4:memory:/y\n"

    static let quotas: [(files: [String: String], processors: Double, threads: Int)] = [
        ([:], 8, 8),
        (["proc/self/cgroup": version2, "sys/fs/cgroup/a/b/cpu.max": "max 100000\n"], 8, 8),
        (["proc/self/cgroup": version2, "sys/fs/cgroup/a/b/cpu.max": "150000 100000\n"], 1.5, 2),
        (["proc/self/cgroup": version2, "sys/fs/cgroup/a/cpu.max": "50000 100000\n"], 0.5, 1),
        (
            [
                "proc/self/cgroup": version2, "sys/fs/cgroup/a/cpu.max": "400000 100000\n",
                "sys/fs/cgroup/a/b/cpu.max": "600000 100000\n",
            ], 4, 4
        ),
        // In a container, only the root of the cgroups is visible.
        (["proc/self/cgroup": "0::/host/path\n", "sys/fs/cgroup/cpu.max": "200000 100000\n"], 2, 2),
        (["proc/self/cgroup": version2, "sys/fs/cgroup/a/b/cpu.max": "6400000 100000\n"], 8, 8),
        (["proc/self/cgroup": version2, "sys/fs/cgroup/a/b/cpu.max": "100000\n"], 8, 8),
        (["proc/self/cgroup": version2, "sys/fs/cgroup/a/b/cpu.max": "100000 0\n"], 8, 8),
        (["proc/self/cgroup": version2, "sys/fs/cgroup/a/b/cpu.max": "many few\n"], 8, 8),
        (
            [
                "proc/self/cgroup": version1, "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "250000\n",
                "sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000\n",
            ], 2.5, 3
        ),
        (
            [
                "proc/self/cgroup": version1, "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us": "300000\n",
                "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us": "100000\n",
            ], 3, 3
        ),
        (
            [
                "proc/self/cgroup": version1, "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000\n",
            ], 8, 8
        ),
    ]

    @Test("include the smallest CPU quota of control groups", arguments: quotas)
    func processors(_ files: [String: String], _ processors: Double, _ threads: Int) throws {
        let system = try MadeUpSystem(files)
        let limits = SystemLimits(root: system.root, machineProcessors: 8)
        #expect(limits.processors == processors)
        #expect(limits.threads == threads)
    }

    @Test("include the memory of the machine or the control group")
    func memory() throws {
        let system = try MadeUpSystem(MadeUpSystem.version2(used: 1))
        let limits = SystemLimits(root: system.root, machineProcessors: 0)
        #expect(limits.memory == MemoryLimit(byteCount: 1_000_000, origin: .controlGroup))
        #expect(limits.threads == 1)
    }

    @Test("do not hide the resident memory of the process")
    func resident() throws {
        let system = try MadeUpSystem(["proc/self/status": "Name:\tx\nVmHWM:\t  99 kB\nVmRSS:\t    2048 kB\n"]
        )
        #expect(SystemFiles(root: system.root).residentByteCount == 2 << 20)
        #if os(Linux)
        #expect(try #require(ProcessMemory.residentByteCount) > 1 << 20)
        #endif
    }

    @Test("of this system are positive")
    func current() {
        #expect(SystemLimits.current.processors > 0)
        #expect(SystemLimits.current.memory.map { $0.byteCount > 0 } != false)
    }
}

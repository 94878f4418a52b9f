private import Platform

/// The processors that the process can use.
///
/// On Linux, these are the ones on which the scheduler may run it, which cpusets restrict, as far as the CPU quotas of its
/// control groups of version 1 and 2 allow: those of a container, a systemd service or a batch job.
///
/// Sources: proc(5), cpuset(7), and the kernel's scheduler/sched-bwc.rst.
package enum Processors {
    /// The number of threads that keep all of them busy, at least 1; read from the system once.
    ///
    /// 1 in a process that was forked since: the threads of Dispatch stay in the other process, and would be waited for.
    package static var count: Int { getpid() == found.process ? found.count : 1 }

    private static let found = (count: count(SystemFiles()), process: getpid())

    /// Returns the number of threads that keep the processors busy that files describe: 2 for a quota of 1.5.
    ///
    /// - Parameter machine: The processors of the machine, in case that the files do not tell.
    package static func count(
        _ files: SystemFiles, machine: Int = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    ) -> Int {
        let usable = usable(files, machine: machine) ?? machine
        let quota = quota(files).map { Int($0.rounded(.up)) }
        return max(1, min(usable, quota ?? usable))
    }

    /// The number of online processors that the affinity of the process allows; nil if the system does not tell.
    private static func usable(_ files: SystemFiles, machine: Int) -> Int? {
        // The list may contain processors that are offline, or that the machine does not even have.
        let allowed = SystemFiles.value(of: "Cpus_allowed_list:", in: files.text("/proc/self/status"))
        let online = ranges(files.text("/sys/devices/system/cpu/online")[...])
        let count = ranges(allowed ?? "").reduce(0) { sum, range in
            (online.isEmpty ? [0..<machine] : online).reduce(sum) { $0 + range.clamped(to: $1).count }
        }
        return count > 0 ? count : nil
    }

    /// Returns the ranges of a list such as "0-3,8".
    private static func ranges(_ list: Substring) -> [Range<Int>] {
        list.split { $0 == "," || $0.isWhitespace }.compactMap { part in
            let ends = part.split(separator: "-").compactMap { Int($0) }
            guard let first = ends.first, let last = ends.last, 0 <= first, first <= last, last < .max else {
                return nil
            }
            return first..<last + 1
        }
    }

    /// The smallest CPU quota of the cgroups, in processors; nil if there is none.
    private static func quota(_ files: SystemFiles) -> Double? {
        files.controlGroups(of: "cpu", in: ["cpu", "cpu,cpuacct"]).compactMap(\.processorQuota).min()
    }
}

extension SystemFiles.ControlGroup {
    /// The time that the processors may spend in a period, divided by the period; "max" or -1 means no quota.
    fileprivate var processorQuota: Double? {
        let names = isUnified ? ["cpu.max"] : ["cpu.cfs_quota_us", "cpu.cfs_period_us"]
        let words = names.flatMap { text($0).split { $0.isWhitespace } }
        guard words.count == 2, let time = Int(words[0]), let period = Int(words[1]), time > 0, period > 0
        else { return nil }
        return Double(time) / Double(period)
    }
}

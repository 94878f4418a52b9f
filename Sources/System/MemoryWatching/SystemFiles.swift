internal import Files
private import Platform

/// The files in which Linux describes limits and usage: cgroups, pressure, and the machine's memory.
///
/// Sources: cgroups(7), proc(5), and the kernel's admin-guide/cgroup-v2.rst, cgroup-v1/memory.rst and
/// scheduler/sched-bwc.rst.
struct SystemFiles: Sendable {
    /// The memory in use, and the limit.
    struct Usage: Equatable {
        var byteCount: Int
        var limit: Int

        /// Warning from 85 %, critical from 95 %.
        var pressure: MemoryPressure {
            let share = Double(byteCount) / Double(max(limit, 1))
            return share >= 0.95 ? .critical : share >= 0.85 ? .warning : .normal
        }
    }

    private let root: String

    /// - Parameter root: The folder that contains `proc` and `sys`: "" for the system's, another one for tests.
    init(root: String = "") {
        self.root = root
    }

    // MARK: Limits

    /// The smaller of the machine's memory and the cgroups' limits.
    var memoryLimit: MemoryLimit? {
        let group = memoryGroups.compactMap(\.limit).min()
        guard let machine = machineByteCount else {
            return group.map { MemoryLimit(byteCount: $0, origin: .controlGroup) }
        }
        guard let group, group < machine else { return MemoryLimit(byteCount: machine, origin: .machine) }
        return MemoryLimit(byteCount: group, origin: .controlGroup)
    }

    /// The smallest CPU quota of the cgroups, in processors; nil if there is none.
    var processorQuota: Double? {
        groups(of: "cpu", in: ["cpu", "cpu,cpuacct"]).compactMap(\.processorQuota).min()
    }

    private var machineByteCount: Int? {
        #if canImport(Darwin)
        guard root.isEmpty else { return memory("MemTotal") }
        return sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE)
        #else
        return memory("MemTotal")
        #endif
    }

    /// A value of /proc/meminfo, which counts in KiB.
    private func memory(_ name: String) -> Int? {
        value(of: name + ":", in: text("/proc/meminfo")).flatMap { Self.bytes($0, unit: 1024) }
    }

    // MARK: Usage

    /// The severest usage of the cgroups that have a limit, and of the machine.
    ///
    /// Pages of files that were not used lately count as free: the system drops them first.
    var pressure: MemoryPressure {
        var usages = memoryGroups.compactMap(\.usage)
        if let total = memory("MemTotal"), let available = memory("MemAvailable") {
            usages.append(Usage(byteCount: total - available, limit: total))
        }
        return usages.map(\.pressure).max() ?? .normal
    }

    /// The resident memory of the process in bytes; nil where the system does not report it.
    var residentByteCount: Int? {
        value(of: "VmRSS:", in: text("/proc/self/status")).flatMap { Self.bytes($0, unit: 1024) }
    }

    /// Whether a cgroup limits memory.
    var hasGroupLimit: Bool { memoryLimit?.origin == .controlGroup }

    // MARK: Pressure stall information

    /// Files for triggers: that of the cgroup first.
    var pressurePaths: [String] {
        memoryGroups.compactMap(\.pressurePath) + [root + "/proc/pressure/memory"]
    }

    // MARK: Control groups

    /// A folder of a controller.
    private struct Group {
        let files: SystemFiles
        let path: String
        let isUnified: Bool

        /// "max" in version 2, and a number near the greatest one in version 1, mean no limit.
        ///
        /// Above "memory.high", version 2 slows the process down until it can hardly work.
        var limit: Int? {
            let names = isUnified ? ["memory.max", "memory.high"] : ["memory.limit_in_bytes"]
            return names.compactMap(number).filter { $0 < 1 << 60 }.min()
        }

        /// The time that the processors may spend in a period, divided by the period; "max" or -1 means no quota.
        var processorQuota: Double? {
            let words =
                isUnified
                ? text("cpu.max").split { $0.isWhitespace }
                : ["cpu.cfs_quota_us", "cpu.cfs_period_us"].flatMap { text($0).split { $0.isWhitespace } }
            guard words.count == 2, let time = Int(words[0]), let period = Int(words[1]), time > 0, period > 0
            else { return nil }
            return Double(time) / Double(period)
        }

        var usage: Usage? {
            guard let limit, let used = number(isUnified ? "memory.current" : "memory.usage_in_bytes") else {
                return nil
            }
            let name = isUnified ? "inactive_file" : "total_inactive_file"
            let cached = files.value(of: name, in: files.text("\(path)/memory.stat")).flatMap {
                SystemFiles.bytes($0)
            }
            return Usage(byteCount: max(0, used - (cached ?? 0)), limit: limit)
        }

        var pressurePath: String? { isUnified ? "\(files.root)\(path)/memory.pressure" : nil }

        private func number(_ name: String) -> Int? {
            SystemFiles.bytes(text(name)[...])
        }

        private func text(_ name: String) -> String { files.text("\(path)/\(name)") }
    }

    private var memoryGroups: [Group] { groups(of: "memory", in: ["memory"]) }

    /// The cgroups of the process with a controller, from its own up to the root: the limit of each applies.
    ///
    /// In a container, the path is often that of the host, and only the root is mounted.
    ///
    /// - Parameter mounts: The names of folders below /sys/fs/cgroup in which version 1 may mount the controller.
    private func groups(of controller: String, in mounts: [String]) -> [Group] {
        let lines = text("/proc/self/cgroup").split(separator: "\n").map {
            $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        }
        return lines.filter { $0.count == 3 }.flatMap { line -> [Group] in
            let isUnified = line[0] == "0" && line[1].isEmpty
            guard isUnified || line[1].split(separator: ",").contains(controller[...]) else {
                return []
            }
            let parts = line[2].split(separator: "/").map(String.init)
            return (isUnified ? [""] : mounts.map { "/" + $0 }).flatMap { mount in
                (0...parts.count).reversed().map { count in
                    let path = (["/sys/fs/cgroup" + mount] + parts.prefix(count)).joined(separator: "/")
                    return Group(files: self, path: path, isUnified: isUnified)
                }
            }
        }
    }

    // MARK: Text

    /// The text of a file; empty if it cannot be read.
    ///
    /// These files have no size, so they are read to their end.
    fileprivate func text(_ path: String) -> String {
        guard let pieces = try? InputPieces(root + path) else { return "" }
        var bytes: [UInt8] = []
        while let piece = try? pieces.next({ span in span.indices.map { span[$0] } }) { bytes += piece }
        return PathText.decode(bytes)
    }

    /// The word after `name` at the start of a line.
    fileprivate func value(of name: String, in text: String) -> Substring? {
        for line in text.split(separator: "\n") {
            let words = line.split { $0.isWhitespace }
            if words.count > 1, words[0] == name { return words[1] }
        }
        return nil
    }

    /// A number of bytes that is not negative and does not overflow.
    fileprivate static func bytes(_ text: Substring, unit: Int = 1) -> Int? {
        guard let number = Int(text.filter { !$0.isWhitespace }), number >= 0 else { return nil }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: unit)
        return overflows ? nil : bytes
    }
}

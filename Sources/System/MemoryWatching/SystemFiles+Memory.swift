internal import Basics
private import Files
private import Platform

// Sources: proc(5), and the kernel's admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
extension SystemFiles {
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
        Self.value(of: name + ":", in: text("/proc/meminfo")).flatMap { Self.byteCount($0, unit: 1024) }
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
        Self.value(of: "VmRSS:", in: text("/proc/self/status")).flatMap { Self.byteCount($0, unit: 1024) }
    }

    /// Whether a cgroup limits memory.
    var hasGroupLimit: Bool { memoryLimit?.origin == .controlGroup }

    // MARK: Pressure stall information

    /// Files for triggers: that of the cgroup first.
    var pressurePaths: [String] {
        memoryGroups.compactMap(\.pressurePath) + [root + "/proc/pressure/memory"]
    }

    private var memoryGroups: [ControlGroup] { controlGroups(of: "memory", in: ["memory"]) }

    /// A number of bytes that is not negative and does not overflow.
    fileprivate static func byteCount(_ text: Substring, unit: Int = 1) -> Int? {
        guard let number = Int(text.filter { !$0.isWhitespace }), number >= 0 else { return nil }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: unit)
        return overflows ? nil : bytes
    }
}

extension SystemFiles.ControlGroup {
    /// "max" in version 2, and a number near the greatest one in version 1, mean no limit.
    ///
    /// Above "memory.high", version 2 slows the process down until it can hardly work.
    fileprivate var limit: Int? {
        let names = isUnified ? ["memory.max", "memory.high"] : ["memory.limit_in_bytes"]
        return names.compactMap(byteCount).filter { $0 < 1 << 60 }.min()
    }

    fileprivate var usage: SystemFiles.Usage? {
        guard let limit, let used = byteCount(isUnified ? "memory.current" : "memory.usage_in_bytes") else {
            return nil
        }
        let name = isUnified ? "inactive_file" : "total_inactive_file"
        let cached = SystemFiles.value(of: name, in: text("memory.stat")).flatMap {
            SystemFiles.byteCount($0)
        }
        return SystemFiles.Usage(byteCount: max(0, used - (cached ?? 0)), limit: limit)
    }

    fileprivate var pressurePath: String? {
        isUnified ? PathText.decode(path(of: "memory.pressure")) : nil
    }

    private func byteCount(_ name: String) -> Int? { SystemFiles.byteCount(text(name)[...]) }
}

/// The memory that the process uses.
package enum ProcessMemory {
    /// The resident memory in bytes; nil where the system does not report it in files.
    package static var residentByteCount: Int? { SystemFiles().residentByteCount }
}

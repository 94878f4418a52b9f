internal import Files
private import Platform

/// The files in which Linux describes memory: cgroup limits and usage, pressure, and the machine's memory.
///
/// Sources: cgroups(7), proc(5), and the kernel's admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
struct MemoryFiles: Sendable {
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
    var limit: MemoryLimit? {
        let group = groups.compactMap(\.limit).min()
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
        value(of: name + ":", in: text("/proc/meminfo")).flatMap { Self.bytes($0, unit: 1024) }
    }

    // MARK: Usage

    /// The severest usage of the cgroups that have a limit, and of the machine.
    ///
    /// Pages of files that were not used lately count as free: the system drops them first.
    var pressure: MemoryPressure {
        var usages = groups.compactMap(\.usage)
        if let total = memory("MemTotal"), let available = memory("MemAvailable") {
            usages.append(Usage(byteCount: total - available, limit: total))
        }
        return usages.map(\.pressure).max() ?? .normal
    }

    /// Whether a cgroup limits memory.
    var hasGroupLimit: Bool { limit?.origin == .controlGroup }

    // MARK: Pressure stall information

    /// Files for triggers: that of the cgroup first.
    var pressurePaths: [String] {
        groups.compactMap(\.pressurePath) + [root + "/proc/pressure/memory"]
    }

    // MARK: Control groups

    /// A folder of the memory controller.
    private struct Group {
        let files: MemoryFiles
        let path: String
        let isUnified: Bool

        /// "max" in version 2, and a number near the greatest one in version 1, mean no limit.
        var limit: Int? {
            let limit = number(isUnified ? "memory.max" : "memory.limit_in_bytes")
            return limit.flatMap { $0 < 1 << 60 ? $0 : nil }
        }

        var usage: Usage? {
            guard let limit, let used = number(isUnified ? "memory.current" : "memory.usage_in_bytes") else {
                return nil
            }
            let name = isUnified ? "inactive_file" : "total_inactive_file"
            let cached = files.value(of: name, in: files.text("\(path)/memory.stat")).flatMap {
                MemoryFiles.bytes($0)
            }
            return Usage(byteCount: max(0, used - (cached ?? 0)), limit: limit)
        }

        var pressurePath: String? { isUnified ? "\(files.root)\(path)/memory.pressure" : nil }

        private func number(_ name: String) -> Int? {
            MemoryFiles.bytes(files.text("\(path)/\(name)")[...])
        }
    }

    /// The cgroups of the process with a memory controller, from its own up to the root: the limit of each applies.
    ///
    /// In a container, the path is often that of the host, and only the root is mounted.
    private var groups: [Group] {
        let lines = text("/proc/self/cgroup").split(separator: "\n").map {
            $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        }
        return lines.filter { $0.count == 3 }.flatMap { line -> [Group] in
            let isUnified = line[0] == "0" && line[1].isEmpty
            guard isUnified || line[1].split(separator: ",").contains("memory") else { return [] }
            let mount = isUnified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
            var parts = line[2].split(separator: "/")
            var groups: [Group] = []
            while true {
                let path = ([mount] + parts.map(String.init)).joined(separator: "/")
                groups.append(Group(files: self, path: path, isUnified: isUnified))
                guard parts.popLast() != nil else { return groups }
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
            let words = line.split(separator: " ")
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

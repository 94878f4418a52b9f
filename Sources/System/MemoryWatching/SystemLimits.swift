#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// The memory and processors that the process can use.
///
/// Limits of control groups of version 1 and 2 apply, for example those of a container, a systemd service or a batch job.
package struct SystemLimits: Equatable, Sendable {
    /// The memory; nil if the system does not report it.
    package let memory: MemoryLimit?
    /// The number of processors, which a quota reduces to a fraction such as 1.5.
    package let processors: Double

    /// The limits, read from the system on each call.
    package static var current: Self { Self(root: "") }

    /// Reads the limits.
    ///
    /// - Parameters:
    ///   - root: The folder that contains `proc` and `sys`: "" for the system's, another one for tests.
    ///   - machineProcessors: The processors on which the process may run.
    package init(root: String, machineProcessors: Int = ProcessInfo.processInfo.activeProcessorCount) {
        let files = SystemFiles(root: root)
        let count = Double(max(1, machineProcessors))
        self.init(memory: files.memoryLimit, processors: min(count, files.processorQuota ?? count))
    }

    /// Creates given limits, for tests.
    package init(memory: MemoryLimit?, processors: Double) {
        self.memory = memory
        self.processors = processors
    }

    /// The number of threads that keep all processors busy: at least 1, and 2 for a quota of 1.5.
    package var threads: Int { max(1, Int(processors.rounded(.up))) }
}

/// The memory that the process uses.
package enum ProcessMemory {
    /// The resident memory in bytes; nil where the system does not report it in files.
    package static var residentByteCount: Int? { SystemFiles().residentByteCount }
}

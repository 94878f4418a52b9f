package import Dispatch

/// Threads for work that computes for long or waits.
///
/// On Linux, Dispatch's global queues, and concurrent queues above them, share their threads, one per processor, with
/// Swift's tasks: each piece of such work takes a processor from every task, sleep and cancellation of the program. Only
/// serial queues have threads beside those, so all long work of this package starts here.
package enum WorkerThread {
    /// Starts work on a thread that runs no task of Swift's, and returns at once.
    ///
    /// - Parameters:
    ///   - name: The name of the work for debuggers.
    ///   - isUtility: Whether no caller waits for it, which only Darwin's systems ask.
    ///   - group: Is left when the work has ended.
    package static func start(
        _ name: String, isUtility: Bool = false, in group: DispatchGroup? = nil,
        _ work: @escaping @Sendable () -> Void
    ) {
        DispatchQueue(label: name, qos: isUtility ? .utility : .unspecified).async(
            group: group, execute: work)
    }
}

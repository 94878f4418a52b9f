internal import Basics
internal import Files
internal import Synchronization

/// How a batch runs, whatever it makes.
public struct BatchOptions: Hashable, Codable, Sendable {
    /// What is kept of the results that the log of an earlier run holds.
    public enum Resumption: String, Hashable, Codable, Sendable {
        /// Nothing: the log is replaced.
        case none
        /// Results of the same work on unchanged files whose outputs exist, and failures, which would fail again.
        case all
        /// The same without failures, which are tried again.
        case succeeded
    }

    /// The number of files processed at a time, at least 1; for files on a network more than the processors are of use.
    public var maxConcurrentTasks: Int
    /// The batch ends when more files than this fail; nil for no limit.
    public var allowedFailures: Int?
    /// The path of the log, one JSON object per result and line; nil for none.
    ///
    /// The file is replaced if it is a log, locked while the batch runs, and written line by line.
    public var log: String?
    /// What is kept of the log of an earlier run.
    public var resumption = Resumption.none
    /// The share of the list that this run processes; nil for all.
    public var shard: Shard?
    /// Whether files are replaced that are not outputs of such a batch.
    public var replacesOtherFiles = false

    /// Creates options without a log, for one file per processor.
    public init() {
        maxConcurrentTasks = Processors.count
    }
}

extension BatchOptions {
    /// Decodes options; those that are missing have their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        try values.read(&maxConcurrentTasks, .maxConcurrentTasks)
        try values.read(&allowedFailures, .allowedFailures)
        try values.read(&log, .log)
        try values.read(&resumption, .resumption)
        try values.read(&shard, .shard)
        try values.read(&replacesOtherFiles, .replacesOtherFiles)
    }
}

extension Batch {
    /// Runs work on threads of its own until the list ends, or until the task is cancelled and the items in progress are
    /// finished.
    ///
    /// - Parameters:
    ///   - inputs: files that are read, and so never replaced by the log.
    ///   - list: returns the list.
    @concurrent
    package static func run(
        _ work: any BatchWork, _ options: BatchOptions, inputs: [String], root: BatchRoot,
        _ list: @escaping @Sendable () throws(BatchError) -> BatchList,
        report: @escaping @Sendable (BatchResult, BatchSummary) -> Void
    ) async throws(BatchError) -> BatchSummary {
        var batch = Batch(work, jobs: options.maxConcurrentTasks)
        batch.allowedFailures = options.allowedFailures
        let (worker, isStopped) = (batch, CancellationFlag())
        let result: Result<BatchSummary, BatchError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The workers and the thread that waits for them are dedicated threads.
                onOwnThread {
                    continuation.resume(
                        returning: Result { () throws(BatchError) in
                            let log = try options.log(of: work, inputs: inputs, root)
                            // Threads that have ended may hold the log for a moment longer.
                            defer { log?.close() }
                            let plan = BatchPlan(try list(), for: work, shard: options.shard, skipping: log)
                            var summary = try worker.run(plan, isStopped: { isStopped.isRaised }) {
                                result, summary throws(BatchError) in
                                try log?.append(result)
                                var summary = summary
                                summary.kept = log?.kept ?? 0
                                report(result, summary)
                            }
                            summary.kept = log?.kept ?? 0
                            return summary
                        })
                }
            }
        } onCancel: {
            isStopped.raise()
        }
        return try result.get()
    }
}

extension BatchOptions {
    fileprivate func log(
        of work: any BatchWork, inputs: [String], _ root: BatchRoot
    ) throws(BatchError) -> ResultLog? {
        guard let log else { return nil }
        let output = ResultLog.output(log, inputs: inputs, overwrites: replacesOtherFiles)
        let rule = resumption == .none ? nil : ResultRule(work, retriesFailed: resumption == .succeeded)
        return try ResultLog(output, root, keeping: rule)
    }
}

/// A batch whose outputs are named by a template: what the batches of this package have in common.
package protocol TemplateBatch: Sendable {
    var options: BatchOptions { get }
    /// The template of the outputs.
    var template: OutputTemplate { get }

    /// Returns the work.
    ///
    /// - Parameter list: returns the list, for questions about its files.
    func work(_ list: @escaping @Sendable () throws(BatchError) -> BatchList) -> any BatchWork
}

extension TemplateBatch {
    @concurrent
    package func runBatch(
        files: [String], recursive: Bool, _ report: @escaping @Sendable (BatchResult, BatchSummary) -> Void
    ) async throws(BatchError) -> BatchSummary {
        let root = BatchRoot(isForManifest: false)
        let folder = template.folder
        let list: @Sendable () throws(BatchError) -> BatchList = {
            BatchList(files, isRecursive: recursive, leavingOut: folder.isEmpty ? nil : folder, root: root)
        }
        return try await Batch.run(
            work(list), options, inputs: files, root: root, list, report: report)
    }

    @concurrent
    package func runBatch(
        manifest: String, _ report: @escaping @Sendable (BatchResult, BatchSummary) -> Void
    ) async throws(BatchError) -> BatchSummary {
        let root = BatchRoot()
        let list: @Sendable () throws(BatchError) -> BatchList = { () throws(BatchError) in
            try BatchList(manifest: manifest, root: root)
        }
        return try await Batch.run(
            work(list), options, inputs: [manifest], root: root, list, report: report)
    }
}

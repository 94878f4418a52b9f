internal import Basics
public import Batches
internal import Synchronization

/// Makes the thumbnails of many files.
///
/// ```swift
/// let recipe = ThumbnailRecipe(sizes: [ThumbnailSize(256)])
/// let batch = try ThumbnailBatch(recipe, output: "thumbnails/{dir}/{stem}.jpg")
/// let summary = try await batch.run(["photos"], recursive: true) { result, summary in
///     print(result.file ?? "", summary.fraction ?? 0)
/// }
/// ```
///
/// Thumbnails of an earlier run with the same recipe and unchanged files are kept. Files are written atomically, and
/// never replace a file that is not a thumbnail of this package.
public struct ThumbnailBatch: Sendable {
    /// The thumbnails to make of each file.
    public let recipe: ThumbnailRecipe
    /// The number of files processed at a time; at least 1.
    public var jobs: Int
    /// The batch ends when more files than this fail; nil for no limit.
    public var allowedFailures: Int?
    /// Whether to replace files that are not thumbnails of this package.
    public var replacesOtherFiles = false
    private let template: OutputTemplate

    /// Creates a batch that writes to the paths of a template.
    ///
    /// - Parameters:
    ///   - output: a path with placeholders: `{name}` is the file name, `{stem}` and `{ext}` are its parts, `{dir}` is
    ///     its folder, `{size}`, `{width}` and `{height}` are the requested size, `{id}` is the manifest's id.
    ///   - jobs: the number of files processed at a time; nil for the number of processors.
    /// - Throws: `BatchError.badTemplate`, also if two sizes would have the same path.
    public init(_ recipe: ThumbnailRecipe, output: String, jobs: Int? = nil) throws(BatchError) {
        do throws(InvalidText) {
            template = try OutputTemplate(output)
        } catch {
            throw .badTemplate(output, reason: "\(error)")
        }
        guard TemplateStore(template, recipe).tellsSizesApart else {
            throw .badTemplate(output, reason: "two sizes have the same path; add {size}")
        }
        self.recipe = recipe
        self.jobs = jobs ?? Processors.count
    }

    /// Makes the thumbnails of files.
    ///
    /// Cancelling the task ends the batch after the files in progress; the summary counts the rest.
    ///
    /// - Parameters:
    ///   - files: paths of files and, if `recursive` is set, of folders.
    ///   - recursive: whether to include the pictures and videos below folders.
    ///   - report: receives each result and the counts so far, one call at a time, on any thread.
    /// - Throws: `BatchError`. A file that fails is a result, not an error.
    @concurrent
    public func run(
        _ files: [String], recursive: Bool = false,
        report: @escaping @Sendable (BatchResult, BatchSummary) -> Void = { _, _ in }
    ) async throws(BatchError) -> BatchSummary {
        let root = BatchRoot(isForManifest: false)
        let folder = template.folder
        return try await run(report) { () throws(BatchError) in
            BatchList(files, isRecursive: recursive, leavingOut: folder.isEmpty ? nil : folder, root: root)
        }
    }

    /// Makes the thumbnails of the files that a manifest lists.
    ///
    /// - Parameters:
    ///   - manifest: a file with one JSON object on each line: `{"path": "photo.jpg", "id": "7"}`.
    ///   - report: receives each result and the counts so far, one call at a time, on any thread.
    /// - Throws: `BatchError`. A file that fails is a result, not an error.
    @concurrent
    public func run(
        manifest: String, report: @escaping @Sendable (BatchResult, BatchSummary) -> Void = { _, _ in }
    ) async throws(BatchError) -> BatchSummary {
        try await run(report) { () throws(BatchError) in try BatchList(manifest: manifest, root: BatchRoot())
        }
    }

    @concurrent
    private func run(
        _ report: @escaping @Sendable (BatchResult, BatchSummary) -> Void,
        _ list: @escaping @Sendable () throws(BatchError) -> BatchList
    ) async throws(BatchError) -> BatchSummary {
        let store = TemplateStore(template, recipe, replacesOthers: replacesOtherFiles) {
            (try? list()).map { list in
                var list = list
                return list.files()
            } ?? []
        }
        var batch = Batch(ThumbnailWork(recipe, to: store), jobs: jobs)
        batch.allowedFailures = allowedFailures
        let work = batch
        let isStopped = Mutex(false)
        let result: Result<BatchSummary, BatchError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The workers and the thread that waits for them are dedicated threads.
                Batch.onOwnThread {
                    continuation.resume(
                        returning: Result { () throws(BatchError) in
                            try work.run(
                                BatchPlan(try list(), for: work.work),
                                isStopped: { isStopped.withLock(\.self) },
                                report)
                        })
                }
            }
        } onCancel: {
            isStopped.withLock { $0 = true }
        }
        return try result.get()
    }
}

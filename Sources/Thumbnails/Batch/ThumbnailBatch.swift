internal import Files
internal import Synchronization

/// Thumbnails of many files, each written to a file of its own.
///
/// ```swift
/// let recipe = ThumbnailRecipe(sizes: [ThumbnailSize(256)])
/// let batch = try ThumbnailBatch(recipe, output: "thumbnails/{dir}/{stem}.jpg")
/// let summary = try await batch.run(["photos"], recursive: true) { result, summary in
///     print(result.file ?? "", summary.fraction ?? 0)
/// }
/// ```
///
/// Thumbnails that an earlier run made of the same file by the same recipe are left as they are. Each file appears
/// whole or not at all, and never replaces a file that is no thumbnail of this package.
public struct ThumbnailBatch: Sendable {
    /// What is made of every file.
    public let recipe: ThumbnailRecipe
    /// How many files are worked on at once; at least 1.
    public var jobs: Int
    /// The batch ends when more files than this have failed; nil for never.
    public var allowedFailures: Int?
    /// Whether a file that is no thumbnail of this package is replaced.
    public var replacesOtherFiles = false
    private let template: OutputTemplate

    /// A batch that writes to the paths of a template.
    ///
    /// - Parameters:
    ///   - output: a path in which `{name}` stands for the file's name, `{stem}` and `{ext}` for its parts, `{dir}`
    ///     for its folder, `{size}`, `{width}` and `{height}` for the requested size, `{id}` for the manifest's id.
    ///   - jobs: how many files are worked on at once; one for each processor unless given.
    /// - Throws: `BatchError.badTemplate`, also where two sizes would have the same path.
    public init(_ recipe: ThumbnailRecipe, output: String, jobs: Int? = nil) throws(BatchError) {
        do throws(OutputTemplate.SyntaxError) {
            template = try OutputTemplate(output)
        } catch {
            throw .badTemplate(output, reason: "\(error)")
        }
        guard TemplateStore(template, recipe).tellsSizesApart else {
            throw .badTemplate(output, reason: "two sizes have the same path; {size} tells them apart")
        }
        self.recipe = recipe
        self.jobs = jobs ?? ThumbnailMaker.processors
    }

    /// Makes the thumbnails of files.
    ///
    /// Cancelling the task ends the batch when the files in work are done; what is left is counted in the summary.
    ///
    /// - Parameters:
    ///   - files: paths of files, and of folders where `recursive` is set.
    ///   - recursive: whether the pictures and films below folders are included.
    ///   - report: called with each result and the counts so far, one call at a time, on any thread.
    /// - Throws: `BatchError`; a file that fails is a result and throws nothing.
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
    ///   - report: called with each result and the counts so far, one call at a time, on any thread.
    /// - Throws: `BatchError`; a file that fails is a result and throws nothing.
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
        var batch = Batch(recipe, to: store, jobs: jobs)
        batch.allowedFailures = allowedFailures
        let work = batch
        let isStopped = Mutex(false)
        let result: Result<BatchSummary, BatchError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Its workers have threads of their own; so has the thread that waits for them.
                Batch.onOwnThread {
                    continuation.resume(
                        returning: Result { () throws(BatchError) in
                            try work.run(
                                BatchPlan(try list(), for: store), isStopped: { isStopped.withLock(\.self) },
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

/// The counts of a batch.
public struct BatchSummary: Sendable, Hashable {
    /// Files whose thumbnails were made.
    public package(set) var made = 0
    /// Files whose thumbnails were there already.
    public package(set) var skipped = 0
    /// Files that the list has twice.
    public package(set) var duplicates = 0
    /// Files without thumbnails.
    public package(set) var failed = 0
    /// Those of `failed` whose thumbnails could not be written.
    public package(set) var unwritten = 0
    /// Files that were not begun; nil where the list is a stream.
    public package(set) var left: Int? = 0
    /// How much of the list was begun, from 0 to 1; nil where its length is unknown.
    public package(set) var fraction: Double?

    /// Files that are done, whatever came of them.
    public var done: Int { made + skipped + duplicates + failed }

    mutating func count(_ result: BatchResult) {
        switch result.outcome {
        case .made: made += 1
        case .skipped: skipped += 1
        case .duplicate: duplicates += 1
        case .failed(let failure):
            failed += 1
            if failure.code == BatchFailure.cannotWrite { unwritten += 1 }
        }
    }
}

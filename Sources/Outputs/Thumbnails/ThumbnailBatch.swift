public import Batches

/// Makes the thumbnails of many files.
///
/// ```swift
/// let recipe = ThumbnailRecipe(sizes: [ThumbnailSize(256)])
/// var batch = try ThumbnailBatch(recipe: recipe, output: "thumbnails/{dir}/{stem}.jpg")
/// batch.options.log = "done.jsonl"
/// batch.options.resumption = .succeeded
/// let summary = try await batch.run(files: ["photos"], recursive: true) { result, summary in
///     print(result.file ?? "", summary.progress.fraction)
/// }
/// ```
///
/// Thumbnails of an earlier run with the same recipe and unchanged files are kept, with and without a log. Files are
/// written atomically, and never replace a file that is not a thumbnail of this package.
public struct ThumbnailBatch: Sendable {
    /// The thumbnails to make of each file.
    public let recipe: ThumbnailRecipe
    /// The number of files at a time, the log, the shard.
    public var options = BatchOptions()
    package let template: OutputTemplate

    /// Creates a batch that writes to the paths of a template.
    ///
    /// - Parameters:
    ///   - recipe: the thumbnails to make of each file.
    ///   - output: a path with placeholders: `{name}` is the file name, `{stem}` and `{ext}` are its parts, `{dir}` is
    ///     its folder, `{size}`, `{width}` and `{height}` are the requested size, `{id}` is the manifest's id.
    /// - Throws: `BatchError.badTemplate`, also if two sizes would have the same path, or if the extension is that of
    ///   another format than the recipe's.
    public init(recipe: ThumbnailRecipe, output: String) throws(BatchError) {
        template = try OutputTemplate(named: output)
        guard TemplateStore(template, recipe).naming?.tellsApart ?? true else {
            throw .badTemplate(output, reason: "two sizes have the same path; add {size}")
        }
        _ = try template.format(asked: recipe.format, usual: recipe.format)
        self.recipe = recipe
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
    public func run(
        files: [String], recursive: Bool = false,
        report: @escaping @Sendable (BatchResult, BatchSummary) -> Void = { _, _ in }
    ) async throws(BatchError) -> BatchSummary {
        try await runBatch(files: files, recursive: recursive, report)
    }

    /// Makes the thumbnails of the files that a manifest lists.
    ///
    /// - Parameters:
    ///   - manifest: a file with one JSON object on each line: `{"path": "photo.jpg", "id": "7"}`.
    ///   - report: receives each result and the counts so far, one call at a time, on any thread.
    /// - Throws: `BatchError`. A file that fails is a result, not an error.
    public func run(
        manifest: String, report: @escaping @Sendable (BatchResult, BatchSummary) -> Void = { _, _ in }
    ) async throws(BatchError) -> BatchSummary {
        try await runBatch(manifest: manifest, report)
    }
}

extension ThumbnailBatch: TemplateBatch {
    package func work(_ list: @escaping @Sendable () throws(BatchError) -> BatchList) -> any BatchWork {
        let store = TemplateStore(
            template, recipe, replacesOthers: options.replacesOtherFiles, inputs: ListedFiles { try? list() })
        return ThumbnailWork(recipe, to: store)
    }
}

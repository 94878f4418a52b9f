public import Batches
internal import Files
internal import ImageReading

/// Exports the pyramids of many images.
///
/// ```swift
/// let batch = try PyramidBatch(pyramid: ExportOptions(.dz), output: "pyramids/{dir}/{stem}.dzi")
/// let summary = try await batch.run(files: ["scans"], recursive: true)
/// ```
public struct PyramidBatch: Sendable {
    /// How the pyramids are laid out and encoded; the `id` of IIIF images may have the placeholders `{id}`, `{name}` and
    /// `{stem}`.
    public let pyramid: ExportOptions
    /// The number of files at a time, the log, the shard.
    public var options = BatchOptions()
    package let template: OutputTemplate

    /// Creates a batch that writes to the paths of a template.
    ///
    /// - Parameters:
    ///   - pyramid: how the pyramids are laid out and encoded.
    ///   - output: a path with placeholders: `{name}` is the file name, `{stem}` and `{ext}` are its parts, `{dir}` is
    ///     its folder, `{id}` is the manifest's id. Its extension is none of another layout.
    /// - Throws: `BatchError.badTemplate`.
    public init(pyramid: ExportOptions, output: String) throws(BatchError) {
        template = try OutputTemplate(named: output)
        do throws(ExportError) {
            try pyramid.layout.check(output)
        } catch {
            throw .badTemplate(output, reason: error.reason)
        }
        self.pyramid = pyramid
    }

    /// Exports the pyramids of files.
    ///
    /// Cancelling the task ends the batch after the files in progress; the summary counts the rest.
    ///
    /// - Parameters:
    ///   - files: paths of files and, if `recursive` is set, of folders.
    ///   - recursive: whether to include the pictures below folders.
    ///   - report: receives each result and the counts so far, one call at a time, on any thread.
    /// - Throws: `BatchError`. A file that fails is a result, not an error.
    public func run(
        files: [String], recursive: Bool = false,
        report: @escaping @Sendable (BatchResult, BatchSummary) -> Void = { _, _ in }
    ) async throws(BatchError) -> BatchSummary {
        try await runBatch(files: files, recursive: recursive, report)
    }

    /// Exports the pyramids of the files that a manifest lists.
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

extension PyramidBatch: TemplateBatch {
    package func work(_ list: @escaping @Sendable () throws(BatchError) -> BatchList) -> any BatchWork {
        let (pyramid, replaces) = (pyramid, options.replacesOtherFiles)
        // Rows and tiles in progress, beside the decoder.
        return OneFileWork(
            noun: "pyramid", fingerprint: "pyramid \(pyramid.fingerprint)", template: template,
            extraBytes: 96 << 20
        ) { item, path in
            var pyramid = pyramid
            pyramid.id = Self.address(pyramid.id, of: item)
            pyramid.replaces = replaces
            try Folder.make(OutputFile.folder(of: path), mode: 0o777)
            var opening = OpenOptions()
            opening.optimizesForRandomAccess = pyramid.readsParts
            let file = try ImageFile(path: item.file, options: opening)
            _ = try PyramidExporter(options: pyramid).exportSynchronously(file, to: path) { _ in }
            let size = file.uprightSize
            return try StoredThumbnail(
                pyramid.layout.rawValue, size.width, size.height, StoredTree(path), path)
        }
    }

    /// Returns the URL of an image, with the placeholders `{id}`, `{name}` and `{stem}` filled in.
    package static func address(_ text: String, of item: BatchItem) -> String {
        let name = OutputFile.name(of: item.relativePath)
        var id = text.replacing("{id}", with: item.key).replacing("{name}", with: name)
            .replacing("{stem}", with: FilePath(name).withoutExtension.text)
        while id.hasSuffix("/") { id.removeLast() }
        return id
    }
}

extension ExportOptions {
    /// What decides the files, for comparison with an earlier run.
    fileprivate var fingerprint: String {
        "\(layout.rawValue) \(tileSize) \(overlap) \(format.rawValue) \(quality ?? 0) \(background.fingerprint) \(isExact) \(id)"
            + (assumesPanorama ? " panorama" : "") + (framesTiles ? " cog" : "")
    }
}

internal import Basics
internal import Containers
package import Files
internal import Foundation
public import ImageReading
public import PictureEncoding
internal import Renders
public import ViewportRendering
public import Viewports

/// Renders a part of each of many images to a file.
///
/// ```swift
/// let batch = try RenderBatch(name: "center 512", output: "crops/{dir}/{stem}.png") { file in
///     let center = file.uprightSize.imageSize
///     return Viewport(
///         imageRect: Rect(x: center.width / 2 - 256, y: center.height / 2 - 256, width: 512, height: 512), scale: 1)
/// }
/// let summary = try await batch.run(files: ["scans"], recursive: true)
/// ```
///
/// Files are written atomically, and never replace a file that is not a picture of this package.
public struct RenderBatch: Sendable {
    /// The name of the work in the log: results of another name, format or `rendering` are made anew.
    public let name: String
    /// The format of the pictures.
    public let format: PictureFormat
    /// Kernel, colors, background and limits.
    public var rendering = RenderOptions()
    /// The number of files at a time, the log, the shard.
    public var options = BatchOptions()
    package let template: OutputTemplate
    private let viewport: @Sendable (ImageFile) throws -> Viewport

    /// Creates a batch that writes to the paths of a template.
    ///
    /// - Parameters:
    ///   - name: tells this work from others that use the same log: change it with the viewport, which cannot be
    ///     compared. The format and `rendering` are compared with the name.
    ///   - output: a path with placeholders: `{name}` is the file name, `{stem}` and `{ext}` are its parts, `{dir}` is
    ///     its folder, `{id}` is the manifest's id.
    ///   - format: the format of the pictures; nil for that of the extension, else PNG.
    ///   - viewport: returns the part of an image, and its scale; called on several threads. The file fails with what
    ///     it throws.
    /// - Throws: `BatchError.badTemplate`, also if the extension is that of another format.
    public init(
        name: String, output: String, format: PictureFormat? = nil,
        viewport: @escaping @Sendable (ImageFile) throws -> Viewport
    ) throws(BatchError) {
        template = try OutputTemplate(named: output)
        self.format = try template.format(asked: format, usual: .png)
        (self.name, self.viewport) = (name, viewport)
    }

    /// Renders files.
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

    /// Renders the files that a manifest lists.
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

extension RenderBatch: TemplateBatch {
    /// What decides the pictures, apart from the files and the viewport.
    ///
    /// Usual options add nothing, so that logs of earlier versions stay valid.
    private var fingerprint: String {
        let name = "render \(name) \(format.rawValue)"
        guard rendering != RenderOptions() else { return name }
        let coder = JSONEncoder()
        coder.outputFormatting = .sortedKeys
        // Finite numbers and names, which can be encoded.
        let options = (try? coder.encode(rendering)).map { String(decoding: $0, as: UTF8.self) }
        return "\(name) \(options ?? "")"
    }

    package func work(_ list: @escaping @Sendable () throws(BatchError) -> BatchList) -> any BatchWork {
        let listed = ListedFiles { try? list() }
        let (viewport, format, rendering) = (viewport, format, rendering)
        let replaces = options.replacesOtherFiles
        return OneFileWork(
            noun: "picture", fingerprint: fingerprint, template: template
        ) { item, path in
            let output = try MarkedOutput(path, format, of: item, among: listed, overwrites: replaces)
            let file = try ImageFile(path: item.file)
            var job = PictureJob([.viewport(try viewport(file))], [PictureEncoder(format)])
            job.rendering = rendering
            return try StoredThumbnail(
                writing: PictureSource(file).pictures(of: job)[0], to: output)
        }
    }
}

/// Work that makes one output of each file.
package struct OneFileWork: BatchWork {
    package let noun: String
    private let name: String
    private let template: OutputTemplate
    private let extraBytes: Int
    private let make: @Sendable (BatchItem, _ path: String) throws -> StoredThumbnail

    /// - Parameters:
    ///   - fingerprint: what decides the outputs, apart from the files.
    ///   - extraBytes: the memory of an item beside that of its decoder.
    package init(
        noun: String, fingerprint: String, template: OutputTemplate, extraBytes: Int = 0,
        make: @escaping @Sendable (BatchItem, _ path: String) throws -> StoredThumbnail
    ) {
        (self.noun, name, self.template) = (noun, fingerprint, template)
        (self.extraBytes, self.make) = (extraBytes, make)
    }

    package var identity: BatchIdentity { .path }

    package var naming: OutputNaming? {
        OutputNaming(template, [OutputNaming.Size("")])
    }

    package var recipe: BatchRecipe { .common(name) }

    package func memory(of item: BatchItem) -> Int {
        ((try? ImageFile.open(item.file))?.decodingByteCount ?? 0) + extraBytes
    }

    package func make(
        _ item: BatchItem, _ outputs: [String], _ source: FileStatus?
    ) throws(BatchFailure) -> BatchOutput {
        do {
            return BatchOutput(.made([try make(item, outputs[0])]))
        } catch {
            throw BatchFailure(error, making: outputs[0], of: item)
        }
    }
}

#if CommandLine
import ArgumentParser
import Files
import PyramidExport
import Thumbnails
import ViewportRendering

/// The work of `viewport pyramid` for many pyramids: one for each file, or line of a manifest.
///
/// A line names an image and any options of `pyramid`; those of the command line apply to all lines.
struct PyramidWork: LineWork {
    private let command: PyramidCommand
    let template: OutputTemplate
    let commonOptions: String

    init(_ command: PyramidCommand) throws {
        self.command = command
        template = try command.template
        commonOptions = "pyramid 1 \(command.commonOptions)"
    }

    var noun: String { "pyramid" }

    /// The memory of a decoder, and of the rows and tiles in progress.
    func memory(of item: BatchItem) -> Int {
        ((try? ImageFile.open(item.file))?.decodingByteCount ?? 0) + (96 << 20)
    }

    func make(_ item: BatchItem, _ outputs: [String], _ source: FileStatus?) throws(BatchFailure)
        -> BatchOutput
    {
        let path = outputs[0]
        var line = try PyramidCommand.lineOptions.applied(to: command, item)
        line.inputs.paths = [item.file]
        line.pyramid.givenOutput = path
        do {
            try line.pyramid.validate()
            try line.opening.validate()
            var options = try line.pyramid.options
            if let id = line.pyramid.id { options.id = PyramidBatch.address(id, of: item) }
            try Folder.make(OutputFile.folder(of: path), mode: 0o777)
            let file = try line.opening.open(item.file) { $0.optimizesForRandomAccess = options.readsParts }
            _ = try PyramidExporter(options: options).exportSynchronously(file, to: path) { _ in }
            let size = file.uprightSize
            let tree = StoredTree(path)
            return BatchOutput(
                .made([try StoredThumbnail(options.layout.rawValue, size.width, size.height, tree, path)]))
        } catch {
            throw BatchFailure(error, of: item, to: path)
        }
    }
}

extension PyramidCommand {
    /// The options that a line may set; the rest of its members are copied to its result.
    static let lineOptions: [String: LineOption<PyramidCommand>] = [
        "layout": .value(\.pyramid.givenLayout), "tile-size": .value(\.pyramid.tileSize),
        "cube": .flag(\.pyramid.cube),
        "panorama": .flag(\.pyramid.panorama), "overlap": .value(\.pyramid.overlap),
        "format": .value(\.pyramid.format),
        "quality": .value(\.pyramid.quality), "background": .value(\.pyramid.background),
        "url": .value(\.pyramid.id), "exact": .flag(\.pyramid.exact), "cog": .flag(\.pyramid.cog),
        "page": .value(\.opening.givenPage),
        "no-orient": .flag(\.opening.isNotOriented), "max-pixels": .value(\.opening.maxPixels),
        "allow-damaged": .flag(\.opening.allowDamaged),
    ]

    /// The template of the outputs of a batch.
    var template: OutputTemplate {
        get throws {
            let layout = try pyramid.resolvedLayout()
            let ending = PyramidArguments.ending(of: layout).map { ".\($0)" } ?? ""
            let name = inputs.place("{stem}") + ending
            return try OutputTemplate(
                output: pyramid.givenOutput ?? (inputs.namesFiles ? name : nil), folder: "pyramids",
                name: name)
        }
    }

    /// The options that all lines have in common, for comparison with earlier runs.
    var commonOptions: String {
        let layout = (try? pyramid.resolvedLayout().rawValue) ?? ""
        let numbers = [pyramid.tileSize, pyramid.overlap, pyramid.quality, opening.page, opening.maxPixels]
        let flags = [pyramid.exact, opening.isNotOriented, opening.allowDamaged || opening.allowTruncated]
        return
            "\(layout) \(pyramid.format.rawValue) \(pyramid.background.fingerprint) \(pyramid.id ?? "") \(numbers) \(flags)"
            + (pyramid.panorama ? " panorama" : "") + (pyramid.cog ? " cog" : "")
    }

    func runBatch() throws {
        if !inputs.isOne { ThumbnailMaker.prepareForBatch() }
        if opening.allowUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
        let work = try PyramidWork(self)
        var run = BatchRun(work, inputs, json: json, overwrites: pyramid.overwrite)
        run.printsPaths = pyramid.givenOutput == nil
        try run.run(inputs.list(for: work, leavingOut: work.template.folder))
    }
}
#endif

#if CommandLine
import ArgumentParser
import Basics
import Containers
import Files
import Renders
import Thumbnails
import ViewportGeometry
import ViewportRendering

/// The work of `viewport render` for many pictures: one for each size and format of each file, or line of a manifest.
///
/// A line names an image and any options of `render`; those of the command line apply to all lines. Images stay open
/// between lines.
struct RenderWork: LineWork {
    private let command: RenderCommand
    let template: OutputTemplate
    let commonOptions: String
    let naming: OutputNaming?
    private let listed: ListedFiles
    private let images = OpenImagePool<PictureSource>()
    /// Nil where the results have the notes.
    private let shownNotes: PictureNotes?

    init(_ command: RenderCommand, showing notes: PictureNotes?) throws {
        shownNotes = notes
        self.command = command
        template = try command.template
        commonOptions = "render 1 \(try command.commonOptions)"
        listed = command.inputs.files
        naming = try command.naming(template)
    }

    var noun: String { "picture" }

    func make(_ item: BatchItem, _ outputs: [String], _ source: FileStatus?) throws(BatchFailure)
        -> BatchOutput
    {
        var line = try RenderCommand.lineOptions.applied(to: command, item)
        line.inputs.paths = [item.file]
        if outputs.count == 1 { line.picture.output = outputs[0] }
        do {
            try line.checkLine(outputs)
            let files = try zip(outputs, line.outputFormats).map { path, format in
                try MarkedOutput(
                    path, format, of: item, among: listed, overwrites: line.picture.overwriting.overwrite,
                    isMarked: line.iiif == nil)
            }
            let source = try images.image(line.imageKey(item.file)) { try line.openSynchronously() }
            let pictures = try line.pictures(of: line.job, from: source)
            let stored = try zip(files, pictures).map { try StoredThumbnail(writing: $1, to: $0) }
            try line.storeNewIndex(of: source)
            let notes = pictures.flatMap(\.notes)
            shownNotes?.show(notes, of: item.file)
            return BatchOutput(
                .made(stored), notes: notes.json.map { [JSONValue.Member(name: "notes", value: $0)] } ?? [])
        } catch {
            throw BatchFailure(error, of: item, to: outputs[0])
        }
    }
}

extension RenderCommand {
    /// Checks the options of a line with those of the command line.
    fileprivate mutating func checkLine(_ outputs: [String]) throws {
        try region.check()
        try picture.validate()
        try opening.validate()
        try validatePicture()
        guard try outputFormats.count == outputs.count else {
            throw ValidationError(
                "the command line has several sizes or formats: the line cannot set size, format or output")
        }
    }

    /// The format of each output: the formats once for each size.
    fileprivate var outputFormats: [PictureFormat] {
        get throws {
            let formats = try resolvedFormats
            return (0..<max(region.sizes.count, 1)).flatMap { _ in formats }
        }
    }

    /// The options that a line may set; the rest of its members are copied to its result.
    static let lineOptions: [String: LineOption<RenderCommand>] = [
        "iiif": .value(\.iiif), "rect": .value(\.region.rect), "zoom": .value(\.region.zoom),
        "size": .value(\.region.size, separator: "x"), "fit": .flag(\.region.fit),
        "crop": .flag(\.region.crop),
        "crop-size": .value(\.region.cropSize, separator: "x"), "center": .value(\.region.center),
        "offset": .value(\.region.offset), "look": .value(\.looking.options.look),
        "fov": .value(\.looking.options.fov),
        "projection": .value(\.looking.options.display.projection),
        "panorama": .flag(\.looking.options.display.panorama),
        "content-mode": .value(\.region.contentMode), "min-zoom": .value(\.region.minZoom),
        "max-zoom": .value(\.region.maxZoom), "scale": .value(\.region.scale),
        "subpixel": .flag(\.region.subpixel), "rotate": .value(\.picture.rotate),
        "flip": .flag(\.picture.flip), "background": .value(\.picture.givenBackground),
        "kernel": .value(\.picture.kernel), "linear": .flag(\.picture.linear),
        "color": .value(\.picture.givenColor), "depth": .value(\.picture.givenDepth),
        "format": .value(\.picture.format), "quality": .value(\.picture.quality),
        "compression": .value(\.picture.compression), "lossless": .flag(\.picture.lossless),
        "keep-metadata": .value(\.picture.keepMetadata), "keep-gain-map": .flag(\.picture.keepGainMap),
        "page": .value(\.opening.givenPage), "no-orient": .flag(\.opening.isNotOriented),
        "max-pixels": .value(\.opening.maxPixels), "allow-damaged": .flag(\.opening.allowDamaged),
    ]

    /// The template of the outputs of a batch.
    var template: OutputTemplate {
        get throws {
            let template = try picture.template(for: inputs, hasSizes: region.sizes.count > 1)
            for place in [OutputTemplate.Place.size, .width, .height]
            where template.uses(place) && region.sizes.isEmpty {
                throw ValidationError(
                    "-o: {\(place.rawValue)} needs --size: use {id}, or \"output\" in the lines of a manifest"
                )
            }
            guard try naming(template).tellsApart else {
                throw ValidationError(
                    "\(template.text): two pictures would get the same name; add {size} or {format}")
            }
            return template
        }
    }

    fileprivate func naming(_ template: OutputTemplate) throws -> OutputNaming {
        let formats = try resolvedFormats
        let sizes: [SizeArgument?] = region.sizes.isEmpty ? [nil] : region.sizes
        var variations: [OutputNaming.Size] = []
        for size in sizes {
            let (width, height) = (size?.width.map { Int($0) }, size?.height.map { Int($0) })
            for format in formats {
                variations.append(
                    OutputNaming.Size(
                        size?.name ?? "", width: width, height: height, format: format.rawValue))
            }
        }
        return OutputNaming(template, variations, member: "output")
    }

    /// The options that all lines have in common, for comparison with earlier runs.
    var commonOptions: String {
        get throws {
            let background = try UserSettings.value(.background, option: picture.givenBackground)
            let rest =
                [
                    background.fingerprint, try region.request.optionText, picture.format?.rawValue ?? "",
                    "\(picture.lossless)",
                    "\(picture.keepMetadata == .all)", "\(picture.keepGainMap)", iiif ?? "", imageOptions,
                ] + (keepsFrames ? ["frames"] : [])
            let variations =
                region.sizes.dropFirst().map(\.text)
                + (picture.formats?.formats.dropFirst() ?? []).map(\.rawValue)
            return
                "\(JSONValue.object(requested)) \(rest + variations)"
        }
    }

    /// The options that decide what is opened.
    private var imageOptions: String {
        "\(opening.page) \(opening.isNotOriented) \(opening.maxPixels ?? 0) "
            + "\(opening.allowDamaged || opening.allowTruncated) \(opening.allowUntrusted) \(picture.turn)"
    }

    fileprivate func imageKey(_ path: String) -> OpenImageKey {
        let kind = iiif != nil ? "iiif " : picture.lossless ? "lossless " : ""
        return OpenImageKey(path: FilePath(path), options: kind + imageOptions)
    }

    func runBatch() throws {
        if !inputs.isOne { ThumbnailMaker.prepareForBatch() }
        if opening.allowUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
        let printsResults = inputs.course.printsResults(json) && !html
        let notes = printsResults ? nil : PictureNotes(isOnly: inputs.isOne)
        defer { notes?.finish() }
        let work = try RenderWork(self, showing: notes)
        var run = BatchRun(work, inputs, json: json, overwrites: picture.overwriting.overwrite)
        run.printsResults = printsResults
        run.printsPaths = picture.output == nil && !html
        if html { run.onResult = { if !$0.outputs.isEmpty { print(PictureElement($0.outputs).html) } } }
        try run.run(inputs.list(for: work, leavingOut: work.template.folder))
    }
}
#endif

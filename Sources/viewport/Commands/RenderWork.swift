#if CommandLine
import ArgumentParser
import Basics
import Containers
import Files
import Thumbnails
import ViewportGeometry
import ViewportRendering

/// The work of `viewport render --manifest`: one picture for each line.
///
/// A line names an image and any options of `render`; those of the command line apply to all lines. Images stay open
/// between lines.
struct RenderWork: LineWork {
    private let command: RenderCommand
    let template: OutputTemplate
    let commonOptions: String
    private let listed: ListedFiles
    private let images = OpenImagePool()

    init(_ command: RenderCommand) throws {
        self.command = command
        template = try command.template
        commonOptions = "render 1 \(try command.commonOptions)"
        let course = command.batch
        listed = ListedFiles {
            guard let manifest = course.manifest, manifest != "-" else { return nil }
            return try? BatchList(manifest: manifest, root: course.pathRoot)
        }
    }

    var noun: String { "picture" }

    func make(_ item: BatchItem, _ outputs: [String], _ source: FileStatus?) throws(BatchFailure)
        -> BatchOutput
    {
        let path = outputs[0]
        var line = try RenderCommand.lineOptions.applied(to: command, item)
        line.given = item.file
        line.picture.output = path
        do {
            try line.region.validate()
            try line.picture.validate()
            try line.opening.validate()
            try line.validatePicture()
            let format = try line.resolvedFormat()
            let output = Output(path, format.fileKind, overwrites: line.picture.overwriting.overwrite) {
                FileMark.isOnOwn($0, format.fileKind)
            } isInput: { [overwrites = line.picture.overwriting.overwrite] file in
                FileIdentity(item.file) == file || overwrites && listed.contain(file)
            }
            try Folder.make(OutputFile.folder(of: path), mode: 0o777)
            try output.check()
            let file = try images.image(line.imageKey(item.file)) { try line.openForBatch() }
            let made = try line.rendered(file)
            let bytes = made.isMarked ? FileMark.added(to: made.bytes, format.fileKind) : made.bytes
            try output.write(bytes)
            try line.storeNewIndex(of: file)
            let size = made.size
            return BatchOutput(
                .made([
                    StoredThumbnail("\(size.width)x\(size.height)", size.width, size.height, bytes, path)
                ]))
        } catch {
            throw BatchFailure(error, of: item, to: path)
        }
    }
}

extension RenderCommand {
    /// The options that a line may set; the rest of its members are copied to its result.
    static let lineOptions: [String: LineOption<RenderCommand>] = [
        "iiif": .value(\.iiif), "rect": .value(\.region.rect), "zoom": .value(\.region.zoom),
        "size": .value(\.region.size, separator: "x"), "fit": .flag(\.region.fit),
        "crop": .flag(\.region.crop), "center": .value(\.region.center), "offset": .value(\.region.offset),
        "content-mode": .value(\.region.contentMode), "min-zoom": .value(\.region.minZoom),
        "max-zoom": .value(\.region.maxZoom), "scale": .value(\.region.scale),
        "subpixel": .flag(\.region.subpixel), "rotate": .value(\.picture.rotate),
        "flip": .flag(\.picture.flip), "background": .value(\.picture.givenBackground),
        "kernel": .value(\.picture.kernel), "linear": .flag(\.picture.linear),
        "color": .value(\.picture.color), "depth": .value(\.picture.depth),
        "format": .value(\.picture.format), "quality": .value(\.picture.quality),
        "compression": .value(\.picture.compression), "lossless": .flag(\.picture.lossless),
        "keep-metadata": .value(\.picture.keepMetadata), "keep-gain-map": .flag(\.picture.keepGainMap),
        "page": .value(\.opening.page), "no-orient": .flag(\.opening.isNotOriented),
        "max-pixels": .value(\.opening.maxPixels), "allow-damaged": .flag(\.opening.allowDamaged),
    ]

    /// The template of the outputs of a manifest.
    var template: OutputTemplate {
        get throws {
            let template = try OutputTemplate(
                output: picture.output, folder: "renders",
                name: "{id}.\((picture.format ?? .png).rawValue)")
            for place in [OutputTemplate.Place.size, .width, .height] where template.uses(place) {
                throw ValidationError(
                    "-o: {\(place.rawValue)} is for thumbnails: use {id}, or \"output\" in the lines")
            }
            return template
        }
    }

    /// The options that all lines have in common, for comparison with earlier runs.
    var commonOptions: String {
        get throws {
            let background = try UserSettings.value(.background, option: picture.givenBackground)
            let rest = [
                background.fingerprint, try region.request.optionText, picture.format?.rawValue ?? "",
                "\(picture.lossless)",
                "\(picture.keepMetadata == .all)", "\(picture.keepGainMap)", iiif ?? "", imageOptions,
            ]
            return "\(JSONValue.object(region.requested + picture.requested)) \(rest)"
        }
    }

    /// The options that decide what is opened.
    private var imageOptions: String {
        "\(opening.page) \(opening.isNotOriented) \(opening.maxPixels ?? 0) "
            + "\(opening.allowDamaged || opening.allowTruncated) \(opening.allowUntrusted) \(picture.turn)"
    }

    func imageKey(_ path: String) -> OpenImagePool.Key {
        OpenImagePool.Key(path: FilePath(path), options: iiif == nil ? imageOptions : "iiif \(imageOptions)")
    }

    /// Opens the image of a line through what the cache has.
    func openForBatch() throws -> ImageFile {
        try opening.open(image, through: caches) { if iiif == nil { $0.turn = picture.turn } }
    }

    func runBatch() throws {
        ThumbnailMaker.prepareForBatch()
        if opening.allowUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
        try BatchRun(RenderWork(self), batch, overwrites: picture.overwriting.overwrite).run()
    }
}
#endif

#if CommandLine
import ArgumentParser
import Basics
import Containers
import Files
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
    private let images = OpenImagePool()

    init(_ command: RenderCommand) throws {
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
            try line.region.check()
            try line.picture.validate()
            try line.opening.validate()
            try line.validatePicture()
            let formats = try line.resolvedFormats
            guard max(line.region.sizes.count, 1) * formats.count == outputs.count else {
                throw ValidationError(
                    "the command line has several sizes or formats: the line cannot set size, format or output"
                )
            }
            let overwrites = line.picture.overwriting.overwrite
            let files = outputs.enumerated().map { number, path in
                let kind = formats[number % formats.count].fileKind
                return Output(path, kind, overwrites: overwrites) {
                    FileMark.isOnOwn($0, kind)
                } isInput: { [listed] file in
                    FileIdentity(item.file) == file || overwrites && listed.contain(file)
                }
            }
            for (file, path) in zip(files, outputs) {
                try Folder.make(OutputFile.folder(of: path), mode: 0o777)
                try file.check()
            }
            let file = try images.image(line.imageKey(item.file)) { try line.openForBatch() }
            let pictures = try line.rendered(file)
            let stored = try pictures.indices.map { number in
                let (picture, kind) = (pictures[number], formats[number % formats.count].fileKind)
                let bytes = picture.isMarked ? FileMark.added(to: picture.bytes, kind) : picture.bytes
                try files[number].write(bytes)
                let size = picture.size
                return StoredThumbnail(
                    "\(size.width)x\(size.height)", size.width, size.height, bytes, outputs[number])
            }
            try line.storeNewIndex(of: file)
            return BatchOutput(.made(stored))
        } catch {
            throw BatchFailure(error, of: item, to: outputs[0])
        }
    }
}

extension RenderCommand {
    /// A picture of a batch; `serve`'s own bytes have no mark.
    typealias MadePicture = (bytes: [UInt8], size: PixelSize<OutputGrid>, isMarked: Bool)

    /// Renders an open image in all sizes and formats, from one decode; sorted by size and then by format.
    fileprivate func rendered(_ file: ImageFile) throws -> [MadePicture] {
        if let iiif { return [try renderedIIIF(iiif, file)] }
        let requests = try regions.map { region in
            let asked = try looking.isGiven ? ViewportRequest(.whole(zoom: 1)) : region.request
            guard let request = asked.resolve(in: file.uprightSize.imageSize) else {
                throw RenderingError.outside(file: file.path, size: file.uprightSize)
            }
            return request
        }
        if picture.lossless {
            let made = try cut(file, requests[0])
            return [(made.bytes, made.size, true)]
        }
        let formats = try picture.resolvedFormats
        let options = try formats.map { try picture.renderOptions(for: $0, of: file) }
        let viewports = requests.map(\.viewport)
        let frames = regions.compactMap { looking.frame($0) }
        let panorama = try frames.isEmpty ? nil : file.panorama(assumed: looking.options.display.panorama)
        var made: [RenderOptions: [Picture]] = [:]
        var results: [[MadePicture?]] = viewports.map { _ in formats.map { _ in nil } }
        // Those that can be transparent first: where none of their pixels is, the others are the same.
        for index in formats.indices.sorted(by: { formats[$0].hasAlpha && !formats[$1].hasAlpha }) {
            let same = made.first { $0.key.isSame(as: options[index], but: $0.value) }
            let renderer = ViewportRenderer(options: same?.key ?? options[index])
            let pictures =
                try same?.value
                ?? panorama.map { panorama in
                    try frames.map { try renderer.renderSynchronously($0, into: panorama, of: file).picture }
                }
                ?? (viewports.count == 1
                    ? [renderer.renderSynchronously(viewports[0], of: file).picture]
                    : renderer.renderBatch(viewports, of: file))
            made[renderer.options] = pictures
            for (number, picture) in pictures.enumerated() {
                let (bytes, size) = try encode(picture, viewports[number], renderer, formats[index], of: file)
                results[number][index] = (bytes, size, true)
            }
        }
        return results.flatMap { $0.compactMap(\.self) }
    }

    /// The region once for each size.
    private var regions: [RegionArguments] {
        guard region.sizes.count > 1 else { return [region] }
        return region.sizes.map { size in
            var one = region
            one.size = size
            return one
        }
    }

    /// The formats of the pictures, at least one.
    fileprivate var resolvedFormats: [PictureFormat] {
        get throws { try iiif.map { [try format(of: request($0))] } ?? picture.resolvedFormats }
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
        "page": .value(\.opening.page), "no-orient": .flag(\.opening.isNotOriented),
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
            let rest = [
                background.fingerprint, try region.request.optionText, picture.format?.rawValue ?? "",
                "\(picture.lossless)",
                "\(picture.keepMetadata == .all)", "\(picture.keepGainMap)", iiif ?? "", imageOptions,
            ]
            let variations =
                region.sizes.dropFirst().map(\.text)
                + (picture.formats?.formats.dropFirst() ?? []).map(\.rawValue)
            return
                "\(JSONValue.object(region.requested + looking.requested + picture.requested)) \(rest + variations)"
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
        if !inputs.isOne { ThumbnailMaker.prepareForBatch() }
        if opening.allowUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
        let work = try RenderWork(self)
        var run = BatchRun(work, inputs, json: json, overwrites: picture.overwriting.overwrite)
        run.printsResults = run.printsResults && !html
        run.printsPaths = picture.output == nil && !html
        if html { run.onResult = { if !$0.outputs.isEmpty { print(PictureElement($0.outputs).html) } } }
        try run.run(inputs.list(for: work, leavingOut: work.template.folder))
    }
}

extension RenderOptions {
    /// Whether pictures without transparent pixels that were made with these options are those of other ones.
    fileprivate func isSame(as other: RenderOptions, but pictures: [Picture]) -> Bool {
        var options = self
        options.background = other.background
        return options == other && !pictures.contains(where: \.hasAlpha)
    }
}
#endif

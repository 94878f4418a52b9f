#if CommandLine
import ArgumentParser
import Basics
import Batches
import Files
import RemoteFiles
import RenderCaching
import TilePyramid
import ViewportGeometry
import ViewportRendering

/// `viewport render`: renders part of an image.
struct RenderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render",
        abstract: "Render part of an image.",
        discussion: """
            --rect with --zoom   the rectangle at that zoom
            --size with --rect   a view zoomed to the rectangle; --crop shows only it
            --size with --zoom   a view at that zoom; --center or --offset moves it
            --size alone         the whole image, fitted; --content-mode fills the size
            --zoom alone         the whole image at that zoom
            --look with --size   a look into a panorama, by --fov and --projection
            no option            the whole image, fitted into 1024x1024, never enlarged
            """,
        examples: [
            "viewport render big.jpg --rect 900,700,1500,900 -o part.png":
                "A rectangle of image points, one pixel per point",
            "viewport render big.jpg --size 1024x768 --rect 900,700,1500,900 -o view.jpg":
                "A view of 1024x768 that shows at least that rectangle",
            "viewport render big.jpg --lossless --rect 512,512,1024,768 -o cut.jpg":
                "Crop a JPEG without decoding it",
            "viewport render pano.jpg --look 30,-10 --fov 90 --size 1920x1080 -o view.png":
                "A look into a panorama, 30 degrees to the right and 10 down",
            "cat big.jpg | viewport render - --size 800 > small.png": "From a pipe to a pipe",
            "viewport render *.tif -s 2000 -o out/ --format jpg": "Many images, into a folder",
            "viewport render a.jpg -s 400 -s 1600 --format avif,webp,jpg --html -o web/":
                "All of them from one decode, and the HTML that offers them",
            "viewport render --manifest list.jsonl --results done.jsonl -o 'out/{id}.jpg'":
                "A picture for each line: {\"path\":\"big.jpg\",\"id\":\"1\",\"rect\":[0,0,512,512]}",
        ])

    @OptionGroup(title: "Input and batch") var inputs: InputArguments

    /// The image; that of the line in a batch.
    var image: String { inputs.path }

    @Option(
        help: "IIIF request, REGION/SIZE/ROTATION/QUALITY.FORMAT, rendered as `serve` does.")
    var iiif: String?

    @OptionGroup(title: "Region and size") var region: RegionArguments
    @OptionGroup(title: "Panorama") var looking: LookArguments
    @OptionGroup(title: "Output") var picture: PictureArguments
    @OptionGroup(title: "Reading") var opening: OpenArguments

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Store the whole index or a slow image's pyramid on disk, for faster renders later.",
            discussion:
                "By default, the index of the rows that were scanned is stored. --no-cache neither reads nor "
                + "stores anything."))
    var cache: Bool?

    @Flag(help: "Print the HTML that offers the pictures to browsers: picture, srcset and img elements.")
    var html = false

    @Flag(help: "Report the result and the timings as one line of JSON.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    mutating func validate() throws {
        try takeOperands()
        try region.check()
        try inputs.require("an image")
        guard !isBatch else {
            if !isManifest { try validatePicture() }
            return try inputs.requireNames(template)
        }
        try validatePicture()
    }

    /// Takes an output and a rectangle or a size from the paths.
    private mutating func takeOperands() throws {
        if picture.output == nil {
            picture.output = inputs.takeOutput(InputArguments.isPictureToWrite(_:behind:))
            if picture.output != nil { try picture.validate() }
        }
        let (needsRect, needsSize) = (region.rect == nil, region.size == nil)
        // Looked for on the disk only if it could be one: a list may have thousands of files.
        let number = inputs.paths.dropFirst().firstIndex { text in
            (needsRect && ImageRect(argument: text) != nil
                || needsSize && SizeArgument(argument: text) != nil)
                && !InputArguments.isThere(text)
        }
        guard let number else { return }
        let text = inputs.paths.remove(at: number)
        if needsRect, let rect = ImageRect(argument: text) {
            region.rect = rect
        } else {
            region.size = SizeArgument(argument: text)
        }
        // The output may have stood behind it.
        try takeOperands()
    }

    private var isManifest: Bool { inputs.course.manifest != nil }

    /// Whether results, several pictures or a template are asked for.
    var isBatch: Bool {
        !inputs.isSingle || region.sizes.count > 1 || picture.formats?.formats.count ?? 1 > 1 || html
            || OutputTemplate.isForMany(picture.output)
    }

    /// Checks the options of one picture.
    func validatePicture() throws {
        try looking.check(region, picture)
        if looking.faces { return try validateFaces() }
        if iiif != nil, !region.isEmpty || looking.isGiven || picture.lossless || picture.output == nil {
            throw ValidationError(
                "--iiif sets region, size and format: give it -o and none of their options")
        }
        guard picture.lossless else { return }
        guard region.rect != nil, region.size == nil, region.zoom?.value ?? 1 == 1, region.scale.value == 1,
            !region.subpixel
        else {
            throw ValidationError(
                "--lossless cuts a --rect at zoom 1: leave out --size, --zoom, --scale and --subpixel")
        }
    }

    func run() async throws {
        if isBatch { return try runBatch() }
        if let iiif { return try await renderIIIF(iiif) }
        if looking.faces { return try renderFaces() }
        let name = try picture.name(for: image)
        try OutputName.makeFolder(picture.output)
        let output = PictureOutput(
            name.path, name.format, inputs: [image], overwrites: picture.overwriting.overwrite)
        try output.check()
        let clock = ContinuousClock()
        let start = clock.now
        // AVIF is written by a plug-in.
        if try picture.resolvedFormat() != .avif, !opening.allowUntrusted {
            ViewportRuntime.leaveOutPlugins(unlessNeededFor: try PipedInput.path(image))
        }
        let (file, rendered) = try await OnceMore.run(image) { try await renderOnce() }
        var made = rendered
        try output.write(made.bytes)
        try storeNewIndex(of: file)
        made.times.total = clock.now - start
        made.showsMore =
            !looking.isGiven && region.showsMore(made.request.visibleRect, of: file.uprightSize.imageSize)
        if made.showsMore, !picture.lossless {
            let visible = made.request.visibleRect
            let rect = [visible.minX, visible.minY, visible.width, visible.height].map { Int($0.rounded()) }
            StandardError.note(
                "shows \(rect.map(String.init).joined(separator: ",")), more than --rect, to fill --size; "
                    + "add --crop to show only the rectangle")
        }
        if file.rawPreview != nil, let damage = file.damage { StandardError.note("\(file.path): \(damage)") }
        if json {
            output.report(report(made, output.path, file))
        } else if picture.output != output.path, !output.isStandardOutput {
            try StandardOutput.write(path: output.path)
        }
    }

    /// Opens the image and renders it.
    private func renderOnce() async throws -> (ImageFile, RenderedFile) {
        let clock = ContinuousClock()
        let start = clock.now
        // A look is made from all of its image, whose request is that of the report.
        let first = try looking.isGiven ? ViewportRequest(.whole(zoom: 1)) : region.request
        let file = try opening.open(image, through: caches?.withoutPyramids) {
            $0.turn = picture.turn
            if !looking.isGiven { $0.firstRequest = first }
        }
        guard let request = first.resolve(in: file.uprightSize.imageSize) else {
            throw RenderingError.outside(file: file.path, size: file.uprightSize)
        }
        let opened = clock.now - start
        var made = try await picture.lossless ? cut(file, request) : renderThroughCache(file, request)
        made.times.open = opened
        return (file, made)
    }

    /// The caches through which the image is read; nil for none.
    var caches: ImageCaches? {
        get throws { cache == false ? nil : try CacheSettings.caches(of: image, stores: cache == true) }
    }

    /// Stores the index of the rows that were scanned.
    func storeNewIndex(of file: ImageFile) throws { try caches?.indexes.storeNewIndex(of: file) }

    /// Renders from the pyramid in the cache, if there is one or `--cache` stores one.
    private func renderThroughCache(_ file: ImageFile, _ request: ResolvedRequest) async throws
        -> RenderedFile
    {
        guard let caches = try caches else { return try renderAndEncode(file, request) }
        do {
            guard cache == true else {
                return try renderAndEncode(caches.existingPyramid(of: file), request)
            }
            let line = ProgressLine("making a pyramid of \(RemoteAddress.shown(image))")
            defer { line.clear() }
            return try renderAndEncode(try await caches.pyramid(of: file) { line.show($0) }, request)
        } catch CacheError.broken {
            // The broken entry has been removed; the image itself is still readable.
            return try renderAndEncode(file, request)
        }
    }

    /// Decodes, scales and encodes.
    private func renderAndEncode(_ file: ImageFile, _ request: ResolvedRequest) throws -> RenderedFile {
        let line = ProgressLine("reading \(RemoteAddress.shown(image))")
        let format = try picture.resolvedFormat()
        let renderer = ViewportRenderer(options: try picture.renderOptions(for: format, of: file))
        let (made, report) = try rendered(request, of: file, by: renderer) { line.show($0) }
        line.clear()
        #if os(Linux)
        // The C library keeps what reading has freed for other threads than those that encode.
        Heap.trim()
        #endif
        let clock = ContinuousClock()
        let start = clock.now
        let (bytes, size) = try encode(made, request.viewport, renderer, format, of: file) { leftOut in
            StandardError.write(
                "viewport: \(file.path): its \(leftOut.joined(separator: ", ")) cannot be kept in \(format.rawValue)\n"
            )
        }
        return RenderedFile(
            bytes: bytes, size: size, request: request,
            reading: "\(file.rawPreview?.format.rawValue ?? file.format.rawValue), \(file.reading)",
            level: report.level?.index, storedRect: report.storedRect,
            times: RenderTimes(read: report.read, scale: report.scale, encode: clock.now - start))
    }

    /// Renders the look, or else the region.
    func rendered(
        _ request: ResolvedRequest, of file: ImageFile, by renderer: ViewportRenderer,
        progress: (WorkProgress) -> Void = { _ in }
    ) throws -> (Picture, RenderReport) {
        guard let frame = looking.frame(region) else {
            return try renderer.renderSynchronously(request.viewport, of: file, progress: progress)
        }
        let panorama = try file.panorama(assumed: looking.options.display.panorama)
        return try renderer.renderSynchronously(frame, into: panorama, of: file, progress: progress)
    }

    /// Turns a picture and encodes it, with the gain map and the metadata of the file where they are kept.
    func encode(
        _ made: Picture, _ viewport: Viewport, _ renderer: ViewportRenderer, _ format: PictureFormat,
        of file: ImageFile, leftOut: ([String]) -> Void = { _ in }
    ) throws -> (bytes: [UInt8], size: PixelSize<OutputGrid>) {
        var made = made
        var map = picture.keepGainMap ? try renderer.renderGainMapSynchronously(viewport, of: file) : nil
        if picture.rotate.quarters == nil {
            made = try made.rotated(
                degrees: picture.rotate.degrees, background: renderer.options.background)
            try map?.rotate(degrees: picture.rotate.degrees)
        }
        var encoder = PictureEncoder(format, quality: picture.quality)
        encoder.compression = picture.compression ?? .standard
        var bytes: [UInt8]
        if picture.keepMetadata == .all {
            // The image of a turned picture is turned before: its rectangles are not those of the panorama.
            let isTurned = picture.rotate.degrees != 0 || picture.flip
            let kept = try encoder.encodeSynchronously(
                made, withWritingOf: file, showing: isTurned ? nil : viewport.imageRect)
            bytes = kept.file
            if !kept.leftOut.isEmpty { leftOut(kept.leftOut) }
        } else {
            bytes = try encoder.encodeSynchronously(made)
        }
        if let map { bytes = try encoder.addingSynchronously(map, to: bytes) }
        return (bytes, made.size)
    }

    /// The format of `--iiif`, else of the output.
    func resolvedFormat() throws -> PictureFormat {
        guard let iiif else { return try picture.resolvedFormat() }
        return try format(of: request(iiif))
    }

    /// Copies the compressed data of whole blocks, and reports the rectangle if that is larger than requested.
    func cut(_ file: ImageFile, _ request: ResolvedRequest) throws -> RenderedFile {
        let asked = request.visibleRect
        let clock = ContinuousClock()
        let start = clock.now
        let crop = try LosslessCrop(
            PixelRect(
                x: Int(asked.minX), y: Int(asked.minY), width: Int(asked.width), height: Int(asked.height)),
            of: file, metadata: picture.keepMetadata ?? .all)
        let rect = crop.rect
        let got = Rect<ImageSpace>(
            x: Double(rect.x), y: Double(rect.y), width: Double(rect.width), height: Double(rect.height))
        if got != asked, !isBatch {
            StandardError.write(
                "viewport: widened to the blocks of the JPEG: \(rect.x),\(rect.y),\(rect.width),\(rect.height)\n"
            )
        }
        var widened = request
        widened.visibleRect = got
        widened.contentOffset = Point(x: got.minX, y: got.minY)
        return RenderedFile(
            bytes: crop.jpeg, size: PixelSize(width: rect.width, height: rect.height), request: widened,
            reading: "jpeg, lossless copy", level: 0, storedRect: crop.storedRect,
            times: RenderTimes(read: clock.now - start))
    }

    private func report(_ made: RenderedFile, _ output: String, _ file: ImageFile) -> JSONValue {
        let request = made.request
        let visible = request.visibleRect
        return .object([
            "path": .string(RemoteAddress.shown(image)), "output": .string(output),
            "outputs": .outputs(
                output, width: made.size.width, height: made.size.height, bytes: made.bytes.count),
            "width": .int(made.size.width), "height": .int(made.size.height),
            "requested": .object(region.requested + looking.requested + picture.requested),
            "look": looking.frame(region).map { $0.json } ?? .null,
            "zoomScale": looking.isGiven ? nil : .number(request.zoomScale),
            "contentOffset": looking.isGiven
                ? nil : .numbers(request.contentOffset.x, request.contentOffset.y),
            "visibleRect": looking.isGiven
                ? nil : .numbers(visible.minX, visible.minY, visible.width, visible.height),
            "showsMore": .bool(made.showsMore),
            "limits": .array(request.limits.map(JSONValue.string)),
            "reading": .string(made.reading),
            "level": JSONValue(made.level, JSONValue.int),
            "storedRect": JSONValue(made.storedRect) {
                .array([.int($0.x), .int($0.y), .int($0.width), .int($0.height)])
            },
            "gainMap": JSONValue(file.gainMap) {
                .object($0.members + [("kept", .bool(picture.keepGainMap))])
            },
            "remote": JSONValue(file.remoteReport) { $0.json },
            "ms": made.times.json,
        ])
    }
}

/// An encoded picture and how it was made.
struct RenderedFile {
    var bytes: [UInt8]
    var size: PixelSize<OutputGrid>
    var request: ResolvedRequest
    var reading: String
    var level: Int?
    var storedRect: PixelRect<StoredGrid>?
    var times: RenderTimes
    /// Whether the view shows more than the rectangle.
    var showsMore = false
}

/// The time that each step of a render took.
struct RenderTimes {
    var open = Duration.zero
    var read = Duration.zero
    var scale = Duration.zero
    var encode = Duration.zero
    var total = Duration.zero

    /// Milliseconds, to the microsecond.
    var json: JSONValue {
        func milliseconds(_ duration: Duration) -> JSONValue {
            .number((duration / .microseconds(1)).rounded() / 1000)
        }
        return .object([
            "open": milliseconds(open), "read": milliseconds(read), "scale": milliseconds(scale),
            "encode": milliseconds(encode), "total": milliseconds(total),
        ])
    }
}
#endif

#if CommandLine
import ArgumentParser
import Basics
import Batches
import Files
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

    /// Checks the options of a line or of one file.
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

    /// Checks `--faces` with the other options.
    private func validateFaces() throws {
        if isBatch || iiif != nil
            || region.sizes.contains(where: { $0.width == nil || $0.width != $0.height })
        {
            throw ValidationError(
                "--faces writes six squares of one image: give one --size such as 1024, and no --iiif or batch"
            )
        }
        guard let output = picture.output, OutputName.isFolder(output) else {
            throw ValidationError("--faces writes six files: give a folder, for example -o faces/")
        }
    }

    func run() async throws {
        if isBatch { try runBatch() } else { try await renderOne() }
    }

    /// The given options, for reports and fingerprints.
    var requested: [(String, JSONValue?)] { region.requested + looking.requested + picture.requested }
}
#endif

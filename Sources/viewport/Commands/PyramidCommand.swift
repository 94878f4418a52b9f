import ArgumentParser
import Basics
import Files
import PyramidExport
import Synchronization
import TilePyramid
import ViewportGeometry
import ViewportRendering

/// `viewport pyramid`: an image as tiles for Deep Zoom, IIIF or Zoomify, or as a tiled TIFF.
struct PyramidCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pyramid",
        abstract: "Cut an image into tiles of every resolution.",
        discussion: """
            -o NAME.dzi       Deep Zoom: NAME.dzi and NAME_files
            -o NAME.tif       one tiled TIFF with all levels
            -o NAME.zip       Deep Zoom in one archive, stored (or NAME.szi)
            -o FOLDER         a complete level-0 image of the IIIF Image API 3.0
            --layout zoomify  Zoomify, in a folder

            The grid, the sizes and the descriptors are those of vips dzsave. Nothing appears under the final \
            name before it is whole.
            """)

    @Argument(help: "Image to cut; - is standard input.")
    var image: String

    @OptionGroup(title: "What is made") var pyramid: PyramidArguments
    @OptionGroup(title: "How it is opened") var opening: OpenArguments

    @Flag(help: "Report on one line of JSON what was made.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    func run() throws {
        let clock = ContinuousClock()
        let start = clock.now
        let options = try pyramid.options
        let output = try pyramid.path(for: image)
        if output != pyramid.output { try OutputName.makeFolder(pyramid.output) }
        let file = try opening.open(image) { $0.optimizesForRandomAccess = options.isExact }
        let line = Mutex(ProgressLine("cutting \(image)"))
        defer { line.withLock { $0.clear() } }
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let flag = interruption.flag
        let report = try OutputError.naming(output) {
            try PyramidExporter(options: options).exportSynchronously(file, to: output) { share in
                try flag.check()
                line.withLock { $0.show(share) }
            }
        }
        guard json else { return }
        let milliseconds = ((clock.now - start) / .microseconds(1)).rounded() / 1000
        print(
            JSONValue.object([
                ("path", .string(image)), ("output", .string(output)),
                ("layout", .string(options.layout.rawValue)),
                (
                    "levels",
                    .array(
                        report.levels.map { .array([.int($0.size.width), .int($0.size.height)]) })
                ),
                ("tileSize", .int(options.tileSize)), ("overlap", .int(options.overlap)),
                ("tiles", .int(report.tiles)), ("cutTiles", .int(report.cutTiles)),
                ("bytes", .int(report.bytes)), ("ms", .number(milliseconds)),
            ]))
    }
}

/// How a pyramid is laid out and what its tiles are.
struct PyramidArguments: ParsableArguments {
    @Option(
        help: "dz, iiif, zoomify, tif or zip (default: by the name of the output; a folder is iiif).")
    var layout: PyramidLayout?

    @Option(help: "Side of a tile without overlap (default 254 for dz, 512 for iiif, else 256).")
    var tileSize: Int?

    @Option(help: "Pixels that tiles share with their neighbors, dz only (default 1).")
    var overlap: Int?

    @Option(
        help: "Format of the tiles: jpg, png or webp (a TIFF holds jpg or, as png, deflate).")
    var format: TileFormat = .jpg

    @Option(
        name: [.customShort("Q"), .long],
        help:
            "Quality of jpg and webp, 1 to 100; without it, tiles that align are cut out of a JPEG as they are."
    )
    var quality: Int?

    @Option(help: "What lies behind transparent images in jpg: a CSS color.")
    var background: Color = .white

    @Option(help: "Address that the image will have on a IIIF server, without /info.json.")
    var id: String?

    @Flag(
        help:
            "Resample every level from the image, as render and serve do, and not from the one before: slower."
    )
    var exact = false

    @Flag(
        help: "Replace a pyramid of the same layout that viewport did not make; its own are replaced without."
    )
    var overwrite = false

    @Option(name: .shortAndLong, help: "NAME.dzi, NAME.tif, NAME.zip or a folder.")
    var output: String

    func validate() throws {
        try require("--tile-size", tileSize, in: 1...8192, example: 256)
        try require("--overlap", overlap, in: 0...8192, example: 1)
        try require("--quality", quality, in: 1...100, example: 85)
        let layout = try resolvedLayout()
        if layout != .dz, layout != .zip, let overlap, overlap > 0 {
            throw ValidationError("--overlap is for --layout dz: tiles of \(layout.rawValue) do not overlap")
        }
        if layout == .tif, format == .webp { throw ValidationError("a TIFF holds --format jpg or png") }
        if layout == .tif, let tileSize, tileSize % 16 != 0 {
            throw ValidationError(
                refusing: tileSize, of: "--tile-size", give: "a multiple of 16 for a TIFF", example: 256)
        }
        if exact, layout == .tif || background != .white || quality != nil {
            throw ValidationError(
                "--exact makes the files that serve gives: leave out --layout tif, --background and -Q")
        }
        if layout != .iiif, id != nil { throw ValidationError("--id is for --layout iiif") }
    }

    /// The layout that is named, else that of the output's name.
    func resolvedLayout() throws -> PyramidLayout {
        guard output != "-" else { throw ValidationError("a pyramid cannot go to standard output") }
        let name = output.split(separator: "/").last ?? ""
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let ending = parts.count > 1 ? parts.last?.lowercased() ?? "" : ""
        let named: PyramidLayout? =
            switch ending {
            case "dzi": .dz
            case "tif", "tiff": .tif
            case "zip", "szi": .zip
            default: nil
            }
        guard name != "", name != ".", name != ".." else {
            throw ValidationError("\(output): name a file or a folder to make")
        }
        let isFolder = OutputName.isFolder(output)
        let isOfOtherFile = PictureFormat(fileExtension: ending) != nil || Self.otherEndings.contains(ending)
        if !isFolder, named == nil, isOfOtherFile {
            throw ValidationError(
                "\(output): its ending names no pyramid: use .dzi, .tif, .zip, .szi or the name of a folder")
        }
        if isFolder, let layout { return layout }
        if let layout, let named, layout != named {
            throw ValidationError("\(output): its ending is that of --layout \(named.rawValue)")
        }
        if layout == .zip, named == nil {
            throw ValidationError("\(output): an archive is named .zip or .szi")
        }
        if layout == .tif, named == nil { throw ValidationError("\(output): a TIFF is named .tif") }
        return layout ?? named ?? .iiif
    }

    /// Endings that nobody gives to a folder.
    private static let otherEndings: Set = [
        "tar", "gz", "tgz", "7z", "rar", "mp4", "mov", "mkv", "webm", "pdf", "svs", "html", "json", "xml",
    ]

    /// Where the pyramid goes; one that is a file goes into a folder under the image's name.
    func path(for image: String) throws -> String {
        let layout = try resolvedLayout()
        guard OutputName.isFolder(output), layout != .iiif, layout != .zoomify else { return output }
        let ending = layout == .dz ? "dzi" : layout.rawValue
        return "\(output)\(output.hasSuffix("/") ? "" : "/")\(OutputName.stem(of: image)).\(ending)"
    }

    var options: ExportOptions {
        get throws {
            var options = ExportOptions(try resolvedLayout())
            if let tileSize { options.tileSize = tileSize }
            if let overlap { options.overlap = overlap }
            options.format = format
            options.quality = quality
            options.background = background
            options.isExact = exact
            options.replaces = overwrite
            let name = output.split(separator: "/").last.map(String.init) ?? output
            options.id = id ?? "https://example.com/iiif/\(name)"
            while options.id.hasSuffix("/") { options.id.removeLast() }
            return options
        }
    }
}

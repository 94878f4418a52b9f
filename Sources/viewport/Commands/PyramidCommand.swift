#if CommandLine
import ArgumentParser
import Basics
import Containers
import Files
import PyramidExport
import RemoteFiles
import Synchronization
import TilePyramid
import ViewportGeometry
import ViewportRendering

/// `viewport pyramid`: exports an image as tiles for Deep Zoom, IIIF or Zoomify, or as a tiled TIFF.
struct PyramidCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pyramid",
        abstract: "Export an image as a pyramid of tiles.",
        discussion: """
            -o NAME.dzi       Deep Zoom: NAME.dzi and NAME_files
            -o NAME.tif       one tiled TIFF with all levels, a cloud-optimized GeoTIFF
            -o NAME.zip       Deep Zoom in one uncompressed archive (or NAME.szi)
            -o FOLDER         a static image of the IIIF Image API 3.0, level 0
            --layout zoomify  Zoomify, in a folder
            --cube            faces of a panorama's cube for Pannellum, in a folder

            Grid, sizes and descriptors equal those of vips dzsave. Output is atomic.

            Tiles of full resolution that align with the blocks of an upright baseline JPEG
            are copied without decoding, in a TIFF all of them, unless --quality is given.
            A site then has the JPEG itself, without its metadata, as full/max.
            cutTiles in --json is their number.
            """,
        examples: [
            "viewport pyramid big.jpg -o big.dzi": "Deep Zoom for OpenSeadragon",
            "viewport pyramid big.jpg -o site --id https://example.org/big":
                "A static IIIF image for any web server",
            "viewport pyramid big.png -o big.tif": "A tiled TIFF with all levels",
            "viewport pyramid map.tif -o cloud.tif --cog --format png":
                "The same for maps, without loss, in GDAL's layout",
            "viewport pyramid pano.jpg --cube -o pano":
                "Six faces in tiles, with a config.json for Pannellum",
            "viewport pyramid --recursive scans -o pyramids/ --layout dz":
                "A pyramid of each image in a folder",
            "viewport pyramid --manifest list.jsonl --results done.jsonl -o '{stem}.dzi'":
                "A pyramid of each image of a list",
        ])

    @OptionGroup(title: "Input and batch") var inputs: InputArguments

    /// The image; that of the line in a batch.
    var image: String { inputs.path }

    @OptionGroup(title: "Output") var pyramid: PyramidArguments
    @OptionGroup(title: "Reading") var opening: OpenArguments

    @Flag(help: "Report the result as one line of JSON.")
    var json = false

    @OptionGroup var quietness: QuietArguments

    mutating func validate() throws {
        if pyramid.givenOutput == nil {
            pyramid.givenOutput = inputs.takeOutput { path, _ in
                let layout = OutputName.ending(of: path).flatMap(PyramidLayout.init(fileExtension:))
                // A TIFF that exists is an image.
                return !InputArguments.isThere(path) || layout != nil && layout != .tif
            }
            try pyramid.validate()
        }
        try inputs.require("an image")
        if isBatch { try inputs.requireNames(template) }
    }

    private var isBatch: Bool { !inputs.isSingle || OutputTemplate.isForMany(pyramid.givenOutput) }

    func run() throws {
        if isBatch { return try runBatch() }
        let clock = ContinuousClock()
        let start = clock.now
        let options = try pyramid.options
        let output = try pyramid.path(for: image)
        if let given = pyramid.givenOutput, output != given { try OutputName.makeFolder(given) }
        let line = Mutex(ProgressLine("cutting \(RemoteAddress.shown(image))"))
        defer { line.withLock { $0.clear() } }
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let flag = interruption.flag
        let (report, remote) = try OnceMore.run(image) {
            let file = try opening.open(image) { $0.optimizesForRandomAccess = options.readsParts }
            let report = try OutputError.naming(output) {
                try PyramidExporter(options: options).exportSynchronously(file, to: output) { share in
                    try flag.check()
                    line.withLock { $0.show(share) }
                }
            }
            return (report, file.remoteReport)
        }
        guard json else {
            if pyramid.givenOutput != output { try StandardOutput.write(path: output) }
            return
        }
        let milliseconds = ((clock.now - start) / .microseconds(1)).rounded() / 1000
        print(json: [
            "path": .string(RemoteAddress.shown(image)), "output": .string(output),
            "outputs": .outputs(output, bytes: report.bytes),
            "layout": .string(options.layout.rawValue),
            "levels": .array(
                report.levels.map { .array([.int($0.size.width), .int($0.size.height)]) }),
            "tileSize": .int(options.tileSize), "overlap": .int(options.overlap),
            "tiles": .int(report.tiles), "cutTiles": .int(report.cutTiles),
            "bytes": .int(report.bytes), "remote": JSONValue(remote) { $0.json },
            "ms": .number(milliseconds),
        ])
    }
}

/// Layout, tiles and name of a pyramid.
struct PyramidArguments: ParsableArguments {
    @Option(
        name: .customLong("layout"),
        help: "dz, iiif, zoomify, tif, zip or cube (default: from the output name; iiif for a folder).")
    var givenLayout: PyramidLayout?

    @Flag(help: "Six faces of the cube around a panorama, as --layout cube.")
    var cube = false

    @Flag(help: "With --cube: take a 2:1 image without panorama metadata for the whole sphere.")
    var panorama = false

    /// The layout that is asked for.
    var layout: PyramidLayout? { cube ? .cube : givenLayout }

    @Option(
        help:
            "Side of a tile without overlap, in pixels (default 254 for dz, 512 for iiif and cube, else 256)."
    )
    var tileSize: Int?

    @Option(help: "Pixels shared by neighboring tiles, dz only (default 1).")
    var overlap: Int?

    @Option(
        help: "Format of the tiles: jpg, png or webp. In a TIFF, jpg, or png for deflate.")
    var format: TileFormat = .jpg

    @Option(
        name: [.customShort("Q"), .customShort("q"), .long],
        help:
            "Quality of jpg and webp, 1 to 100. Without it, aligned tiles of a JPEG are copied without decoding."
    )
    var quality: Int?

    @Option(help: "Background of transparent images in jpg: a CSS color.")
    var background: Color = .white

    @Option(help: "URL of the image on a IIIF server, without /info.json.")
    var id: String?

    @Flag(
        help:
            "Resample every level from the image, as render and serve do, instead of from the level before. Slower."
    )
    var exact = false

    @Flag(
        help:
            "In a TIFF: put the size before each tile and its last bytes behind it, for GDAL, which then reads parts with fewer requests."
    )
    var cog = false

    @Flag(
        help: "Replace a pyramid of the same layout that viewport did not write. Its own are always replaced."
    )
    var overwrite = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help:
            "NAME.dzi, NAME.tif, NAME.zip or a folder, with places as {stem} for many (default NAME.dzi).",
        completion: .file())
    var givenOutput: String?

    /// The output; without one, a name of the layout's kind, "{stem}" for the image's.
    var output: String { givenOutput ?? "{stem}\(Self.ending(of: layout ?? .dz).map { ".\($0)" } ?? "")" }

    func validate() throws {
        try require("--tile-size", tileSize, in: 1...8192, example: 256)
        try require("--overlap", overlap, in: 0...8192, example: 1)
        try require("--quality", quality, in: 1...100, example: 85)
        if cube, let givenLayout, givenLayout != .cube {
            throw ValidationError("--cube is a layout: leave out --layout \(givenLayout.rawValue)")
        }
        let layout = try resolvedLayout()
        if panorama, layout != .cube { throw ValidationError("--panorama needs --cube") }
        if layout == .cube, exact {
            throw ValidationError("--exact does not apply to --cube, whose levels are halved: leave it out")
        }
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
                "--exact writes the tiles that serve sends: leave out --layout tif, --background and -Q")
        }
        if cog, layout != .tif { throw ValidationError("--cog is for --layout tif") }
        if layout != .iiif, id != nil { throw ValidationError("--id is for --layout iiif") }
    }

    /// Returns the layout of `--layout`, else that of the output name.
    func resolvedLayout() throws -> PyramidLayout {
        guard output != "-" else { throw ValidationError("a pyramid cannot be written to standard output") }
        let name = FilePath(output).names.last ?? ""
        let ending = OutputName.ending(of: output)?.lowercased() ?? ""
        let named = PyramidLayout(fileExtension: ending)
        guard name != "", name != ".", name != ".." else {
            throw ValidationError("\(output): give the name of a file or folder to create")
        }
        let isFolder = OutputName.isFolder(output)
        let isOfOtherFile = FileType.ofExtension(ending) != nil
        if !isFolder, named == nil, isOfOtherFile {
            throw ValidationError(
                "\(output): not the extension of a pyramid: use .dzi, .tif, .zip, .szi or the name of a folder"
            )
        }
        if isFolder, let layout { return layout }
        if let layout, let named, layout != named {
            throw ValidationError("\(output): this extension is for --layout \(named.rawValue)")
        }
        if layout == .zip, named == nil {
            throw ValidationError("\(output): --layout zip needs the extension .zip or .szi")
        }
        if layout == .tif, named == nil {
            throw ValidationError("\(output): --layout tif needs the extension .tif")
        }
        return layout ?? named ?? .iiif
    }

    /// Returns the path of the pyramid; in an existing folder, a pyramid that is a file gets the image's name.
    func path(for image: String) throws -> String {
        let layout = try resolvedLayout()
        guard givenOutput != nil else { return output.replacing("{stem}", with: OutputName.stem(of: image)) }
        guard OutputName.isFolder(output), let ending = Self.ending(of: layout) else { return output }
        return "\(output)\(output.hasSuffix("/") ? "" : "/")\(OutputName.stem(of: image)).\(ending)"
    }

    /// The extension of a layout that is a file; nil for a folder.
    static func ending(of layout: PyramidLayout) -> String? {
        switch layout {
        case .iiif, .zoomify, .cube: nil
        case .dz: "dzi"
        default: layout.rawValue
        }
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
            options.framesTiles = cog
            options.assumesPanorama = panorama
            options.replaces = overwrite
            let name = FilePath(output).names.last?.text ?? output
            options.id = id ?? "https://example.com/iiif/\(name)"
            while options.id.hasSuffix("/") { options.id.removeLast() }
            return options
        }
    }
}
#endif

import ArgumentParser
import Basics
import Files
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
            try PyramidExporter(options: options).export(file, to: output) { share in
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

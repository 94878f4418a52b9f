import ArgumentParser
import Files
import TilePyramid
import ViewportGeometry
import ViewportRendering

/// `viewport render`: one viewport of one image, as a picture.
struct RenderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render",
        abstract: "Make a picture of what is seen of an image.",
        discussion: """
            --rect with --zoom         the rectangle at that zoom
            --size with --rect         a scroll view zoomed to the rectangle
            --size with --zoom         a scroll view at that zoom, placed by --center or --offset
            --size alone               the whole image, laid out by --content-mode
            --zoom alone               the whole image at that zoom
            nothing                    the whole image, fitted into 1024x1024, never enlarged
            """)

    @Argument(help: "Image to look at.")
    var image: String

    @OptionGroup(title: "What is seen") var region: RegionArguments
    @OptionGroup(title: "How it looks") var picture: PictureArguments
    @OptionGroup(title: "How it is opened") var opening: OpenArguments

    @Flag(help: "Report on one line of JSON what was made and how.")
    var json = false

    func run() throws {
        let output = try picture.path(for: image)
        if output != "-" {
            try OutputError.naming(output) { () throws(FileError) in try OutputFile.check(output) }
        }
        let clock = ContinuousClock()
        let start = clock.now
        let file = try opening.open(image) { $0.turn = picture.turn }
        guard let request = region.request.resolve(in: file.uprightSize.imageSize) else {
            throw RenderingError.outside(file: image, size: file.uprightSize)
        }
        let opened = clock.now

        var line = ProgressLine("reading \(image)")
        let (made, report) = try ViewportRenderer(options: picture.renderOptions)
            .render(request.viewport, of: file) { line.show($0) }
        line.clear()

        let encoding = clock.now
        let bytes = try PictureEncoder(picture.resolvedFormat(), quality: picture.quality).encode(made)
        let encoded = clock.now
        try OutputError.naming(output) { () throws(FileError) in
            if output == "-" {
                try OutputFile.writeToStandardOutput(bytes)
            } else {
                try OutputFile.write(bytes, to: output)
            }
        }
        let timing = Timing(
            open: opened - start, read: report.read, scale: report.scale, encode: encoded - encoding,
            total: clock.now - start)
        tell(output, made, request, file, report, timing)
    }

    /// Prints the report, or the path that the caller did not choose.
    private func tell(
        _ output: String, _ made: Picture, _ request: ResolvedRequest, _ file: ImageFile,
        _ report: RenderReport, _ timing: Timing
    ) {
        guard json else {
            if picture.output == nil { print(output) }
            return
        }
        let visible = request.visibleRect
        let stored = report.storedRect
        let text = JSONText.object([
            ("input", .string(image)), ("output", .string(output)),
            ("width", .int(made.size.width)), ("height", .int(made.size.height)),
            ("requested", .object(region.requested + picture.requested)),
            ("zoomScale", .number(request.zoomScale)),
            ("contentOffset", .numbers(request.contentOffset.x, request.contentOffset.y)),
            ("visibleRect", .numbers(visible.minX, visible.minY, visible.width, visible.height)),
            ("limits", .array(request.limits.map(JSONText.string))),
            ("source", .string("\(file.format.rawValue), \(file.reading)")),
            ("level", JSONText(report.level) { .int($0.index) }),
            (
                "storedRect",
                JSONText(stored) { .array([.int($0.x), .int($0.y), .int($0.width), .int($0.height)]) }
            ),
            ("ms", timing.json),
        ])
        // Standard output is the picture's when it goes there.
        if output == "-" { StandardError.write("\(text)\n") } else { print(text) }
    }
}

/// Where the time of a render went.
private struct Timing {
    var open: Duration
    var read: Duration
    var scale: Duration
    var encode: Duration
    var total: Duration

    /// Milliseconds, to the microsecond.
    var json: JSONText {
        func milliseconds(_ duration: Duration) -> JSONText {
            .number((duration / .microseconds(1)).rounded() / 1000)
        }
        return .object([
            ("open", milliseconds(open)), ("read", milliseconds(read)), ("scale", milliseconds(scale)),
            ("encode", milliseconds(encode)), ("total", milliseconds(total)),
        ])
    }
}

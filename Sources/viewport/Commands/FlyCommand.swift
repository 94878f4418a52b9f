#if CommandLine
import ArgumentParser
import Basics
import Films
import RemoteFiles
import ScrollModel
import Thumbnails
import ViewportGeometry
import ViewportRendering

/// `viewport fly`: makes a film of a flight through an image.
struct FlyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fly",
        abstract: "Make a film of a flight through an image.",
        discussion: """
            --from and --to   a flight from one rectangle to another, --via others
            --keyframes       a flight along the poses of a JSON file
            --ken-burns       a slow zoom to the most interesting part
            --look, twice     a turn of the view into a panorama, with --fov of each

            Frame k shows the path at k/fps seconds, and the last frame its end. A frame
            has the bytes of `render --subpixel --content-mode scaleToFill` with its
            rectangle, or of `render --look`; --print-frames prints both.
            """,
        examples: [
            "viewport fly big.jpg --from pct:0,0,100,100 --to 900,700,640,360 -o film.mp4":
                "From the whole image to a detail",
            "viewport fly big.jpg --keyframes poses.json --duration 20 -o film.webm":
                "Along poses that the viewer page recorded with the key K",
            "viewport fly pano.jpg --look 0,0 --look 120,10 --fov 100 --fov 60 -o film.mp4":
                "A turn to the right in a panorama, closer at the end",
            "viewport fly photo.jpg --ken-burns -s 640x360 --fps 15 -o film.webp": "A slow zoom",
            "viewport fly big.jpg --ken-burns --shard 0/4 --resume -o frames/":
                "The first of four shares of the frames",
        ])

    @Argument(help: "Image to show; - is standard input.", completion: .file())
    var image: String

    @OptionGroup(title: "Path") var path: FlightArguments

    @Option(name: .shortAndLong, help: "Size of the film in pixels, WIDTHxHEIGHT.")
    var size: SizeArgument = SizeArgument(argument: "1280x720")!

    @Option(help: "Frames per second, also as a fraction such as 30000/1001.")
    var fps = FrameRate(30)

    @Option(help: "Background outside the image: \(Color.forms) (videos: white).")
    var background: Color?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "File or folder: .webp, .gif, .png (APNG), with ffmpeg .mp4, .mov, .mkv or .webm; frames/ for PNG files; "
                + "- for y4m on standard output (default NAME.flight.webp)."), completion: .file())
    var output: String?

    @Option(
        help:
            "Compression of png: fast takes less than half the time for larger files, small many times more.")
    var compression: PNGCompression?

    @OptionGroup var overwriting: OverwriteArgument

    @Option(help: ArgumentHelp("Render share i of n of the frames of a folder, i from 0.", valueName: "i/n"))
    var shard: Shard?

    @Flag(help: "Keep the frames of a folder that an earlier run finished.")
    var resume = false

    @Flag(help: "Print time and rectangle of each frame as a line of JSON; render nothing.")
    var printFrames = false

    @Flag(help: "Report the result as one line of JSON.")
    var json = false

    @OptionGroup(title: "Input") var opening: OpenArguments

    @OptionGroup var quietness: QuietArguments

    /// The most frames of a film.
    private static let mostFrames = 1_000_000

    func validate() throws {
        guard let both = size.both, both.width.rounded() == both.width, both.height.rounded() == both.height
        else {
            throw ValidationError(
                refusing: size.text, of: "--size", give: "whole numbers WIDTHxHEIGHT", example: "1280x720")
        }
        if printFrames, output != nil || json || resume {
            throw ValidationError("--print-frames renders nothing: leave out -o, --json and --resume")
        }
        guard !printFrames else { return }
        let form = try Film.Form(output: filmPath)
        if compression != nil, !form.isPNG {
            throw ValidationError("--compression is that of png: write a folder or an .apng file")
        }
        if case .folder = form { return }
        if shard != nil || resume {
            throw ValidationError(
                "--shard and --resume apply to a folder of frames: give one, for example -o frames/")
        }
    }

    private var filmPath: String {
        output ?? OutputName.stem(of: image) + ".flight.webp"
    }

    private var pixels: PixelSize<OutputGrid> {
        PixelSize(width: Int(size.both!.width), height: Int(size.both!.height))
    }

    func run() throws {
        let file = try opening.open(image, through: CacheSettings.caches(of: image))
        let flight = Flight(
            try path.path(in: file, size: size.both!), size: size.both!, framesPerSecond: fps.value)
        let count = flight.count
        guard count <= Self.mostFrames else {
            throw ValidationError(
                "\(flight.duration) s at \(fps.text) frames per second are \(count) frames; a film has at most "
                    + "\(Self.mostFrames)")
        }
        let share = shard?.range(of: count) ?? 0..<count
        guard !printFrames else { return printFrames(share, of: flight) }
        let clock = ContinuousClock()
        let start = clock.now
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let flag = interruption.flag
        let destination = FilmOutput(
            path: filmPath, inputs: [image] + self.path.inputs, overwrites: overwriting.overwrite,
            frames: share, stream: StandardOutput.write)
        let form = try Film.Form(output: filmPath)
        try checkLength(count, form)
        let background = try UserSettings.value(.background, option: background)
        if case .stream = form { try StandardOutput.refuseTerminal() }
        let film = try Film(
            of: file, to: destination, frameRate: fps, background: background,
            compression: compression ?? .standard,
            checkInterruption: { try flag.check() })
        func view(_ number: Int) throws -> FilmView { try flight.view(number, in: file.uprightSize) }
        var kept: Set<Int> = []
        if case .folder = form {
            let folder = try FrameFolder(destination)
            try folder.checkEnd(ofFrames: count)
            if resume { kept = try folder.kept(of: share) { try film.png(view($0)) } }
        }
        let line = ProgressLine("rendering \(count) frames")
        for number in share where !kept.contains(number) {
            try film.add(view(number), number: number)
            line.show(Double(number - share.lowerBound) / Double(share.count))
        }
        try film.finish()
        line.clear()
        report(flight, share: share, kept: kept.count, after: clock.now - start)
    }

    /// libvips joins the frames of an animation to one image, whose height is limited.
    private func checkLength(_ count: Int, _ form: Film.Form) throws {
        guard case .animation(let format) = form, format != .apng else { return }
        guard count * pixels.height < 10_000_000 else {
            throw ValidationError(
                "\(count) frames of \(pixels.height) rows are too many for \(format.rawValue); write a video or a "
                    + "folder of frames")
        }
    }

    private func printFrames(_ share: Range<Int>, of flight: Flight) {
        for number in share {
            let (time, place) = flight.frame(number)
            let members: [(String, JSONValue?)] =
                switch place {
                case .rect: [("rect", place.json)]
                case .look(let look):
                    [
                        ("look", .numbers(look.yaw, look.pitch, look.roll)),
                        ("fov", .number(look.fieldOfView)),
                    ]
                }
            print(JSONValue.object([("frame", .int(number)), ("t", .number(time))] + members))
        }
    }

    private func report(
        _ flight: Flight, share: Range<Int>, kept: Int, after time: Duration
    ) {
        guard json else {
            if output == nil { print(filmPath) }
            return
        }
        let report = JSONValue.object([
            "path": .string(RemoteAddress.shown(image)), "output": .string(filmPath),
            "outputs": .outputs(filmPath, width: pixels.width, height: pixels.height),
            "width": .int(pixels.width),
            "height": .int(pixels.height), "fps": .string(fps.text), "duration": .number(flight.duration),
            "frames": .int(flight.count), "rendered": .int(share.count - kept), "kept": .int(kept),
            "stops": .array(flight.stops.map(\.json)),
            "ms": .number((time / .microseconds(1)).rounded() / 1000),
        ])
        if filmPath == "-" { StandardError.write("\(report)\n") } else { print(report) }
    }
}

extension Flight.Place {
    /// A rectangle as [x, y, width, height], or a look as [yaw, pitch, roll, field of view].
    fileprivate var json: JSONValue {
        switch self {
        case .rect(let rect): .numbers(rect.minX, rect.minY, rect.width, rect.height)
        case .look(let look): .numbers(look.yaw, look.pitch, look.roll, look.fieldOfView)
        }
    }
}

extension Shard {
    /// The share of consecutive frames.
    func range(of frames: Int) -> Range<Int> {
        // The limit on frames leaves room for the product, unless there are more shares than frames.
        func bound(_ index: Int) -> Int { Int(Double(frames) * Double(index) / Double(count)) }
        return bound(index)..<bound(index + 1)
    }
}
#endif

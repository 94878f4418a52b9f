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

            Frame k shows the path at k/fps seconds, and the last frame its end. A frame
            has the bytes of `render --subpixel --content-mode scaleToFill` with its
            rectangle, which --print-frames prints.
            """,
        examples: [
            "viewport fly big.jpg --from pct:0,0,100,100 --to 900,700,640,360 -o film.mp4":
                "From the whole image to a detail",
            "viewport fly big.jpg --keyframes poses.json --duration 20 -o film.webm":
                "Along poses that the viewer page recorded with the key K",
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
        let path = try path.path(in: file, size: size.both!)
        let flight = Flight(path, size: size.both!, framesPerSecond: fps.value)
        let count = flight.count
        guard count <= Self.mostFrames else {
            throw ValidationError(
                "\(path.duration) s at \(fps.text) frames per second are \(count) frames; a film has at most "
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
        func viewport(_ number: Int) throws -> Viewport { try flight.viewport(number, in: file.uprightSize) }
        var kept: Set<Int> = []
        if case .folder = form {
            let folder = try FrameFolder(destination)
            try folder.checkEnd(ofFrames: count)
            if resume { kept = try folder.kept(of: share) { try film.png(viewport($0)) } }
        }
        let line = ProgressLine("rendering \(count) frames")
        for number in share where !kept.contains(number) {
            try film.add(viewport(number), number: number)
            line.show(Double(number - share.lowerBound) / Double(share.count))
        }
        try film.finish()
        line.clear()
        report(path, count: count, share: share, kept: kept.count, after: clock.now - start)
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
            let (time, rect) = flight.frame(number)
            print(json: [
                "frame": .int(number), "t": .number(time),
                "rect": .numbers(rect.minX, rect.minY, rect.width, rect.height),
            ])
        }
    }

    private func report(
        _ path: FlightPath, count: Int, share: Range<Int>, kept: Int, after time: Duration
    ) {
        func list(_ rect: Rect<ImageSpace>) -> JSONValue {
            .numbers(rect.minX, rect.minY, rect.width, rect.height)
        }
        guard json else {
            if output == nil { print(filmPath) }
            return
        }
        let report = JSONValue.object([
            "path": .string(RemoteAddress.shown(image)), "output": .string(filmPath),
            "outputs": .outputs(filmPath, width: pixels.width, height: pixels.height),
            "width": .int(pixels.width),
            "height": .int(pixels.height), "fps": .string(fps.text), "duration": .number(path.duration),
            "frames": .int(count), "rendered": .int(share.count - kept), "kept": .int(kept),
            "stops": .array(path.stops.map(list)),
            "ms": .number((time / .microseconds(1)).rounded() / 1000),
        ])
        if filmPath == "-" { StandardError.write("\(report)\n") } else { print(report) }
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

/// The path of a flight.
struct FlightArguments: ParsableArguments {
    @Option(help: "Rectangle of the first frame, X,Y,W,H in image points or pct:X,Y,W,H.")
    var from: ImageRect?

    @Option(help: "Rectangle of the last frame.")
    var to: ImageRect?

    @Option(help: "Rectangle on the way; once for each.")
    var via: [ImageRect] = []

    @Option(help: ArgumentHelp("File of poses as JSON.", valueName: "file"), completion: .file())
    var keyframes: String?

    @Flag(help: "Zoom slowly from the whole image to its most interesting part (8 seconds by default).")
    var kenBurns = false

    @Option(help: "Seconds of the whole film (default: by the length of the path).")
    var duration: Double?

    @Option(help: "Seconds of rest at each rectangle of --from, --via and --to.")
    var hold: Double?

    @Option(
        help: "Easing of each leg: linear, ease, ease-in, ease-out, ease-in-out or x1,y1,x2,y2 as in CSS.")
    var easing: FlightPath.Easing?

    func validate() throws {
        try require("--duration", duration, in: 0.001...86_400, example: 10)
        try require("--hold", hold, in: 0...86_400, example: 1)
        let isFlight = from != nil || to != nil || !via.isEmpty
        guard [isFlight, keyframes != nil, kenBurns].count(where: \.self) == 1 else {
            throw ValidationError("give --from and --to, or --keyframes, or --ken-burns")
        }
        if isFlight, from == nil || to == nil { throw ValidationError("a flight needs --from and --to") }
        if keyframes != nil, hold != nil || easing != nil {
            throw ValidationError(
                "--keyframes has hold and easing of each pose: leave out --hold and --easing")
        }
    }

    /// The files that are read beside the image.
    var inputs: [String] { keyframes.map { [$0] } ?? [] }

    /// Returns the path in an image.
    func path(in file: ImageFile, size: Size<ViewSpace>) throws -> FlightPath {
        let imageSize = file.uprightSize.imageSize
        if let keyframes {
            let poses = try KeyframesFile(keyframes, size: size)
            do throws(FlightPathError) {
                return try FlightPath(poses.poses, size: size, imageSize: imageSize, duration: duration)
            } catch {
                throw poses.error(error)
            }
        }
        let poses =
            try kenBurns
            ? FlightPath.kenBurns(in: file, size: size).map { pose($0.rect) } : flight(in: imageSize)
        do throws(FlightPathError) {
            let duration = duration ?? (kenBurns ? 8 + 2 * (hold ?? 0) : nil)
            return try FlightPath(poses, size: size, imageSize: imageSize, duration: duration)
        } catch {
            throw ValidationError(sentence(error, file))
        }
    }

    private func flight(in imageSize: Size<ImageSpace>) -> [FlightPath.Pose] {
        ([from!] + via + [to!]).map { pose($0.rect(in: imageSize)) }
    }

    private func pose(_ rect: Rect<ImageSpace>) -> FlightPath.Pose {
        FlightPath.Pose(rect, hold: hold ?? 0, easing: easing ?? .easeInOut)
    }

    private func sentence(_ error: FlightPathError, _ file: ImageFile) -> String {
        let names = ["--from"] + via.map { _ in "--via" } + ["--to"]
        let size = file.uprightSize
        return switch error {
        case .outside(let pose):
            "\(names[pose]): the rectangle lies outside the image, which is \(size.width)x\(size.height)"
        case .invalidRect(let pose):
            "\(names[pose]): the sides of the rectangle are not from 0.000001 to 1000000000 image points"
        case .noDuration: "the flight has no length; give --duration"
        case .conflict(let poses, let duration):
            "--duration \(duration): holds take \(poses) s and leave no time to move; give a longer --duration"
        case .empty, .invalidTime, .invalidDuration: "\(error)"
        }
    }
}
#endif

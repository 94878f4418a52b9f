import ArgumentParser
import Basics
import Files
import RemoteFiles
import RenderCaching
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
            (
                "viewport fly big.jpg --from pct:0,0,100,100 --to 900,700,640,360 -o film.mp4",
                "From the whole image to a detail"
            ),
            (
                "viewport fly big.jpg --keyframes poses.json --duration 20 -o film.webm",
                "Along poses that the viewer page recorded with the key K"
            ),
            ("viewport fly photo.jpg --ken-burns -s 640x360 --fps 15 -o film.webp", "A slow zoom"),
            (
                "viewport fly big.jpg --ken-burns --shard 0/4 --resume -o frames/",
                "The first of four shares of the frames"
            ),
        ])

    @Argument(help: "Image to show; - is standard input.")
    var image: String

    @OptionGroup(title: "Path") var path: FlightArguments

    @Option(name: .shortAndLong, help: "Size of the film in pixels, WIDTHxHEIGHT.")
    var size: SizeArgument = SizeArgument(argument: "1280x720")!

    @Option(help: "Frames per second, also as a fraction such as 30000/1001.")
    var fps = FrameRate(30)

    @Option(help: "Background outside the image: a CSS color or transparent (videos: white).")
    var background: Color?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "File or folder: .webp, .gif, .png (APNG), with ffmpeg .mp4, .mov, .mkv or .webm; frames/ for PNG files; "
                + "- for y4m on standard output (default NAME.flight.webp)."))
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
        let form = try Film.Form(filmPath)
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
        let file = try openedFile()
        let path = try path.path(in: file, size: size.both!)
        let count = path.frameCount(framesPerSecond: fps.value)
        guard count <= Self.mostFrames else {
            throw ValidationError(
                "\(path.duration) s at \(fps.text) frames per second are \(count) frames; a film has at most "
                    + "\(Self.mostFrames)")
        }
        let share = shard?.range(of: count) ?? 0..<count
        guard !printFrames else { return try printFrames(share, of: path) }
        let clock = ContinuousClock()
        let start = clock.now
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        let flag = interruption.flag
        let destination = FilmOutput(
            path: filmPath, inputs: [image] + self.path.inputs, overwrites: overwriting.overwrite,
            frames: share)
        try checkLength(count)
        let film = try Film(
            of: file, to: destination, frameRate: fps,
            background: UserSettings.value(.background, option: background),
            compression: compression ?? .standard,
            checkInterruption: { try flag.check() })
        let kept = try keptFrames(destination, share, count: count) { number in
            try film.png(viewport(number, of: path, in: file))
        }
        var line = ProgressLine("rendering \(count) frames")
        for number in share where !kept.contains(number) {
            try film.add(viewport(number, of: path, in: file), number: number)
            line.show(Double(number - share.lowerBound) / Double(share.count))
        }
        try film.finish()
        line.clear()
        report(path, count: count, share: share, kept: kept.count, after: clock.now - start)
    }

    /// Returns the file, read from the cache on disk where that has its pyramid or index.
    private func openedFile() throws -> ImageFile {
        let file = try opening.open(image)
        guard !PipedInput.isPiped(image) else { return file }
        let folder = try CacheSettings.folder()
        return PyramidCache(folder: folder).existing(file)
            ?? IndexCache(folder: folder).existing(file) ?? file
    }

    /// Returns the viewport of a frame, by the request that `render` makes of the same rectangle.
    private func viewport(_ number: Int, of path: FlightPath, in file: ImageFile) throws -> Viewport {
        let rect = path.rect(ofFrame: number, framesPerSecond: fps.value)
        var request = ViewportRequest(
            .rectInContentMode(.points(rect), .scaleToFill, bounds: size.both!))
        request.isSubpixel = true
        guard let resolved = request.resolve(in: file.uprightSize.imageSize) else {
            throw RenderingError.invalidViewport(Viewport(imageRect: rect, size: pixels))
        }
        return resolved.viewport
    }

    /// libvips joins the frames of an animation to one image, whose height is limited.
    private func checkLength(_ count: Int) throws {
        guard case .animation(let format) = try Film.Form(filmPath), format != .apng else { return }
        guard count * pixels.height < 10_000_000 else {
            throw ValidationError(
                "\(count) frames of \(pixels.height) rows are too many for \(format.rawValue); write a video or a "
                    + "folder of frames")
        }
    }

    /// Checks the frames in the folder, and returns the numbers of those that are kept.
    ///
    /// - Parameter png: renders a frame.
    private func keptFrames(
        _ output: FilmOutput, _ share: Range<Int>, count: Int, _ png: (_ number: Int) throws -> [UInt8]
    ) throws -> Set<Int> {
        guard case .folder = try Film.Form(filmPath) else { return [] }
        let folder = try FrameFolder(output)
        let there = folder.numbers
        if let last = there.last, last >= count {
            throw FlightError.longer(folder.path, frame: folder.path(of: last), count: count)
        }
        guard resume else { return [] }
        let kept = there.filter { share.contains($0) && FileMark.isOn(folder.path(of: $0), .png) }
        // Frames of another path, size or image would not fit: a few are compared.
        for index in Set([0, kept.count / 2, kept.count - 1]) where kept.indices.contains(index) {
            let number = kept[index]
            let expected = FileMark.added(to: try png(number), .png)
            guard (try? InputFile.contents(folder.path(of: number))) == expected else {
                throw FlightError.other(folder.path(of: number))
            }
        }
        return Set(kept)
    }

    private func printFrames(_ share: Range<Int>, of path: FlightPath) throws {
        let count = path.frameCount(framesPerSecond: fps.value)
        for number in share {
            let rect = path.rect(ofFrame: number, framesPerSecond: fps.value)
            let time = number == count - 1 ? path.duration : Double(number) / fps.value
            print(
                JSONValue.object([
                    ("frame", .int(number)), ("t", .number(time)),
                    ("rect", .numbers(rect.minX, rect.minY, rect.width, rect.height)),
                ]))
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
            ("path", .string(RemoteAddress.shown(image))), ("output", .string(filmPath)),
            ("width", .int(pixels.width)),
            ("height", .int(pixels.height)), ("fps", .string(fps.text)), ("duration", .number(path.duration)),
            ("frames", .int(count)), ("rendered", .int(share.count - kept)), ("kept", .int(kept)),
            ("stops", .array(path.stops.map(list))),
            ("ms", .number((time / .microseconds(1)).rounded() / 1000)),
        ])
        if filmPath == "-" { StandardError.write("\(report)\n") } else { print(report) }
    }
}

/// A folder with frames that do not belong to the film.
enum FlightError: ExitCoded, CustomStringConvertible {
    case longer(String, frame: String, count: Int)
    case other(String)

    var exit: Exit { .cannotWrite }

    var description: String {
        switch self {
        case .longer(let folder, let frame, let count):
            "\(folder): has \(frame), but the film has \(count) frames; remove the old frames or choose another folder"
        case .other(let frame):
            "\(frame): is a frame of another film; choose another folder, or leave out --resume"
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

/// The path of a flight.
struct FlightArguments: ParsableArguments {
    @Option(help: "Rectangle of the first frame, X,Y,W,H in image points or pct:X,Y,W,H.")
    var from: ImageRect?

    @Option(help: "Rectangle of the last frame.")
    var to: ImageRect?

    @Option(help: "Rectangle on the way; once for each.")
    var via: [ImageRect] = []

    @Option(help: ArgumentHelp("File of poses as JSON.", valueName: "file"))
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
            let keyframes = try Keyframes(keyframes, size: size)
            do throws(FlightPathError) {
                return try FlightPath(keyframes.poses, size: size, imageSize: imageSize, duration: duration)
            } catch {
                throw keyframes.error(error)
            }
        }
        let poses = try kenBurns ? zoom(in: file, size: size) : flight(in: imageSize)
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

    /// Returns the poses of `--ken-burns`: the end is around the place of libvips' attention crop of its size.
    private func zoom(in file: ImageFile, size: Size<ViewSpace>) throws -> [FlightPath.Pose] {
        let imageSize = file.uprightSize.imageSize
        let request = ViewportRequest(.fitted(Size(width: 512, height: 512)))
        guard let whole = request.resolve(in: imageSize) else {
            throw RenderingError.outside(file: file.path, size: file.uprightSize)
        }
        let look = try ViewportRenderer().renderSynchronously(whole.viewport, of: file).picture
        func poses(_ x: Double, _ y: Double) -> [FlightPath.Pose] {
            FlightPath.kenBurns(towards: Point(x: x, y: y), size: size, imageSize: imageSize)
        }
        let part = poses(0, 0)[1].rect
        func share(_ length: Double, _ whole: Double, _ pixels: Int) -> Int {
            max(1, Int((length / whole * Double(pixels)).rounded()))
        }
        let found = try look.mostInterestingRect(
            PixelSize(
                width: share(part.width, imageSize.width, look.size.width),
                height: share(part.height, imageSize.height, look.size.height)), by: "attention")
        let x = (Double(found.x) + Double(found.width) / 2) / Double(look.size.width) * imageSize.width
        let y = (Double(found.y) + Double(found.height) / 2) / Double(look.size.height) * imageSize.height
        return poses(x, y).map { pose($0.rect) }
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

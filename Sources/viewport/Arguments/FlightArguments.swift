#if CommandLine
import ArgumentParser
import Basics
import Films
import ScrollModel
import ViewportGeometry
import ViewportRendering

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

    @Option(help: "Look into a panorama, YAW,PITCH[,ROLL] in degrees; once for each on the way.")
    var look: [LookArgument] = []

    @Option(
        help: "With --look: horizontal field of view in degrees, once, or once for each look (default 90).")
    var fov: [Double] = []

    @OptionGroup var display: LookDisplay

    @Option(help: "Seconds of the whole film (default: by the length of the path).")
    var duration: Double?

    @Option(help: "Seconds of rest at each rectangle or look.")
    var hold: Double?

    @Option(
        help: "Easing of each leg: linear, ease, ease-in, ease-out, ease-in-out or x1,y1,x2,y2 as in CSS.")
    var easing: FlightPath.Easing?

    func validate() throws {
        try require("--duration", duration, in: 0.001...86_400, example: 10)
        try require("--hold", hold, in: 0...86_400, example: 1)
        let isFlight = from != nil || to != nil || !via.isEmpty
        guard [isFlight, keyframes != nil, kenBurns, !look.isEmpty].count(where: \.self) == 1 else {
            throw ValidationError("give --from and --to, or --keyframes, or --ken-burns, or --look twice")
        }
        try validateLooks()
        if isFlight, from == nil || to == nil { throw ValidationError("a flight needs --from and --to") }
        if keyframes != nil, hold != nil || easing != nil {
            throw ValidationError(
                "--keyframes has hold and easing of each pose: leave out --hold and --easing")
        }
    }

    private func validateLooks() throws {
        try display.check(fields: fov, hasLooks: !look.isEmpty || keyframes != nil && fov.isEmpty)
        if fov.count > 1, fov.count != look.count {
            throw ValidationError(
                "--fov is given \(fov.count) times for \(look.count) looks: give it once, or for each")
        }
    }

    /// The files that are read beside the image.
    var inputs: [String] { keyframes.map { [$0] } ?? [] }

    /// Returns the path in an image.
    func path(in file: ImageFile, size: Size<ViewSpace>) throws -> Flight.Path {
        let imageSize = file.uprightSize.imageSize
        if let keyframes {
            let poses = try KeyframesFile(keyframes, size: size)
            do {
                switch poses.poses {
                case .rects(let rects):
                    return .parts(
                        try FlightPath(rects, size: size, imageSize: imageSize, duration: duration))
                case .looks(let looks):
                    return try looking(LookPath(looks, duration: duration), in: file)
                }
            } catch let error as FlightPathError {
                throw poses.error(error)
            }
        }
        do {
            guard look.isEmpty else { return try looking(LookPath(looks, duration: duration), in: file) }
            let poses =
                try kenBurns
                ? FlightPath.kenBurns(in: file, size: size).map { pose($0.rect) } : flight(in: imageSize)
            let duration = duration ?? (kenBurns ? 8 + 2 * (hold ?? 0) : nil)
            return .parts(try FlightPath(poses, size: size, imageSize: imageSize, duration: duration))
        } catch let error as FlightPathError {
            throw ValidationError(sentence(error, file))
        }
    }

    private func looking(_ path: LookPath, in file: ImageFile) throws -> Flight.Path {
        .looks(path, display.usedProjection, try file.panorama(assumed: display.panorama))
    }

    private var looks: [LookPath.Pose] {
        look.enumerated().map { number, look in
            LookPath.Pose(
                look.look(fov.isEmpty ? nil : fov[min(number, fov.count - 1)]),
                hold: hold ?? 0, easing: easing ?? .easeInOut)
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

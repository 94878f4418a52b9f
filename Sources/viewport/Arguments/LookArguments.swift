#if CommandLine
public import ArgumentParser
import Basics
public import ScrollModel
import ViewportGeometry
import ViewportRendering

/// How looks into a panorama are shown, which all commands have in common.
struct LookDisplay: ParsableArguments {
    @Option(help: "With --look: how the sphere is shown (default rectilinear).")
    var projection: LookProjection?

    @Flag(help: "With --look: take a 2:1 image without panorama metadata for the whole sphere.")
    var panorama = false

    /// The given projection, or the usual one.
    var usedProjection: LookProjection { projection ?? .rectilinear }

    /// The horizontal field of view without --fov, in degrees.
    static let usualField = 90.0

    /// Checks that there are looks for the options, and that the projection can show the fields of view.
    func check(fields: [Double], hasLooks: Bool) throws {
        for (name, isGiven) in [
            ("--fov", !fields.isEmpty), ("--projection", projection != nil), ("--panorama", panorama),
        ] where isGiven && !hasLooks {
            throw ValidationError("\(name) needs --look, for example --look 0,0")
        }
        for field in fields {
            try require(
                "--fov", field, in: 0.01...usedProjection.greatestFieldOfView, example: Self.usualField)
        }
    }
}

/// A look into a panorama.
struct LookOptions: ParsableArguments {
    @Option(
        help:
            "Panoramas: look in a direction, YAW,PITCH[,ROLL] in degrees; 0,0 is the middle, to the right and up are positive."
    )
    var look: LookArgument?

    @Option(help: "With --look: horizontal field of view in degrees (default 90).")
    var fov: Double?

    @OptionGroup var display: LookDisplay

    /// Checks that there is a look for the other options, and that the projection can show the field of view.
    func check() throws { try display.check(fields: fov.map { [$0] } ?? [], hasLooks: look != nil) }

    /// The look; nil without one.
    var given: Look? {
        look?.look(fov)
    }
}

/// The looks that `render` makes.
struct LookArguments: ParsableArguments {
    @OptionGroup var options: LookOptions

    @Flag(help: "Write the six faces of a cube into the folder -o: front, right, back, left, up, down.")
    var faces = false

    /// Whether one is given.
    var isGiven: Bool { options.look != nil || faces }

    /// The size of a view without --size.
    private static let usualSize = Size<ViewSpace>(width: 1280, height: 720)

    /// Checks the options with those of the region and the picture.
    func check(_ region: RegionArguments, _ picture: PictureArguments) throws {
        guard isGiven else { return try options.check() }
        if faces {
            guard options.look == nil, options.fov == nil, options.display.projection == nil
            else {
                throw ValidationError(
                    "--faces has looks of its own: leave out --look, --fov and --projection")
            }
        } else {
            try options.check()
        }
        for (name, isGiven) in [
            ("--rect", region.rect != nil), ("--crop-size", region.cropSize != nil),
            ("--zoom", region.zoom != nil), ("--center", region.center != nil),
            ("--offset", region.offset != nil), ("--content-mode", region.contentMode != nil),
            ("--fit", region.fit), ("--crop", region.crop), ("--min-zoom", region.minZoom != nil),
            ("--max-zoom", region.maxZoom != nil), ("--subpixel", region.subpixel),
            ("--rotate", picture.rotate.degrees != 0), ("--flip", picture.flip),
            ("--kernel", picture.kernel != nil), ("--lossless", picture.lossless),
            ("--keep-metadata", picture.keepMetadata == .all), ("--keep-gain-map", picture.keepGainMap),
        ] where isGiven {
            throw ValidationError("\(name) does not apply to --look: leave out one of them")
        }
        for size in region.sizes where !(size.both.map { $0.width >= 1 && $0.height >= 1 } ?? false) {
            throw ValidationError(
                refusing: size.text, of: "--size", because: "one side is missing", give: "both sides",
                example: "1920x1080")
        }
    }

    /// Returns what is shown on a view of a size; nil without a look.
    func frame(_ region: RegionArguments) -> LookFrame? {
        guard let look = options.given else { return nil }
        let size = region.size?.both ?? Self.usualSize
        let scale = region.scale.value
        return LookFrame(
            look, options.display.usedProjection,
            size: Size(
                width: (size.width * scale).rounded(), height: (size.height * scale).rounded()))
    }

    /// The given options, for the report.
    var requested: [(String, JSONValue?)] {
        guard let look = options.look else { return [] }
        var members: [(String, JSONValue?)] = [("look", .numbers(look.yaw, look.pitch, look.roll))]
        if let fov = options.fov { members.append(("fov", .number(fov))) }
        if let projection = options.display.projection {
            members.append(("projection", .string(projection.rawValue)))
        }
        if options.display.panorama { members.append(("panorama", .bool(true))) }
        return members
    }
}

/// "YAW,PITCH" or "YAW,PITCH,ROLL" in degrees.
struct LookArgument: ExpressibleByArgument, Explained {
    let yaw: Double
    let pitch: Double
    let roll: Double

    init?(argument: String) {
        let values = Numbers.list(argument[...], count: 2) ?? Numbers.list(argument[...], count: 3)
        guard let values, (-90...90).contains(values[1]) else { return nil }
        (yaw, pitch, roll) = (values[0], values[1], values.count > 2 ? values[2] : 0)
    }

    /// Returns the look with a field of view.
    func look(_ fov: Double?) -> Look {
        Look(yaw: yaw, pitch: pitch, roll: roll, fieldOfView: fov ?? LookDisplay.usualField)
    }

    static var understood: String { "YAW,PITCH or YAW,PITCH,ROLL in degrees, with a pitch from -90 to 90" }
    static var example: String { "30,-10" }
    static func fault(in text: String) -> String? {
        let values = Numbers.list(text[...], count: 2) ?? Numbers.list(text[...], count: 3)
        return values == nil ? Numbers.fault(text[...], count: 2) : "the pitch is out of range"
    }
}

extension LookProjection: ExpressibleByArgument {}
#endif

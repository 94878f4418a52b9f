import ArgumentParser
import Basics
import Resampling
import ViewportGeometry
import ViewportRendering
import Vips

/// How the picture looks and where it goes.
struct PictureArguments: ParsableArguments {
    @Option(
        help:
            "Turn clockwise by any angle, after the orientation. Quarter turns turn the image before it is looked at; others turn the picture, whose canvas grows."
    )
    var rotate: RotationArgument = RotationArgument(argument: "0")!

    @Flag(help: "Mirror the content left to right, before --rotate.")
    var flip = false

    @Option(help: "What lies outside the image and behind it: a CSS color or transparent.")
    var background: Color = .transparent

    @Option(help: "Kernel (default lanczos3 below zoom 1, cubic above, nearest from zoom 8).")
    var kernel: ResamplingKernel?

    @Option(help: "Colors: to sRGB, or as they are with their profile.")
    var color: RenderOptions.ColorMode = .srgb

    @Option(help: "Bits per sample, 8 or 16.")
    var depth = 8

    @Option(help: "Format of the picture (default: by the name of the output, else png).")
    var format: PictureFormat?

    @Option(name: [.customShort("Q"), .long], help: "Quality of jpg, webp and avif, 1 to 100.")
    var quality: Int?

    @Flag(help: "Copy a JPEG's compressed data instead of decoding it; --rect grows to whole blocks.")
    var lossless = false

    @Option(
        defaultAsFlag: MetadataChoice.all, parsing: .next,
        help: "EXIF, XMP and IPTC of the image: all or none (default: none; all with --lossless).")
    var keepMetadata: MetadataChoice?

    @Option(
        name: .shortAndLong,
        help:
            "File or folder to write to; - is standard output (default NAME.viewport.png here; - for an image from standard input)."
    )
    var output: String?

    @OptionGroup var overwriting: OverwriteArgument

    func validate() throws {
        if depth != 8, depth != 16 {
            throw ValidationError(refusing: depth, of: "--depth", give: "8 or 16", example: 16)
        }
        try require("--quality", quality, in: 1...100, example: 85)
        let format = try resolvedFormat()
        let isChanged = rotate.degrees != 0 || flip || background.alpha > 0 || kernel != nil || quality != nil
        if lossless, format != .jpg || isChanged {
            throw ValidationError(
                "--lossless copies a JPEG as it is: give a .jpg output and nothing that changes it")
        }
        if depth == 16, !format.isDeep {
            throw ValidationError(
                "\(format.rawValue) holds 8 bits a sample: choose png or tif for --depth 16")
        }
    }

    /// The format that is written: the one that is named, else the one of the output's name, else PNG.
    func resolvedFormat() throws -> PictureFormat { try name(for: "picture").format }

    /// Where the picture goes: the output that is named, else here by the input's name.
    func name(for input: String) throws -> OutputName {
        // What comes in through a pipe goes out through one.
        try OutputName(
            output ?? (input == PipedInput.name ? "-" : nil), asked: format.map { ($0, "--format") },
            default: "\(OutputName.stem(of: input)).viewport",
            usual: lossless ? .jpg : .png)
    }

    var turn: Orientation { Orientation(degrees: rotate.quarters ?? 0, mirrored: flip) ?? .up }

    var renderOptions: RenderOptions {
        get throws {
            var options = RenderOptions()
            options.kernel = kernel
            options.colorMode = color
            options.depth = depth
            let format = try resolvedFormat()
            // What cannot be transparent is white, as paper is.
            let isOpaque = !format.hasAlpha && background.alpha < 1
            options.background = isOpaque ? background.over(.white) : background
            options.keepsCMYK = format.hasCMYK
            return options
        }
    }

    /// The options as they were given, for the report.
    var requested: [(String, JSONValue?)] {
        var members: [(String, JSONValue?)] = []
        if rotate.degrees != 0 { members.append(("rotate", .number(rotate.degrees))) }
        if flip { members.append(("flip", .bool(true))) }
        if let kernel { members.append(("kernel", .string(kernel.rawValue))) }
        if color != .srgb { members.append(("color", .string(color.rawValue))) }
        if depth != 8 { members.append(("depth", .int(depth))) }
        if let quality { members.append(("quality", .int(quality))) }
        return members
    }
}

/// Which picture of a file is opened, and how far the file is trusted.
struct OpenArguments: ParsableArguments {
    @Option(help: "Page, frame or slide, counted from 0.")
    var page = 0

    @Flag(name: .customLong("no-orient"), help: "Leave the pixels as stored: ignore the orientation.")
    var isNotOriented = false

    @Option(help: "Refuse files of more pixels before decoding them.")
    var maxPixels: Int?

    @Flag(help: "Show what is there of a damaged file.")
    var allowDamaged = false

    // The name that it had.
    @Flag(help: .hidden)
    var allowTruncated = false

    @Flag(help: Self.untrustedHelp)
    var allowUntrusted = false

    /// The loaders that there are on this machine, where help is asked for.
    static var untrustedHelp: ArgumentHelp {
        let known = [
            ("SVG", "svgload"), ("PDF", "pdfload"), ("JPEG 2000", "jp2kload"), ("JPEG XL", "jxlload"),
            ("OpenSlide", "openslideload"),
        ]
        let there = HelpRequest.isMade ? known.filter { VipsLibrary.hasOperation($0.1) } : known
        return ArgumentHelp(
            stringLiteral: "Use the loaders that libvips does not trust: "
                + there.map { $0.0 + ", " }.joined() + "and others.")
    }

    func validate() throws {
        try require("--page", page, in: 0..., example: 0)
        try require("--max-pixels", maxPixels, in: 1..., example: 100_000_000)
    }

    /// Opens an image; "-" is standard input.
    func open(_ path: String, _ change: (inout OpenOptions) -> Void = { _ in }) throws -> ImageFile {
        if allowUntrusted { try ViewportRuntime.allowUntrustedLoaders() }
        var options = OpenOptions()
        options.page = page
        options.appliesOrientation = !isNotOriented
        options.allowsTruncated = allowDamaged || allowTruncated
        options.maximumPixels = maxPixels
        change(&options)
        return try ImageFile.open(PipedInput.path(path), options)
    }
}

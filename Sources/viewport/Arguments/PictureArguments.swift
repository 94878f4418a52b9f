#if CommandLine
import ArgumentParser
import Basics
import Batches
import Containers
import RenderCaching
import Resampling
import ViewportGeometry
import ViewportRendering
import Vips

/// Colors, format and name of the picture.
struct PictureArguments: ParsableArguments {
    @Option(
        help:
            "Rotate clockwise by any angle, after the EXIF orientation. Multiples of 90 rotate the image before --rect applies; other angles rotate the picture and enlarge its canvas."
    )
    var rotate: RotationArgument = RotationArgument(argument: "0")!

    @Flag(help: "Mirror left to right, before --rotate.")
    var flip = false

    @Option(
        name: .customLong("background"),
        help: "Color outside and behind the image: \(Color.forms) (default transparent).")
    var givenBackground: Color?

    @Option(help: "Kernel (default lanczos3 below zoom 1, cubic above, nearest from zoom 8).")
    var kernel: ResamplingKernel?

    @Flag(help: "Average pixels as light: fine bright details keep their brightness.")
    var linear = false

    @Option(
        name: .customLong("color"),
        help: "Convert colors to sRGB (the default) or Display P3, or keep them with their profile.")
    var givenColor: RenderOptions.ColorMode?

    @Option(
        name: .customLong("depth"),
        help: "Bits per sample: 8 (the default), 16, or keep for those of the image.")
    var givenDepth: DepthArgument?

    @Option(
        name: .customLong("format"),
        help: "Format (default: from the output name, else png); several with commas, from one decode.")
    var formats: FormatList?

    /// The format; the first of several.
    var format: PictureFormat? {
        get { formats?.formats.first }
        set { formats = newValue.flatMap { FormatList(argument: $0.rawValue) } }
    }

    @Option(
        name: [.customShort("Q"), .customShort("q"), .long], help: "Quality of jpg, webp and avif, 1 to 100.")
    var quality: Int?

    @Option(
        help:
            "Compression of png: fast takes less than half the time for larger files, small many times more.")
    var compression: PNGCompression?

    @Flag(help: "Copy a JPEG's compressed data without decoding it; --rect is extended to whole blocks.")
    var lossless = false

    @Option(
        defaultAsFlag: MetadataChoice.all, parsing: .next,
        help: "Keep EXIF, XMP and IPTC: all or none (default none; all with --lossless).")
    var keepMetadata: MetadataChoice?

    @Flag(help: "Keep the HDR gain map, cropped, scaled and turned with the picture: jpg only.")
    var keepGainMap = false

    @Option(
        name: .shortAndLong,
        help:
            "File, folder, or path with {id} {name} {stem} {ext} {dir} {size} {format}; - is standard output (default NAME.viewport.png; - for an image from standard input).",
        completion: .file())
    var output: String?

    @OptionGroup var overwriting: OverwriteArgument

    /// How outputs are named that have no name, and in what format they are then.
    enum NameRule: String, ExpressibleByArgument {
        /// "photo.viewport.png".
        case view
        /// "photo.viewport.jpg", in the format of the image.
        case edit
        /// "photo.webp", in a given format.
        case conversion
    }

    // Not for users: commands set it.
    @Option(help: .private)
    var nameRule = NameRule.view

    func validate() throws {
        try require("--quality", quality, in: 1...100, example: 85)
        for format in try resolvedFormats { try validate(format) }
    }

    private func validate(_ format: PictureFormat) throws {
        let isChanged =
            rotate.degrees != 0 || flip || (givenBackground?.alpha ?? 0) > 0 || kernel != nil || linear
            || quality != nil || compression != nil
        if lossless, format != .jpg || isChanged {
            throw ValidationError(
                "--lossless copies a JPEG unchanged: give a .jpg output and no option that changes pixels")
        }
        if compression != nil, format != .png {
            throw ValidationError("--compression is that of png: leave it out, or choose png")
        }
        if keepGainMap, lossless {
            throw ValidationError("--keep-gain-map encodes the map again: leave out --lossless")
        }
        if keepGainMap, format != .jpg {
            throw ValidationError("--keep-gain-map writes Ultra HDR, a kind of JPEG: choose jpg")
        }
        if givenColor == .p3, !format.hasProfile {
            throw ValidationError(
                "\(format.rawValue) has no color profile: choose another format, or leave out --color p3")
        }
        if givenDepth == .bits(16), !format.isDeep {
            throw ValidationError(
                "\(format.rawValue) holds 8 bits a sample: choose png or tif for --depth 16")
        }
    }

    /// Returns the format of `--format`, else of the output name, else PNG; the first of several.
    func resolvedFormat() throws -> PictureFormat { try resolvedFormats[0] }

    /// The formats of `--format`, else that of the output name, else PNG.
    ///
    /// - Throws: `ValidationError` if the output has an extension of another format.
    var resolvedFormats: [PictureFormat] {
        get throws {
            if let formats = formats?.formats, formats.count > 1 {
                if let output, !isFormatFree {
                    throw ValidationError(
                        "\(output): one name for \(formats.count) formats; give a folder, or {format} as the extension"
                    )
                }
                return formats
            }
            guard !isFormatFree else { return [format ?? (lossless ? .jpg : .png)] }
            return [try name(for: "picture").format]
        }
    }

    /// The paths of the outputs of a batch: those of `--output`, else names made from the inputs'.
    func template(for inputs: InputArguments, hasSizes: Bool) throws -> OutputTemplate {
        let formats = try resolvedFormats
        let ending =
            formats.count > 1
            ? "{format}" : format == nil && nameRule == .edit ? "{ext}" : formats[0].rawValue
        let name = inputs.place("{stem}") + (hasSizes ? "-{size}" : "")
        let word = hasSizes || nameRule == .conversion ? "" : ".viewport"
        return try OutputTemplate(
            output: output ?? (inputs.namesFiles ? "\(name)\(word).\(ending)" : nil), folder: "renders",
            name: "\(name).\(ending)")
    }

    /// Whether the name of the output is for any format, or there is none.
    private var isFormatFree: Bool { output.map(OutputName.isForAnyFormat) ?? true }

    /// Returns the output path and format: those of `--output`, else a name made from the input's.
    func name(for input: String) throws -> OutputName {
        // An image from standard input is written to standard output.
        let stem = OutputName.stem(of: input)
        return try OutputName(
            output ?? (PipedInput.isPiped(input) ? "-" : nil), asked: format.map { ($0, "--format") },
            default: nameRule == .conversion ? stem : "\(stem).viewport", inFolder: stem,
            usual: lossless ? .jpg : .png)
    }

    var turn: Orientation { Orientation(degrees: rotate.quarters ?? 0, mirrored: flip) ?? .up }

    /// Kernel, colors, background and depth.
    var rendering: RenderOptions {
        get throws {
            var options = RenderOptions()
            options.kernel = kernel
            options.isLinear = linear
            options.colorMode = givenColor ?? .srgb
            if case .bits(let bits) = givenDepth { options.depth = bits }
            options.background = try UserSettings.value(.background, option: givenBackground)
            return options
        }
    }

    /// The given options, for the report.
    var requested: [(String, JSONValue?)] {
        var members: [(String, JSONValue?)] = []
        if rotate.degrees != 0 { members.append(("rotate", .number(rotate.degrees))) }
        if flip { members.append(("flip", .bool(true))) }
        if let kernel { members.append(("kernel", .string(kernel.rawValue))) }
        if linear { members.append(("linear", .bool(true))) }
        if let color = givenColor, color != .srgb { members.append(("color", .string(color.rawValue))) }
        switch givenDepth {
        case nil, .bits(8): break
        case .bits(let bits): members.append(("depth", .int(bits)))
        case .keep: members.append(("depth", .string("keep")))
        }
        if let quality { members.append(("quality", .int(quality))) }
        if let compression { members.append(("compression", .string(compression.rawValue))) }
        return members
    }
}

/// The page of a file, and limits for damaged and untrusted files.
struct OpenArguments: ParsableArguments {
    @Option(
        name: .customLong("page"),
        help: "Page, frame or slide, from 0 (default 0).")
    var givenPage: Int?

    /// The page that is read.
    var page: Int { givenPage ?? 0 }

    @Flag(name: .customLong("no-orient"), help: "Ignore the EXIF orientation.")
    var isNotOriented = false

    @Option(help: "Refuse files with more pixels, before decoding them.")
    var maxPixels: Int?

    @Flag(help: "Show the existing part of a damaged file.")
    var allowDamaged = false

    // Its former name.
    @Flag(help: .hidden)
    var allowTruncated = false

    @Flag(help: Self.untrustedHelp)
    var allowUntrusted = false

    @Option(
        help: ArgumentHelp(
            "URLs: most seconds to connect, and without data (default 30).", valueName: "seconds"))
    var remoteTimeout: Double?

    @Option(help: ArgumentHelp("URLs: memory for received bytes (default 32M).", valueName: "size"))
    var remoteMemory: ByteCount?

    @Flag(help: "URLs: keep received bytes in a temporary file instead of memory.")
    var remoteOnDisk = false

    @Flag(name: .customLong("no-sidecar"), help: "URLs: do not look for a saved index beside the image.")
    var ignoresSidecars = false

    /// Help that lists the loaders of the installed libvips; other commands do not pay for finding them.
    static var untrustedHelp: ArgumentHelp {
        let untrusted = FileType.all.filter { $0.has(.untrusted) && ImageFormat($0) != .other }
        let known = untrusted.filter { $0.role == .document } + untrusted.filter { $0.role != .document }
        let there = HelpRequest.isMade ? known.filter { VipsLibrary.hasOperation($0.operation ?? "") } : known
        return ArgumentHelp(
            stringLiteral: "Use loaders that libvips does not trust: "
                + there.map { $0.title + ", " }.joined() + "and others.")
    }

    func validate() throws {
        try require("--page", page, in: 0..., example: 0)
        try require("--max-pixels", maxPixels, in: 1..., example: 100_000_000)
        try require("--remote-timeout", remoteTimeout, in: 1...86400, example: 60)
        try require(
            "--remote-memory", remoteMemory, in: ByteCount(argument: "1M")!...,
            example: ByteCount(argument: "128M")!)
    }

    /// Opens an image; "-" is standard input, and pipes are read to their end.
    ///
    /// - Parameter caches: the caches through which it is read.
    func open(
        _ path: String, through caches: @autoclosure () throws -> ImageCaches? = nil,
        _ change: (inout OpenOptions) -> Void = { _ in }
    ) throws -> ImageFile {
        var options = OpenOptions()
        options.page = page
        options.appliesOrientation = !isNotOriented
        options.allowsTruncated = allowDamaged || allowTruncated
        options.maximumPixels = maxPixels
        options.remote.timeout = remoteTimeout ?? options.remote.timeout
        options.remote.storeByteCount = remoteMemory?.bytes ?? options.remote.storeByteCount
        options.remote.storesOnDisk = remoteOnDisk
        options.remote.usesSidecars = !ignoresSidecars
        change(&options)
        let path = try PipedInput.path(path)
        return try withoutActuallyEscaping(caches) { caches in
            try ImageFile.open(
                path, OpenPolicy(options, allowsUntrusted: allowUntrusted, caches: caches))
        }
    }
}
#endif

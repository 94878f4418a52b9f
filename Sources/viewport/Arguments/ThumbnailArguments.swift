#if CommandLine
import ArgumentParser
import Basics
import Files
import Thumbnails
import ViewportRendering

/// Sizes, format and names of thumbnails.
struct ThumbnailArguments: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help:
            "W, WxH, Wx or xH, once per size; followed by ! exact, > only shrink, < only enlarge (default \(ThumbnailSize.usual))."
    )
    var size: [ThumbnailSize] = []

    @Option(help: "Part of the image that fills the box; with none, the image is fitted.")
    var crop: CropMode = .none

    @Option(help: "Format (default: from the output name, else jpg).")
    var format: PictureFormat?

    @Option(
        name: [.customShort("Q"), .customShort("q"), .long], help: "Quality of jpg, webp and avif, 1 to 100.")
    var quality: Int?

    @Option(
        help:
            "Compression of png: fast takes less than half the time for larger files, small many times more.")
    var compression: PNGCompression?

    @Option(help: "Convert colors to sRGB or Display P3, or keep them with their profile.")
    var color: ThumbnailRecipe.Color = .srgb

    @Option(help: "Frames or page: first, all (animated, webp only) or a number from 0.")
    var frames: ThumbnailRecipe.Frames = .first

    @Flag(help: "Average pixels as light: fine bright details keep their brightness.")
    var linear = false

    @Flag(help: "Enlarge smaller images.")
    var upscale = false

    @Option(
        defaultAsFlag: MetadataChoice.all, parsing: .next,
        help: "Keep EXIF, XMP and IPTC: all or none (default none).")
    var keepMetadata: MetadataChoice?

    @Flag(help: "Keep the HDR gain map, cropped and scaled with each thumbnail: jpg only.")
    var keepGainMap = false

    @Flag(help: "Add a ThumbHash to each result.")
    var placeholder = false

    @OptionGroup var looking: LookOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Path with {id} {name} {stem} {ext} {dir} {size} {width} {height} {format} (default "
                + "thumbnails/{dir}/{name}-{size}.jpg); - is standard output.", valueName: "template"),
        completion: .file())
    var output: String?

    @OptionGroup var overwriting: OverwriteArgument

    @Flag(
        help: "Write to the desktop's thumbnail cache, in sizes 128 and 256 (the default), 512 and 1024.")
    var freedesktop = false

    @Option(help: "Refuse files with more pixels, before decoding them.")
    var maxPixels: Int?

    @Flag(help: OpenArguments.untrustedHelp)
    var allowUntrusted = false

    func validate() throws {
        try require("--quality", quality, in: 1...100, example: 85)
        try require("--max-pixels", maxPixels, in: 1..., example: 100_000_000)
        try looking.check()
        if freedesktop { return try validateForCache() }
        if looking.look != nil { try validateLook() }
        if compression != nil, try resolvedFormat() != .png {
            throw ValidationError("--compression is that of png: leave it out, or choose png")
        }
        guard try resolvedFormat() != .tif else {
            throw ValidationError("thumbnails are written as jpg, png, webp or avif")
        }
        if keepGainMap, try resolvedFormat() != .jpg {
            throw ValidationError("--keep-gain-map writes Ultra HDR, a kind of JPEG: choose jpg")
        }
        let template = try resolvedTemplate()
        for (place, side) in [(OutputTemplate.Place.width, \ThumbnailSize.width), (.height, \.height)]
        where template.uses(place) && size.contains(where: { $0[keyPath: side] == nil }) {
            throw ValidationError("{\(place.rawValue)} needs sizes with a \(place.rawValue): use {size}")
        }
        guard TemplateStore(template, try recipe).naming?.tellsApart ?? true else {
            throw ValidationError("\(template.text): two sizes would get the same name; add {size}")
        }
    }

    private func validateLook() throws {
        for (name, isGiven) in [
            ("--crop", crop != .none), ("--frames all", frames == .all), ("--upscale", upscale),
            ("--keep-metadata", keepMetadata == .all), ("--keep-gain-map", keepGainMap),
        ] where isGiven {
            throw ValidationError("\(name) does not apply to --look: leave out one of them")
        }
        for size in size where size.width == nil || size.height == nil || size.rule != .fit {
            throw ValidationError(
                refusing: "\(size)", of: "--size", because: "a look fills its box", give: "W or WxH",
                example: "320x240")
        }
    }

    private func validateForCache() throws {
        if output != nil || overwriting.overwrite || keepMetadata == .all || keepGainMap || placeholder
            || upscale || linear || quality != nil || compression != nil
            || crop != .none || color != .srgb || frames != .first || format ?? .png != .png
            || looking.look != nil
        {
            throw ValidationError(
                "--freedesktop sets name and format of thumbnails: combine it only with --size")
        }
        if let other = size.first(where: { FreedesktopStore.Flavor($0) == nil }) {
            throw ValidationError("--freedesktop has sizes 128, 256, 512 and 1024, not \(other)")
        }
    }

    /// The given sizes without duplicates.
    private var sizes: [ThumbnailSize] {
        let usual = freedesktop ? FreedesktopStore.usualSizes : [.usual]
        let named = size.isEmpty ? usual : size
        return named.enumerated().filter { number, size in !named[..<number].contains(size) }.map(\.element)
    }

    private func resolvedFormat() throws -> PictureFormat {
        guard !freedesktop else { return format ?? .png }
        guard let output, output != "-", !OutputName.isForAnyFormat(output) else { return format ?? .jpg }
        return try OutputName.format(
            of: output, asked: format.map { ($0, "--format") }, from: ".jpg, .png, .webp, .avif"
        ) { PictureFormat(fileExtension: $0) }
    }

    func resolvedTemplate() throws -> OutputTemplate {
        try OutputTemplate(
            output: output, folder: "thumbnails", name: "{dir}/{name}-{size}.\(resolvedFormat().rawValue)")
    }

    /// Returns the path of a thumbnail outside of a batch: standard output unless `--output` is given.
    ///
    /// - Parameter thumbnail: nil to find out whether all thumbnails go to standard output.
    func path(ofPiped thumbnail: Thumbnail?) throws -> String {
        guard let output, output != "-" else { return "-" }
        let values: [OutputTemplate.Place: String] = [
            .id: "stdin", .name: "stdin", .stem: "stdin", .size: thumbnail.map { "\($0.size)" } ?? "",
            .width: thumbnail.map { "\($0.width)" } ?? "", .height: thumbnail.map { "\($0.height)" } ?? "",
            .format: try resolvedFormat().rawValue,
        ]
        return try resolvedTemplate().path { values[$0] ?? "" } ?? "-"
    }

    var recipe: ThumbnailRecipe {
        get throws {
            var recipe = ThumbnailRecipe(sizes: sizes, format: try resolvedFormat(), quality: quality)
            recipe.crop = crop
            recipe.compression = compression ?? .standard
            recipe.color = color
            recipe.frames = frames
            recipe.look = looking.given
            recipe.projection = looking.display.usedProjection
            recipe.assumesPanorama = looking.display.panorama
            recipe.isLinear = linear
            recipe.upscale = upscale
            recipe.makesPlaceholder = placeholder
            recipe.keepsMetadata = keepMetadata == .all
            recipe.keepsGainMap = keepGainMap
            recipe.allowsUntrusted = allowUntrusted
            recipe.maximumPixels = maxPixels
            return recipe
        }
    }

    /// - Parameter inputs: all input files.
    func store(
        retriesFailed: Bool, inputs: ListedFiles
    ) throws -> any ThumbnailStore {
        guard freedesktop else {
            return TemplateStore(
                try resolvedTemplate(), try recipe, replacesOthers: overwriting.overwrite, inputs: inputs)
        }
        let home = ProcessEnvironment.variable("HOME") ?? "."
        let cache = ProcessEnvironment.variable("XDG_CACHE_HOME").flatMap {
            FilePath($0).isAbsolute ? $0 : nil
        }
        return FreedesktopStore(
            "\(cache ?? "\(home)/.cache")/thumbnails", sizes.compactMap(FreedesktopStore.Flavor.init),
            program: "viewport-\(Version.number)", retriesFailed: retriesFailed)
    }
}

extension OutputTemplate {
    /// Creates the template that `--output` describes: a template, or a folder for files of the default name.
    ///
    /// - Parameter folder: The folder where the option is not given.
    init(output: String?, folder: String, name: String) throws {
        let text =
            switch output {
            case nil: "\(folder)/\(name)"
            case let folder? where OutputName.isFolder(folder):
                folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            case let template?: template
            }
        do throws(InvalidText) {
            try self.init(text)
        } catch {
            throw ValidationError("--output \(text): \(error)")
        }
    }
}
#endif

import ArgumentParser
import Files
import Thumbnails
import ViewportRendering

/// What the thumbnails are and where they go.
struct ThumbnailArguments: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help:
            "W, WxH, Wx or xH, for each size; ! exactly, > never larger, < never smaller (default 256).")
    var size: [ThumbnailSize] = []

    @Option(help: "What fills the box: none of it is cut off, or a part that is chosen.")
    var crop: CropMode = .none

    @Option(help: "Format (default: by the name of the output, else jpg).")
    var format: PictureFormat?

    @Option(name: [.customShort("Q"), .long], help: "Quality of jpg, webp and avif, 1 to 100.")
    var quality: Int?

    @Option(help: "Colors: to sRGB, to Display P3, or as they are with their profile.")
    var color: ThumbnailRecipe.Color = .srgb

    @Option(help: "first, all (as an animated webp) or a number from 0.")
    var frames: ThumbnailRecipe.Frames = .first

    @Flag(help: "Enlarge pictures that are smaller.")
    var upscale = false

    @Option(
        defaultAsFlag: MetadataChoice.all, parsing: .next,
        help: "EXIF, XMP and IPTC of the image: all or none (default: none).")
    var keepMetadata: MetadataChoice?

    @Flag(help: "Add a ThumbHash to each result.")
    var placeholder = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Where they go; {id} {name} {stem} {ext} {dir} {size} {width} {height} are filled in (default "
                + "thumbnails/{dir}/{name}-{size}.jpg); - is standard output.", valueName: "template"))
    var output: String?

    @OptionGroup var overwriting: OverwriteArgument

    @Flag(
        help: "Write to the thumbnail cache of the desktop: sizes 128, 256 (both by default), 512 and 1024.")
    var freedesktop = false

    @Option(help: "Refuse files of more pixels before decoding them.")
    var maxPixels: Int?

    @Flag(help: OpenArguments.untrustedHelp)
    var allowUntrusted = false

    func validate() throws {
        try require("--quality", quality, in: 1...100, example: 85)
        try require("--max-pixels", maxPixels, in: 1..., example: 100_000_000)
        if freedesktop { return try validateForCache() }
        guard try resolvedFormat() != .tif else {
            throw ValidationError("thumbnails are jpg, png, webp or avif")
        }
        let template = try resolvedTemplate()
        for (place, side) in [(OutputTemplate.Place.width, \ThumbnailSize.width), (.height, \.height)]
        where template.uses(place) && size.contains(where: { $0[keyPath: side] == nil }) {
            throw ValidationError("a size without \(place.rawValue) has no {\(place.rawValue)}: use {size}")
        }
        guard TemplateStore(template, try recipe).tellsSizesApart else {
            throw ValidationError("\(template.text): sizes would have the same name; add {size} to it")
        }
    }

    private func validateForCache() throws {
        if output != nil || overwriting.overwrite || keepMetadata == .all || placeholder || upscale
            || quality != nil
            || crop != .none || color != .srgb || frames != .first || format ?? .png != .png
        {
            throw ValidationError(
                "--freedesktop says where thumbnails go and what they are: give --size at most")
        }
        if let other = size.first(where: { FreedesktopStore.Flavor($0) == nil }) {
            throw ValidationError("--freedesktop has sizes 128, 256, 512 and 1024, not \(other)")
        }
    }

    /// The sizes that were named, once each.
    private var sizes: [ThumbnailSize] {
        let named = size.isEmpty ? (freedesktop ? [128, 256] : [256]).map { ThumbnailSize($0) } : size
        return named.enumerated().filter { number, size in !named[..<number].contains(size) }.map(\.element)
    }

    private func resolvedFormat() throws -> PictureFormat {
        guard !freedesktop else { return format ?? .png }
        guard let output, output != "-", !OutputName.isFolder(output) else { return format ?? .jpg }
        let named = OutputName.ending(of: output).flatMap(PictureFormat.init(fileExtension:))
        if let format, let named, format != named {
            throw ValidationError(
                "\(output): its ending says \(named.rawValue) and --format says \(format.rawValue); "
                    + "change one of them")
        }
        guard let format = format ?? named else {
            throw ValidationError(
                "\(output): its ending names no format: use .jpg, .png, .webp, .avif or --format")
        }
        return format
    }

    func resolvedTemplate() throws -> OutputTemplate {
        let name = "{dir}/{name}-{size}.\(try resolvedFormat().rawValue)"
        let text =
            switch output {
            case nil: "thumbnails/\(name)"
            case let folder? where OutputName.isFolder(folder):
                folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            case let template?: template
            }
        do throws(OutputTemplate.SyntaxError) {
            return try OutputTemplate(text)
        } catch {
            throw ValidationError("--output \(text): \(error)")
        }
    }

    /// Where a thumbnail goes that is not part of a batch: standard output unless --output names a place.
    ///
    /// - Parameter thumbnail: nil for a path that shows whether there is one place for all of them.
    func path(ofPiped thumbnail: Thumbnail?) throws -> String {
        guard let output, output != "-" else { return "-" }
        let values: [OutputTemplate.Place: String] = [
            .id: "stdin", .name: "stdin", .stem: "stdin", .size: thumbnail.map { "\($0.size)" } ?? "",
            .width: thumbnail.map { "\($0.width)" } ?? "", .height: thumbnail.map { "\($0.height)" } ?? "",
        ]
        return try resolvedTemplate().path { values[$0] ?? "" } ?? "-"
    }

    var recipe: ThumbnailRecipe {
        get throws {
            var recipe = ThumbnailRecipe(sizes: sizes, format: try resolvedFormat(), quality: quality)
            recipe.crop = crop
            recipe.color = color
            recipe.frames = frames
            recipe.upscale = upscale
            recipe.makesPlaceholder = placeholder
            recipe.keepsMetadata = keepMetadata == .all
            recipe.allowsUntrusted = allowUntrusted
            recipe.maximumPixels = maxPixels
            return recipe
        }
    }

    /// - Parameter inputs: all files that thumbnails are made of.
    func store(
        retriesFailed: Bool, inputs: @escaping @Sendable () -> Set<FileIdentity>
    ) throws -> any ThumbnailStore {
        guard freedesktop else {
            return TemplateStore(
                try resolvedTemplate(), try recipe, replacesOthers: overwriting.overwrite, inputs: inputs)
        }
        let home = ProcessEnvironment.variable("HOME") ?? "."
        let cache = ProcessEnvironment.variable("XDG_CACHE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        return FreedesktopStore(
            "\(cache ?? "\(home)/.cache")/thumbnails", sizes.compactMap(FreedesktopStore.Flavor.init),
            program: "viewport-\(ViewportCommand.configuration.version)", retriesFailed: retriesFailed)
    }
}

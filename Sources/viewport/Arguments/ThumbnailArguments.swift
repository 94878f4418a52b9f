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
            program: "viewport-\(Version.number)", retriesFailed: retriesFailed)
    }
}

/// Which files, which share of them, and what is done when some fail.
struct BatchArguments: ParsableArguments {
    @Argument(help: "Files, and with --recursive folders; - is a picture from standard input.")
    var paths: [String] = []

    @Flag(help: "Go into folders: all pictures and films in them that are not hidden.")
    var recursive = false

    @Option(
        help: ArgumentHelp(
            "A list instead: one {\"path\":…} a line, an \"id\" and other members as you like; - is standard input.",
            valueName: "file"))
    var manifest: String?

    @Option(help: ArgumentHelp("The folder that paths are seen from.", valueName: "folder"))
    var root = "."

    @Option(help: ArgumentHelp("Where the results go, one line of JSON an item.", valueName: "file"))
    var results: String?

    @Flag(help: "Print the results, as --manifest without --results does.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The share i of n, from 0; of a manifest also from VIEWPORT_SHARD, Slurm, Kubernetes or AWS Batch.",
            valueName: "i/n"))
    var shard: Shard?

    @Flag(help: "Leave out what stands in --results: made or failed, of the same file by the same recipe.")
    var resume = false

    @Flag(help: "Try again what is remembered as failed.")
    var retryFailed = false

    @Option(help: ArgumentHelp("End when more items than this have failed.", valueName: "n"))
    var maxErrors: Int?

    @Flag(help: "End when an item has failed.")
    var failFast = false

    @Option(help: "Files at once (default: the processors).")
    var jobs: Int?

    func validate() throws {
        if paths.isEmpty, manifest == nil { throw ValidationError("name files, or a list with --manifest") }
        if !paths.isEmpty, manifest != nil {
            throw ValidationError("--manifest and files exclude each other")
        }
        if recursive, manifest != nil {
            throw ValidationError("a manifest lists files: leave out --recursive")
        }
        if resume, results == nil { throw ValidationError("--resume needs the --results of the run before") }
        try require("--jobs", jobs, in: 1...1024, example: 4)
        try require("--max-errors", maxErrors, in: 0..., example: 10)
        _ = try resolvedShard()
    }

    /// The share that is named, else that of the environment; a file of the command line is always meant.
    func resolvedShard() throws -> Shard? {
        if let shard { return shard }
        guard manifest != nil else { return nil }
        do {
            return try Shard(environment: ProcessEnvironment.variable)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    var allowedFailures: Int? { failFast ? 0 : maxErrors }

    var pathRoot: BatchRoot { BatchRoot(root, isForManifest: manifest != nil) }

    /// Whether results go to standard output.
    var printsResults: Bool { results == nil && (json || manifest != nil) }

    func list(leavingOut folder: String?) throws -> BatchList {
        guard let manifest else {
            return BatchList(paths, isRecursive: recursive, leavingOut: folder, root: pathRoot)
        }
        return try BatchList(manifest: manifest, root: pathRoot)
    }

    /// Where results go; nil for nowhere.
    func log(_ recipe: ThumbnailRecipe, overwrites: Bool) throws -> ResultLog? {
        guard let results else {
            guard printsResults else { return nil }
            Interruption.takeClosedPipeAsError()
            return ResultLog()
        }
        let inputs = manifest.map { [$0] } ?? paths
        let output = ResultLog.output(results, inputs: inputs, overwrites: overwrites)
        guard resume else { return try ResultLog(output, pathRoot) }
        return try ResultLog(output, pathRoot) {
            $0.stands(recipe, pathRoot, retriesFailed: retryFailed)
        }
    }

    /// All files that thumbnails are made of; none where the list comes from a pipe.
    var allFiles: @Sendable () -> Set<FileIdentity> {
        let (manifest, paths, recursive, root) = (manifest, paths, recursive, pathRoot)
        return {
            guard manifest != "-",
                var list = try? manifest.map({ try BatchList(manifest: $0, root: root) })
                    ?? BatchList(paths, isRecursive: recursive, leavingOut: nil, root: root)
            else { return [] }
            return list.files()
        }
    }
}

#if CommandLine
import ArgumentParser
import PageComposition
import Thumbnails
import ViewportRendering

#if Library
import PhotoCatalog
#endif

/// Size, resolution, format and name of pages.
struct PageArguments: ParsableArguments {
    @Option(name: .shortAndLong, help: "Size of the page in points: WxH, or W for a square.")
    var size: SizeArgument

    @Option(help: "Pixels per point (default 1, for PDF 4).")
    var scale: ScaleArgument?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "File or folder to write; - is standard output (default NAME.viewport.png). With --manifest, a path with {id} {name} {stem} {ext} {dir} {size} {width} {height} (default pages/{dir}/{stem}.png).",
            valueName: "output"), completion: .file())
    var output: String?

    @Option(help: "Format: pdf or that of a picture (default: from the output name, else png).")
    var format: PageFormat?

    @Option(help: "Color of the paper: \(Color.forms).")
    var background: Color = .white

    @Option(
        name: [.customShort("Q"), .long], help: "Quality of jpg, webp, avif and of JPEGs in a PDF, 1 to 100.")
    var quality: Int?

    @Option(
        help:
            "Compression of png: fast takes less than half the time for larger files, small many times more.")
    var compression: PNGCompression?

    @Flag(help: "Store pictures in a PDF without loss.")
    var lossless = false

    @OptionGroup var overwriting: OverwriteArgument

    @Flag(
        help:
            "Print the layout as one line of JSON; without -o, render nothing. With --manifest, print the results."
    )
    var json = false

    @Option(help: "Refuse pictures with more pixels, before decoding them.")
    var maxPixels: Int?

    @Flag(help: OpenArguments.untrustedHelp)
    var allowUntrusted = false

    func validate() throws {
        try require("--quality", quality, in: 1...100, example: 85)
        try require("--max-pixels", maxPixels, in: 1..., example: 100_000_000)
        if size.both == nil {
            throw ValidationError(
                refusing: size.text, of: "--size", because: "one side is missing", give: "both sides",
                example: "320x480")
        }
        if let scale, scale.value > 100 {
            throw ValidationError(refusing: scale.value, of: "--scale", give: "at most 100", example: 2)
        }
        let isPDF = try resolvedFormat() == .pdf
        if compression != nil, try resolvedFormat() != .picture(.png) {
            throw ValidationError("--compression is that of png: leave it out, or choose png")
        }
        if lossless, !isPDF { throw ValidationError("--lossless needs a .pdf output") }
    }

    /// Whether a page is written, not only laid out.
    var isRendered: Bool { output != nil || format != nil || !json }

    func composer(isRendered: Bool = true) throws -> PageComposer {
        // A screen's resolution would be coarse on paper.
        let usual = try isRendered && resolvedFormat() == .pdf ? 4.0 : 1
        guard let points = size.both else { throw ValidationError("give --size both sides") }
        var composer = PageComposer(size: points, scale: scale?.value ?? usual)
        composer.opening.maximumPixels = maxPixels
        #if Library
        composer.placeName = { InstalledPlaces.names?.name(latitude: $0, longitude: $1) }
        #endif
        return composer
    }

    var encoding: PageEncoding {
        get throws {
            var encoding = PageEncoding(try resolvedFormat())
            encoding.background = background
            encoding.quality = quality
            encoding.compression = compression ?? .standard
            encoding.isLossless = lossless
            return encoding
        }
    }

    // MARK: Names

    /// Returns the format of `--format`, else of the output name, else PNG.
    func resolvedFormat() throws -> PageFormat {
        guard let output, output != "-", !OutputName.isFolder(output) else { return format ?? .picture(.png) }
        return try OutputName.format(
            of: output, asked: format.map { ($0, "--format") }, from: ".png, .jpg, .webp, .pdf"
        ) { PageFormat(argument: $0) }
    }

    func path(for layout: String) throws -> String {
        let name = "\(OutputName.stem(of: layout)).viewport.\(try resolvedFormat().fileExtension)"
        guard let output else { return name }
        guard output != "-", OutputName.isFolder(output) else { return output }
        return output.hasSuffix("/") ? output + name : "\(output)/\(name)"
    }

    var template: OutputTemplate {
        get throws {
            try OutputTemplate(
                output: output, folder: "pages", name: "{dir}/{stem}.\(resolvedFormat().fileExtension)")
        }
    }
}

#if Library
/// The towns that `viewport library places` installed.
private enum InstalledPlaces {
    /// Read when a page first names a place; a list that cannot be read counts as none.
    static let names = (try? TownFile.installed.names()) ?? nil
}
#endif

extension PageFormat: ExpressibleByArgument, Explained {
    package init?(argument: String) {
        if argument.lowercased() == "pdf" {
            self = .pdf
        } else if let format = PictureFormat(fileExtension: argument) {
            self = .picture(format)
        } else {
            return nil
        }
    }

    package var defaultValueDescription: String { fileExtension }

    static var defaultCompletionKind: CompletionKind {
        .list(["pdf"] + PictureFormat.allCases.map(\.rawValue))
    }

    static var understood: String { "pdf or " + PictureFormat.understood }
    static var example: String { "pdf" }
}
#endif

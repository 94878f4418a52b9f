import ArgumentParser
import ViewportRendering
import Vips

/// Which picture of a file is opened, and how far the file is trusted.
struct OpenArguments: ParsableArguments {
    @Option(help: "Page, frame or slide, counted from 0.")
    var page = 0

    @Flag(name: .customLong("no-orient"), help: "Leave the pixels as stored: ignore the orientation.")
    var isNotOriented = false

    @Option(help: "Refuse files of more pixels before decoding them.")
    var maxPixels: Int?

    @Flag(help: "Show what is there of a truncated file.")
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
        if allowUntrusted { try ImageFile.allowUntrustedLoaders() }
        var options = OpenOptions()
        options.page = page
        options.appliesOrientation = !isNotOriented
        options.allowsTruncated = allowTruncated
        options.maximumPixels = maxPixels
        change(&options)
        return try ImageFile.open(PipedInput.path(path), options)
    }
}

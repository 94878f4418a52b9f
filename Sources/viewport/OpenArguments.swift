import ArgumentParser
import ViewportRendering

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

    @Flag(
        help:
            "Use the loaders that libvips does not trust: SVG, PDF, JPEG 2000, JPEG XL, OpenSlide and others."
    )
    var allowUntrusted = false

    func validate() throws {
        if page < 0 { throw ValidationError("--page counts from 0") }
        if let maxPixels, maxPixels <= 0 { throw ValidationError("--max-pixels is a number above 0") }
    }

    /// Opens an image.
    func open(_ path: String, _ change: (inout OpenOptions) -> Void = { _ in }) throws -> ImageFile {
        if allowUntrusted { try ImageFile.allowUntrustedLoaders() }
        var options = OpenOptions()
        options.page = page
        options.appliesOrientation = !isNotOriented
        options.allowsTruncated = allowDamaged || allowTruncated
        options.maximumPixels = maxPixels
        change(&options)
        return try ImageFile.open(path, options)
    }
}

package import Containers
internal import Vips

/// A file format that is read in its own way.
public enum ImageFormat: String, Codable, Sendable {
    /// JPEG, baseline or progressive.
    case jpeg
    /// PNG.
    case png
    /// TIFF and BigTIFF.
    case tiff
    /// WebP.
    case webp
    /// HEIF, HEIC and AVIF.
    case heif
    /// GIF.
    case gif
    /// JPEG 2000.
    case jpeg2000 = "jp2"
    /// JPEG XL.
    case jpegXL = "jxl"
    /// SVG, which is drawn.
    case svg
    /// PDF, which is drawn.
    case pdf
    /// A microscope slide, read by OpenSlide.
    case openslide
    /// Any other format that libvips can load.
    case other

    /// Creates the format of a type of files.
    package init(_ type: FileType?) { self = type.flatMap { Self(rawValue: $0.name) } ?? .other }

    /// Creates the format of a libvips loader from the name of its type, such as "VipsForeignLoadJpegFile".
    package init(loader: String) { self.init(FileType.ofLoader(loader)) }

    /// Whether a loader draws at any resolution instead of decoding pixels.
    package var isDrawn: Bool { has(.drawn) }

    /// Whether the decoder holds the whole picture in memory, however small the requested part.
    package var isDecodedWhole: Bool { has(.decodedWhole) }

    /// Whether its type has a trait.
    package func has(_ trait: FileType.Traits) -> Bool { FileType.named(rawValue)?.has(trait) ?? false }
}

/// Formats whose loaders libvips does not trust with hostile files, detected by their first bytes.
enum UntrustedFormat {
    /// Returns the format of a file that the installed libvips could open if its untrusted loaders were allowed.
    ///
    /// The loaders themselves are not run on the bytes: some can be made to loop forever.
    static func name(_ bytes: FileBytes) -> String? {
        guard !VipsLibrary.allowsUntrustedLoaders, let type = FileType(bytes), type.has(.untrusted),
            let operation = type.operation, VipsLibrary.hasOperation(operation)
        else { return nil }
        return type.phrase
    }
}

internal import ImageMetadata
internal import Vips

/// A file format that is read in its own way.
public enum ImageFormat: String, Sendable {
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

    /// Creates the format of a libvips loader from the name of its type, such as "VipsForeignLoadJpegFile".
    init(loader: String) {
        let names: [(String, ImageFormat)] = [
            ("Jpeg", .jpeg), ("Png", .png), ("Tiff", .tiff), ("Webp", .webp), ("Heif", .heif),
            ("Nsgif", .gif),
            ("Jp2k", .jpeg2000), ("Jxl", .jpegXL), ("Svg", .svg), ("Pdf", .pdf), ("Openslide", .openslide),
        ]
        let name = loader.dropFirst("VipsForeignLoad".count)
        self = names.first { name.hasPrefix($0.0) }?.1 ?? .other
    }

    /// Whether a loader draws at any resolution instead of decoding pixels.
    var isDrawn: Bool { self == .svg || self == .pdf }

    /// Whether the decoder holds the whole picture in memory, however small the requested part.
    var isDecodedWhole: Bool { [.webp, .heif, .gif, .jpegXL].contains(self) }

    /// Whether the first 12 bytes are those of HEIF or AVIF.
    static func isHEIF(_ bytes: [UInt8]) -> Bool {
        let brands = ["heic", "heix", "heim", "heis", "mif1", "avif"].map { Array($0.utf8)[...] }
        return bytes.count >= 12 && bytes[4..<8] == Array("ftyp".utf8)[...] && brands.contains(bytes[8..<12])
    }

    /// Whether the first bytes are of a format that libvips reads without a plug-in.
    static func isBuiltIn(_ bytes: [UInt8]) -> Bool {
        let head = Array(bytes.prefix(12))
        let signatures: [[UInt8]] = [
            [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47], [0x49, 0x49, 0x2A, 0], [0x4D, 0x4D, 0, 0x2A],
            [0x49, 0x49, 0x2B, 0], [0x4D, 0x4D, 0, 0x2B], Array("GIF8".utf8),
        ]
        let isWebP = head.starts(with: Array("RIFF".utf8)) && head.suffix(4) == Array("WEBP".utf8)[...]
        return isWebP || signatures.contains { head.starts(with: $0) }
    }
}

/// Formats whose loaders libvips does not trust with hostile files, detected by their first bytes.
enum UntrustedFormat {
    /// Returns the format of a file that the installed libvips could open if its untrusted loaders were allowed.
    ///
    /// The loaders themselves are not run on the bytes: some can be made to loop forever.
    static func name(_ bytes: FileBytes) -> String? {
        guard !VipsLibrary.allowsUntrustedLoaders, let format = format(bytes),
            VipsLibrary.hasOperation(format.loader)
        else { return nil }
        return format.name
    }

    /// Returns the name of the format and the operation that reads it.
    private static func format(_ bytes: FileBytes) -> (name: String, loader: String)? {
        let head = (0..<min(bytes.count, 1024)).map { bytes[$0] }
        let text = String(decoding: head, as: UTF8.self)
        if text.contains("<svg") { return ("an SVG", "svgload") }
        if let match = signatures.first(where: { head.starts(with: $0.bytes) }) {
            return (match.name, match.loader)
        }
        if head.count > 2, head[0] == 0x50, (0x31...0x37).contains(head[1]) || head[1] | 0x20 == 0x66,
            head[2] <= 0x20
        {
            return ("a PNM picture", "ppmload")
        }
        return unsigned(head, bytes).map { ($0, "magickload") }
    }

    /// Detects formats with no signature or a short one: the whole header must be plausible.
    private static func unsigned(_ head: [UInt8], _ bytes: FileBytes) -> String? {
        guard head.count >= 18 else { return nil }
        if head[0] == 0x0A, head[1] <= 5, head[2] == 1, [1, 2, 4, 8].contains(head[3]) {
            return "a PCX picture"
        }
        if head[0] == 0, head[1] == 0, head[2] == 1 || head[2] == 2, head[3] == 0, head[4] > 0, head[5] == 0,
            head[9] == 0
        {
            return head[2] == 1 ? "an icon" : "a cursor"
        }
        let footer = bytes.count < 44 ? [] : ((bytes.count - 18)..<(bytes.count - 2)).map { bytes[$0] }
        if footer == Array("TRUEVISION-XFILE".utf8) { return "a TGA picture" }
        let isMapped = head[1] == 1
        let isTGA =
            head[1] <= 1 && [1, 2, 3, 9, 10, 11].contains(head[2]) && isMapped == [1, 9].contains(head[2])
            && [8, 15, 16, 24, 32].contains(head[16]) && head[12] | head[13] != 0 && head[14] | head[15] != 0
        return isTGA ? "a TGA picture" : nil
    }

    private static let signatures: [(name: String, loader: String, bytes: [UInt8])] = [
        ("a PDF", "pdfload", Array("%PDF".utf8)),
        ("JPEG 2000", "jp2kload", [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20]),
        ("JPEG 2000", "jp2kload", [0xFF, 0x4F, 0xFF, 0x51]),
        ("JPEG XL", "jxlload", [0xFF, 0x0A]), ("JPEG XL", "jxlload", [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20]),
        ("a compressed SVG", "svgload", [0x1F, 0x8B]),
        ("an OpenEXR file", "openexrload", [0x76, 0x2F, 0x31, 0x01]),
        ("a Radiance picture", "radload", Array("#?RADIANCE".utf8)),
        ("a Radiance picture", "radload", Array("#?RGBE".utf8)),
        ("a FITS file", "fitsload", Array("SIMPLE  =".utf8)),
        ("a libvips image", "vipsload", [0xB6, 0xA6, 0xF2, 0x08]),
        ("a libvips image", "vipsload", [0x08, 0xF2, 0xA6, 0xB6]),
        ("a MATLAB file", "matload", Array("MATLAB 5.0".utf8)),
        ("a Photoshop file", "magickload", Array("8BPS".utf8)),
        ("a bitmap", "magickload", [0x42, 0x4D]),
        ("a DirectDraw surface", "magickload", Array("DDS ".utf8)),
        ("an SGI picture", "magickload", [0x01, 0xDA]),
        ("an XPM picture", "magickload", Array("/* XPM */".utf8)),
        ("an XBM picture", "magickload", Array("#define ".utf8)),
        ("a Sun raster", "magickload", [0x59, 0xA6, 0x6A, 0x95]),
        ("a GIMP picture", "magickload", Array("gimp xcf".utf8)),
        ("an ImageMagick picture", "magickload", Array("id=ImageMagick".utf8)),
        ("a DPX film frame", "magickload", Array("SDPX".utf8)),
        ("a DPX film frame", "magickload", Array("XPDS".utf8)),
        ("an MNG picture", "magickload", [0x8A, 0x4D, 0x4E, 0x47]),
        ("a JNG picture", "magickload", [0x8B, 0x4A, 0x4E, 0x47]),
        ("a VICAR picture", "magickload", Array("LBLSIZE=".utf8)),
        ("a Khoros picture", "magickload", [0xAB, 0x01]),
    ]
}

/// What scans of folders take for pictures and videos.
package enum FolderScan {
    /// The file name extensions, in small letters.
    package static let extensions: Set<String> = [
        "jpg", "jpeg", "jpe", "jfif", "png", "apng", "gif", "webp", "avif", "heic", "heif", "hif", "tif",
        "tiff",
        "bmp", "ico", "svg", "svgz", "pdf", "jp2", "j2k", "jpx", "jxl", "ppm", "pgm", "pbm", "pnm", "pfm",
        "hdr",
        "exr", "psd", "tga", "fits", "fit", "v", "svs", "ndpi", "scn", "mrxs", "vms", "bif",
        "dng", "cr2", "cr3", "nef", "nrw", "arw", "srf", "sr2", "raf", "orf", "rw2", "pef", "srw", "x3f",
        "3fr",
        "mp4", "m4v", "mov", "avi", "mkv", "webm", "mts", "m2ts", "3gp", "mpg", "mpeg", "wmv",
    ]
}

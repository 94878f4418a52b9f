/// A file format, as far as reading it asks for a way of its own.
public enum ImageFormat: String, Sendable {
    case jpeg, png, tiff, webp, heif, gif
    case jpeg2000 = "jp2"
    case jpegXL = "jxl"
    case svg, pdf, openslide
    /// Any other that libvips has a loader for.
    case other

    /// The format of a libvips loader, by its type's name: "VipsForeignLoadJpegFile".
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

    /// Whether the decoder holds the whole picture in memory, however little of it is asked for.
    var isDecodedWhole: Bool { [.webp, .heif, .gif, .jpegXL].contains(self) }

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

    /// What the first bytes of a file look like, of the formats whose loaders libvips does not trust.
    static func untrustedName(_ head: [UInt8]) -> String? {
        let text = String(decoding: head, as: UTF8.self)
        if text.hasPrefix("%PDF") { return "a PDF" }
        if text.contains("<svg") { return "an SVG" }
        let signatures: [(String, [UInt8])] = [
            ("JPEG 2000", [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20]), ("JPEG 2000", [0xFF, 0x4F, 0xFF, 0x51]),
            ("JPEG XL", [0xFF, 0x0A]), ("JPEG XL", [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20]),
            ("a compressed SVG", [0x1F, 0x8B]), ("a Photoshop file", [0x38, 0x42, 0x50, 0x53]),
            ("a bitmap", [0x42, 0x4D]),
            ("an OpenEXR file", [0x76, 0x2F, 0x31, 0x01]), ("a Radiance picture", Array("#?RADIANCE".utf8)),
            ("a FITS file", Array("SIMPLE  =".utf8)), ("a DirectDraw surface", Array("DDS ".utf8)),
        ]
        if let name = signatures.first(where: { head.starts(with: $0.1) })?.0 { return name }
        let isNetpbm = head.count > 2 && head[0] == 0x50 && (0x31...0x37).contains(head[1]) && head[2] <= 0x20
        return isNetpbm ? "a PNM picture" : nil
    }
}

internal import Basics
internal import Containers
internal import Files
internal import ImageMetadata
internal import Pictures
internal import ViewportGeometry
internal import Vips

/// A kind of file that is whole, but that the installed libraries do not decode.
struct UnsupportedKind {
    /// What the file is, such as "a lossless JPEG".
    let phrase: String
    /// A program that decodes it.
    let converter: String

    private init(_ phrase: String, _ converter: String) {
        (self.phrase, self.converter) = (phrase, converter)
    }

    /// Returns the kind of a file that could not be decoded; nil for files of the usual kinds.
    init?(_ bytes: FileBytes) {
        let kind =
            switch FileType(bytes) {
            case .jpeg?: Self.jpeg(bytes)
            case .tiff?: Self.tiff(bytes)
            case .heif?, .avif?: Self.heif(bytes)
            default: nil as Self?
            }
        guard let kind else { return nil }
        self = kind
    }

    private static func jpeg(_ bytes: FileBytes) -> Self? {
        guard let frame = JPEGFrame(bytes) else { return nil }
        let converter = "djpeg of libjpeg-turbo 3"
        switch frame.marker {
        case 0xC3: return Self("a lossless JPEG", converter)
        case 0xC0...0xC2 where frame.precision != 8:
            return Self("a JPEG of \(frame.precision) bits per sample", converter)
        case 0xC5...0xC7, 0xCD...0xCF: return Self("a hierarchical JPEG", "the reference software of JPEG")
        case 0xCB: return Self("a lossless JPEG with arithmetic coding", "the reference software of JPEG")
        case 0xF7: return Self("a JPEG-LS", "ffmpeg")
        default: return nil
        }
    }

    private static func tiff(_ bytes: FileBytes) -> Self? {
        let names: [Int: String] = [
            33003: "JPEG 2000", 33004: "JPEG 2000", 33005: "JPEG 2000", 34712: "JPEG 2000", 34887: "LERC",
            34925: "LZMA", 50000: "Zstandard", 50001: "WebP", 50002: "JPEG XL", 52546: "JPEG XL",
        ]
        guard let compression = TIFFBlock(file: bytes).main?.int(0x0103), let name = names[compression]
        else { return nil }
        return Self("a TIFF compressed with \(name)", "gdal_translate -co COMPRESS=DEFLATE")
    }

    private static func heif(_ bytes: FileBytes) -> Self? {
        let names: [FourCC: String] = [
            "vvc1": "VVC", "evc1": "EVC", "avc1": "AVC", "j2k1": "JPEG 2000", "jpeg": "JPEG",
            "unci": "uncompressed samples", "lhv1": "layered HEVC",
        ]
        guard let items = HEIFItems(bytes), let primary = items.primary.flatMap({ items[$0] }) else {
            return ImageSequence(bytes).map { sequence in
                Self("a sequence of pictures in \(sequence.codingName) without a still one", "ffmpeg")
            }
        }
        if let property = items.unsupportedProperty(of: primary) {
            return Self("a HEIF picture with the property \"\(property)\"", "heif-dec of a newer libheif")
        }
        let coded = primary.references("dimg").first.flatMap { items[$0] } ?? primary
        guard let name = names[coded.type] else { return nil }
        return Self("a HEIF picture coded as \(name)", "heif-dec of a newer libheif")
    }
}

/// High-Throughput JPEG 2000, which some versions of OpenJPEG decode wrongly without an error.
extension UnsupportedKind {
    /// Returns the kind of a JPEG 2000 that the installed libvips makes gray; nil for all others.
    ///
    /// libvips reads pictures without tiles in parts of 512 pixels, and OpenJPEG 2.5.0 does not decode such parts.
    static func wronglyDecoded(_ bytes: FileBytes) -> Self? {
        guard let start = codestream(in: bytes), isHighThroughput(bytes, start) else { return nil }
        let numbers = (0..<6).compactMap { bytes.uint32(at: start + 8 + 4 * $0) }
        guard numbers.count == 6 else { return nil }
        let (width, height) = (numbers[0] - numbers[2], numbers[1] - numbers[3])
        guard max(width, height) > 512, numbers[4] >= width, numbers[5] >= height, !decodesHighThroughput
        else { return nil }
        return Self("a High-Throughput JPEG 2000 without tiles", "opj_decompress of OpenJPEG 2.5.1 or later")
    }

    /// Returns where the codestream begins: at once, or in a box.
    private static func codestream(in bytes: FileBytes) -> Int? {
        if bytes.isCodestream { return 0 }
        let box = (try? BoxList.first("jp2c", in: 0..<bytes.count, of: bytes)) ?? nil
        return box.flatMap { bytes.extracting($0).isCodestream ? $0.lowerBound : nil }
    }

    /// Whether the marker CAP of the header states part 15 of the standard.
    private static func isHighThroughput(_ bytes: FileBytes, _ start: Int) -> Bool {
        var at = start + 2
        while let marker = bytes.uint16(at: at), marker != 0xFF90, let length = bytes.uint16(at: at + 2) {
            if marker == 0xFF50 { return bytes.uint32(at: at + 4).map { $0 & 0x2_0000 != 0 } ?? false }
            at += 2 + length
        }
        return false
    }

    /// Whether the installed libvips decodes a black line of 520 pixels right.
    private static let decodesHighThroughput: Bool = {
        let bytes = [UInt8](hexadecimal: blackLine.filter { !$0.isNewline }) ?? []
        let line = try? VipsImage.load(bytes: bytes, with: "VipsForeignLoadJp2kBuffer").pixels()
            .copied()
        return line?.first == 0
    }()

    /// The line in hexadecimal digits.
    private static let blackLine = """
        ff4fff510029400000000208000000010000000000000000000002080000000100000000000000000001070101ff5000
        08000200000002ff52000c00020001000504044001ff5c00132048505050505050505050505050484848ff6400170001
        4f70656e4a50482056657220302e32362e332eff90000a0000000000370001ff93c02e84ff7fff7fff7fff7fff7fff7f
        ff7fff7f0087a0001ad00006b40001ad00006a31010000000000ffd9
        """
}

/// What a file is, by its first bytes: enough to keep files of one kind from being replaced by another.
package enum OutputKind: String, Sendable {
    case png = "a PNG picture"
    case jpeg = "a JPEG picture"
    case webp = "a WebP picture"
    case gif = "a GIF picture"
    case heif = "an AVIF or HEIF picture"
    case tiff = "a TIFF picture"
    case jp2 = "a JPEG 2000 picture"
    case movie = "an MP4 or QuickTime film"
    case matroska = "a Matroska or WebM film"
    case zip = "a ZIP archive"
    case xml = "an XML file"
    case lines = "a file of JSON"
    case other = "a file of another kind"

    /// Source: the formats' specifications; ISO/IEC 14496-12 for brands.
    init(_ head: [UInt8]) {
        func name(_ start: Int) -> String { String(decoding: head.dropFirst(start).prefix(4), as: UTF8.self) }
        let text = head.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        self =
            switch head.first {
            case 0x89 where head.starts(with: [0x89, 0x50, 0x4E, 0x47]): .png
            case 0xFF where head.starts(with: [0xFF, 0xD8, 0xFF]): .jpeg
            case _ where name(0) == "RIFF" && name(8) == "WEBP": .webp
            case _ where name(0) == "GIF8": .gif
            case _ where ["II*\0", "MM\0*", "II+\0", "MM\0+"].contains(name(0)): .tiff
            case _ where name(4) == "ftyp": Self.pictureBrands.contains(name(8)) ? .heif : .movie
            case _ where ["moov", "mdat", "wide"].contains(name(4)): .movie
            case _ where name(4) == "jP  " || head.starts(with: [0xFF, 0x4F, 0xFF, 0x51]): .jp2
            case _ where head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]): .matroska
            case _ where head.starts(with: [0x50, 0x4B, 3, 4]) || head.starts(with: [0x50, 0x4B, 5, 6]): .zip
            case _ where text.first == UInt8(ascii: "<"): .xml
            case _ where text.first == UInt8(ascii: "{"): .lines
            default: .other
            }
    }

    private static let pictureBrands: Set = [
        "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "mif2", "msf1", "miaf",
        "avif", "avis", "avio", "MA1A", "MA1B",
    ]
}

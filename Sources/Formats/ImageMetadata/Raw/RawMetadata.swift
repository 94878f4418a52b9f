internal import Basics
package import Containers
internal import Files

/// EXIF, XMP and IPTC of a raw file in the form in which other files contain them.
///
/// EXIF is a new block with the tags that describe the picture: those of the sensor's data and maker notes, whose
/// offsets count from the start of the raw file, are left out.
package struct RawMetadata {
    /// A block from the byte-order mark on; nil where the metadata is that of the embedded JPEG.
    package private(set) var exif: [UInt8]?
    package private(set) var xmp: [UInt8]?
    package private(set) var iptc: [UInt8]?

    package init(_ bytes: FileBytes, _ format: FileFormat) {
        switch format {
        case .raf: break
        case .cr3:
            // What cannot be read is missing: the check of the file reports it.
            try? readCR3(bytes)
        default:
            guard let main = TIFFBlock(file: bytes).main else { return }
            exif = Self.exif(main, details: main.directory(0x8769), position: main.directory(0x8825))
            xmp = main.bytes(0x02BC)?.array
            iptc = main.bytes(0x83BB)?.array
        }
    }

    private mutating func readCR3(_ bytes: FileBytes) throws(FileError) {
        guard let movie = try BoxList.first("moov", in: 0..<bytes.count, of: bytes),
            let canon = try BoxList.first("uuid", in: movie, of: bytes), canon.count > 16
        else { return }
        let inner = (canon.lowerBound + 16)..<canon.upperBound
        func directory(_ name: FourCC) throws(FileError) -> TIFFDirectory? {
            try BoxList.first(name, in: inner, of: bytes).flatMap { bytes.slice($0) }.flatMap {
                TIFFBlock($0)
            }?
            .main
        }
        guard let main = try directory("CMT1") else { return }
        exif = try Self.exif(main, details: directory("CMT2"), position: directory("CMT4"))
    }

    /// Returns a block of three directories, each of which may lie in another file.
    private static func exif(
        _ main: TIFFDirectory, details: TIFFDirectory?, position: TIFFDirectory?
    ) -> [UInt8]? {
        // Directories in another byte order would have to be converted; no camera writes them.
        let below = [(0x8769, details), (0x8825, position)].compactMap { tag, directory in
            directory.flatMap {
                $0.order == main.order ? (tag: tag, values: $0.values.filter(isKept)) : nil
            }
        }
        return block(main.order, main.values.filter { described.contains($0.tag) }, below)
    }

    /// Returns a block of a directory and others that it refers to; nil without any.
    static func block(
        _ order: ByteOrder, _ tags: [TIFFValue], _ below: [(tag: Int, values: [TIFFValue])]
    ) -> [UInt8]? {
        tags.isEmpty && below.isEmpty ? nil : TIFFWriter(order).block(tags, below)
    }

    /// The tags of IFD0 about the picture, the camera and the author.
    static let described: Set<Int> = [
        0x010E, 0x010F, 0x0110, 0x0112, 0x011A, 0x011B, 0x0128, 0x0131, 0x0132, 0x013B, 0x4746, 0x4749,
        0x8298, 0x9C9B, 0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F,
    ]

    /// Whether a tag of the other directories keeps its meaning: all but maker notes, pointers and unusual lengths.
    private static func isKept(_ entry: TIFFValue) -> Bool {
        ![0x927C, 0xA005].contains(entry.tag) && entry.bytes.count <= 4096
    }
}

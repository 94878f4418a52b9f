internal import Basics

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
        case .cr3: readCR3(bytes)
        default:
            guard let main = TIFFBlock(file: bytes).main else { return }
            exif = Self.exif(main, details: main.directory(0x8769), position: main.directory(0x8825))
            xmp = main.bytes(0x02BC)?.array
            iptc = main.bytes(0x83BB)?.array
        }
    }

    private mutating func readCR3(_ bytes: FileBytes) {
        guard let movie = BoxList.first("moov", in: 0..<bytes.count, of: bytes),
            let canon = BoxList.first("uuid", in: movie, of: bytes), canon.count > 16
        else { return }
        let inner = (canon.lowerBound + 16)..<canon.upperBound
        func directory(_ name: BoxType) -> TIFFDirectory? {
            BoxList.first(name, in: inner, of: bytes).flatMap { bytes.slice($0) }.flatMap(TIFFBlock.init)?
                .main
        }
        guard let main = directory("CMT1") else { return }
        exif = Self.exif(main, details: directory("CMT2"), position: directory("CMT4"))
    }

    /// Returns a block of three directories, each of which may lie in another file.
    private static func exif(
        _ main: TIFFDirectory, details: TIFFDirectory?, position: TIFFDirectory?
    ) -> [UInt8]? {
        // Directories in another byte order would have to be converted; no camera writes them.
        let below = [(0x8769, details), (0x8825, position)].compactMap { tag, directory in
            directory.flatMap {
                $0.order == main.order ? (tag: tag, entries: $0.entries.filter(isKept)) : nil
            }
        }
        return block(main.order, main.entries.filter { described.contains($0.tag) }, below)
    }

    /// Returns a block of a directory and others that it refers to.
    static func block(
        _ order: ByteOrder, _ tags: [TIFFDirectory.RawEntry],
        _ below: [(tag: Int, entries: [TIFFDirectory.RawEntry])]
    ) -> [UInt8]? {
        guard !tags.isEmpty || !below.isEmpty else { return nil }
        var writer = ByteWriter(order, Array((order == .big ? "MM" : "II").utf8))
        writer.append(42, size: 2)
        writer.append(8, size: 4)
        let start = writer.bytes.count
        // The places of the directories: first all of them, then the values.
        var offset = start + 6 + 12 * (tags.count + below.count)
        var pointers: [(tag: Int, offset: Int)] = []
        for directory in below {
            pointers.append((directory.tag, offset))
            offset += 6 + 12 * directory.entries.count
        }
        var values: [UInt8] = []
        write(tags, pointers, to: &writer, &values, from: offset)
        for directory in below { write(directory.entries, [], to: &writer, &values, from: offset) }
        writer.append(contentsOf: values)
        return writer.bytes
    }

    /// Writes a directory, and appends the values that need more than four bytes to those that follow all directories.
    private static func write(
        _ entries: [TIFFDirectory.RawEntry], _ pointers: [(tag: Int, offset: Int)],
        to writer: inout ByteWriter, _ values: inout [UInt8], from start: Int
    ) {
        writer.append(entries.count + pointers.count, size: 2)
        var rest = pointers[...]
        func writePointers(before tag: Int) {
            while let pointer = rest.first, pointer.tag < tag {
                writer.append(pointer.tag, size: 2)
                writer.append(4, size: 2)
                writer.append(1, size: 4)
                writer.append(pointer.offset, size: 4)
                rest = rest.dropFirst()
            }
        }
        for entry in entries {
            writePointers(before: entry.tag)
            writer.append(entry.tag, size: 2)
            writer.append(entry.type, size: 2)
            writer.append(entry.count, size: 4)
            if entry.value.count > 4 {
                writer.append(start + values.count, size: 4)
                values += entry.value + [UInt8](repeating: 0, count: entry.value.count & 1)
            } else {
                writer.append(contentsOf: entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count))
            }
        }
        writePointers(before: .max)
        writer.append(0, size: 4)
    }

    /// The tags of IFD0 about the picture, the camera and the author.
    static let described: Set<Int> = [
        0x010E, 0x010F, 0x0110, 0x0112, 0x011A, 0x011B, 0x0128, 0x0131, 0x0132, 0x013B, 0x4746, 0x4749,
        0x8298, 0x9C9B, 0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F,
    ]

    /// Whether a tag of the other directories keeps its meaning: all but maker notes, pointers and unusual lengths.
    private static func isKept(_ entry: TIFFDirectory.RawEntry) -> Bool {
        ![0x927C, 0xA005].contains(entry.tag) && entry.value.count <= 4096
    }
}

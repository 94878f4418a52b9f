internal import Basics
internal import Containers

/// EXIF blocks that are made of the directories of other files.
extension MetadataBlocks {
    /// Returns a block of three directories, each of which may lie in another file.
    ///
    /// TIFF/EP has the tags of the shot in the first directory: they move to that of EXIF.
    static func exif(
        _ main: TIFFDirectory, _ details: TIFFDirectory?, _ position: TIFFDirectory?
    ) -> [UInt8]? {
        // Directories in another byte order would have to be converted; no camera writes them.
        func kept(_ directory: TIFFDirectory?) -> [TIFFValue] {
            directory.map { $0.order == main.order ? $0.values.filter(isKept) : [] } ?? []
        }
        var shot = kept(details)
        shot += main.values.filter { value in
            Self.shot.contains { $0.contains(value.tag) } && !shot.contains { $0.tag == value.tag }
        }
        let below = [
            (tag: 0x8769, values: shot.sorted { $0.tag < $1.tag }), (tag: 0x8825, values: kept(position)),
        ]
        return block(
            main.order, main.values.filter { described.contains($0.tag) },
            below.filter { !$0.values.isEmpty })
    }

    /// The tags of TIFF/EP that are EXIF's, too.
    private static let shot: [ClosedRange<Int>] = [
        0x829A...0x829A, 0x829D...0x829D, 0x8822...0x8822, 0x8827...0x8827, 0x9003...0x9004, 0x9010...0x9012,
        0x9201...0x920A, 0x9290...0x9292, 0xA430...0xA435,
    ]

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

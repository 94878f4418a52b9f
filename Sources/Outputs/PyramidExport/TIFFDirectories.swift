internal import Basics
internal import Containers
internal import ImageMetadata
internal import TilePyramid

/// The header and the directories of a TIFF with all levels of a pyramid, which its tiles follow.
///
/// It is a cloud-optimized GeoTIFF: all directories are in front, then come the offsets and sizes of tiles, then the tiles,
/// those of the smallest level first. A reader of a part needs the first kilobytes, and the tiles that it shows.
/// Source: TIFF 6.0; BigTIFF; Adobe's Photoshop TIFF technical notes (new JPEG compression, 7); OGC 21-026; GDAL, "COG --
/// Cloud Optimized GeoTIFF generator".
struct TIFFDirectories: Sendable {
    let pyramid: TiledPyramid
    /// The format of the tiles of full resolution.
    let full: TIFFTileFormat
    /// The format of the tiles of the other levels.
    let reduced: TIFFTileFormat
    /// What the file says of the image.
    var statements = TIFFStatements()
    /// The color profile, if any.
    var profile: [UInt8]?

    /// The levels in the order of their tiles in the file.
    var order: ReversedCollection<Range<Int>> { pyramid.levels.indices.reversed() }

    /// What GDAL finds behind the header, and by which it reads tiles without the arrays of their offsets and sizes.
    private var layoutText: [UInt8] {
        guard statements.framesTiles else { return [] }
        // The space has room for another last word.
        let lines = """
            LAYOUT=IFDS_BEFORE_DATA
            BLOCK_ORDER=ROW_MAJOR
            BLOCK_LEADER=SIZE_AS_UINT4
            BLOCK_TRAILER=LAST_4_BYTES_REPEATED
            KNOWN_INCOMPATIBLE_EDITION=NO
            \u{20}
            """
        let text = Array("GDAL_STRUCTURAL_METADATA_SIZE=000\(lines.utf8.count) bytes\n\(lines)".utf8)
        // Directories begin at even offsets.
        return text + [UInt8](repeating: 0, count: text.count & 1)
    }

    /// Returns a tile as it is stored.
    func framed(_ tile: [UInt8]) -> [UInt8] {
        statements.framesTiles ? UInt32(tile.count).bytes(.little) + tile + tile.suffix(4) : tile
    }

    /// The bytes before and behind a tile.
    private var frame: (before: Int, both: Int) { statements.framesTiles ? (4, 8) : (0, 0) }

    /// Returns the bytes of a file before its first tile.
    ///
    /// - Parameter counts: The size of each tile in bytes, level by level and row by row, without its frame.
    func bytes(_ counts: [[Int]]) -> [UInt8] {
        // Offsets have 4 bytes as long as the file is small enough.
        let (small, smallEnd) = bytes(counts, isBig: false)
        return smallEnd <= Int(UInt32.max) ? small : bytes(counts, isBig: true).bytes
    }

    /// Returns the bytes, and the offset of the end of the tiles that follow.
    private func bytes(_ counts: [[Int]], isBig: Bool) -> (bytes: [UInt8], end: Int) {
        let writer = TIFFWriter(.little, isBig: isBig)
        let text = layoutText
        // Their size does not depend on the offsets that they contain.
        var (start, arraysStart, end) = (0, 0, 0)
        var bytes: [UInt8] = []
        for _ in 0..<2 {
            end = start
            var offsets: [[Int]] = counts.map { _ in [] }
            for level in order {
                offsets[level] = counts[level].map { count in
                    defer { end += count + frame.both }
                    return end + frame.before
                }
            }
            bytes = writer.header(before: text.count) + text
            var arrays: [UInt8] = []
            for (level, counts) in counts.enumerated() {
                let tags = entries(level, offsets[level], counts, isBig)
                var places: [Int: Int] = [:]
                for tag in tags where Self.arrays.contains(tag.tag) && writer.isApart(tag) {
                    places[tag.tag] = arraysStart + arrays.count
                    arrays += tag.bytes
                }
                var values: [UInt8] = []
                bytes += writer.directory(
                    tags, values: &values, from: bytes.count + writer.size(of: tags.count),
                    isFollowed: level < pyramid.levels.count - 1, places: places)
                bytes += values
            }
            arraysStart = bytes.count
            bytes += arrays
            start = bytes.count
        }
        return (bytes, end)
    }

    /// The tags whose values follow all directories: those of large images are longer than everything else.
    private static let arrays = [324, 325]

    private func entries(
        _ level: Int, _ offsets: [Int], _ counts: [Int], _ isBig: Bool
    ) -> [TIFFValue] {
        func tag(_ tag: Int, _ type: Int, _ values: [Int]) -> TIFFValue {
            TIFFValue(tag: tag, type: type, values, .little)
        }
        let size = pyramid.levels[level].size
        let side = pyramid.full.tileSize
        var entries = (level == 0 ? full : reduced).entries
        entries += [
            tag(254, 4, [level > 0 ? 1 : 0]), tag(256, 4, [size.width]), tag(257, 4, [size.height]),
            tag(322, 4, [side]), tag(323, 4, [side]), tag(324, isBig ? 16 : 4, offsets), tag(325, 4, counts),
        ]
        if let profile {
            entries.append(TIFFValue(tag: 34675, type: 7, count: profile.count, bytes: profile))
        }
        let share = 1 / Double(1 << level)
        if let resolution = statements.resolution?.scaled(across: share, down: share) {
            let (across, down, unit) = resolution.tiff
            entries += [
                tag(282, 5, [across.0, across.1]), tag(283, 5, [down.0, down.1]), tag(296, 3, [unit]),
            ]
        }
        let geography = statements.geography
        // Readers compute the places of smaller levels.
        entries += (level == 0 ? geography?.values : geography?.noDataValues) ?? []
        if level == 0, let xmp = statements.xmp {
            entries.append(TIFFValue(tag: 700, type: 1, count: xmp.count, bytes: xmp))
        }
        return entries.sorted { $0.tag < $1.tag }
    }
}

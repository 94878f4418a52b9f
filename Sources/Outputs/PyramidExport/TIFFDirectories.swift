internal import Basics
internal import TilePyramid

/// The header and the directories of a TIFF with all levels of a pyramid, which its tiles follow.
///
/// Source: TIFF 6.0; BigTIFF; Adobe's Photoshop TIFF technical notes (new JPEG compression, 7).
struct TIFFDirectories: Sendable {
    let pyramid: TiledPyramid
    /// The format of the tiles of full resolution.
    let full: TIFFTileFormat
    /// The format of the tiles of the other levels.
    let reduced: TIFFTileFormat
    /// The color profile, if any.
    var profile: [UInt8]?

    /// Returns the bytes of a file before its first tile.
    ///
    /// - Parameter counts: The size of each tile in bytes, level by level and row by row, the order of the file.
    func bytes(_ counts: [[Int]]) -> [UInt8] {
        // Offsets have 4 bytes as long as the file is small enough.
        let (small, smallEnd) = bytes(counts, isBig: false)
        return smallEnd <= Int(UInt32.max) ? small : bytes(counts, isBig: true).bytes
    }

    /// Returns the bytes, and the offset of the end of the tiles that follow.
    private func bytes(_ counts: [[Int]], isBig: Bool) -> (bytes: [UInt8], end: Int) {
        // Their size does not depend on the offsets that they contain.
        var start = 0
        var bytes: [UInt8] = []
        for _ in 0..<2 {
            bytes = Self.header(isBig: isBig)
            var offset = start
            for (level, counts) in counts.enumerated() {
                let offsets = counts.map { count in
                    defer { offset += count }
                    return offset
                }
                bytes += Self.directory(
                    entries(level, offsets, counts, isBig), at: bytes.count,
                    isLast: level == pyramid.levels.count - 1, isBig)
            }
            start = bytes.count
        }
        return (bytes, start + counts.joined().reduce(0, +))
    }

    /// The bytes before the first directory, which they point to.
    private static func header(isBig: Bool) -> [UInt8] {
        var writer = ByteWriter(.little, Array("II".utf8))
        writer.append(isBig ? 43 : 42, size: 2)
        // BigTIFF: offsets of 8 bytes.
        if isBig { writer.append(8, size: 4) }
        writer.append(isBig ? 16 : 8, size: isBig ? 8 : 4)
        return writer.bytes
    }

    private func entries(
        _ level: Int, _ offsets: [Int], _ counts: [Int], _ isBig: Bool
    ) -> [TIFFTileFormat.Entry] {
        let size = pyramid.levels[level].size
        let side = pyramid.full.tileSize
        var entries = (level == 0 ? full : reduced).entries
        entries += [
            .init(tag: 254, type: 4, values: [level > 0 ? 1 : 0]),
            .init(tag: 256, type: 4, values: [size.width]), .init(tag: 257, type: 4, values: [size.height]),
            .init(tag: 322, type: 4, values: [side]), .init(tag: 323, type: 4, values: [side]),
            .init(tag: 324, type: isBig ? 16 : 4, values: offsets), .init(tag: 325, type: 4, values: counts),
        ]
        if let profile { entries.append(.init(tag: 34675, type: 7, values: profile.map(Int.init))) }
        return entries.sorted { $0.tag < $1.tag }
    }

    /// Returns a directory, followed by the values that do not fit into its entries.
    private static func directory(
        _ entries: [TIFFTileFormat.Entry], at start: Int, isLast: Bool, _ isBig: Bool
    ) -> [UInt8] {
        let word = isBig ? 8 : 4
        let countBytes = isBig ? 8 : 2
        let end = start + countBytes + entries.count * (4 + 2 * word) + word
        var body = ByteWriter(.little)
        var data = ByteWriter(.little)
        body.append(entries.count, size: countBytes)
        for entry in entries {
            body.append(entry.tag, size: 2)
            body.append(entry.type, size: 2)
            body.append(entry.count, size: word)
            let size = entry.values.count * entry.width
            if size > word {
                body.append(end + data.bytes.count, size: word)
                for value in entry.values { data.append(value, size: entry.width) }
                // Values begin at even offsets.
                data.append(0, size: size % 2)
            } else {
                for value in entry.values { body.append(value, size: entry.width) }
                body.append(0, size: word - size)
            }
        }
        body.append(isLast ? 0 : end + data.bytes.count, size: word)
        return body.bytes + data.bytes
    }
}

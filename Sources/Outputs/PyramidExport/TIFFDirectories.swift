internal import Basics
internal import Containers
internal import ImageMetadata
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
    /// A packet of XMP about the image, if any.
    var xmp: [UInt8]?
    /// The resolution of full resolution, if known.
    var resolution: Resolution?

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
        let writer = TIFFWriter(.little, isBig: isBig)
        // Their size does not depend on the offsets that they contain.
        var start = 0
        var bytes: [UInt8] = []
        for _ in 0..<2 {
            bytes = writer.header
            var offset = start
            for (level, counts) in counts.enumerated() {
                let offsets = counts.map { count in
                    defer { offset += count }
                    return offset
                }
                let tags = entries(level, offsets, counts, isBig)
                var values: [UInt8] = []
                bytes += writer.directory(
                    tags, values: &values, from: bytes.count + writer.size(of: tags.count),
                    isFollowed: level < pyramid.levels.count - 1)
                bytes += values
            }
            start = bytes.count
        }
        return (bytes, start + counts.joined().reduce(0, +))
    }

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
        if let resolution = resolution?.scaled(across: 1 / Double(1 << level), down: 1 / Double(1 << level)) {
            let (across, down, unit) = resolution.tiff
            entries += [
                tag(282, 5, [across.0, across.1]), tag(283, 5, [down.0, down.1]), tag(296, 3, [unit]),
            ]
        }
        if level == 0, let xmp { entries.append(TIFFValue(tag: 700, type: 1, count: xmp.count, bytes: xmp)) }
        return entries.sorted { $0.tag < $1.tag }
    }
}

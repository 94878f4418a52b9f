internal import Basics
internal import Files
internal import JPEGCoding
internal import PNGEncoding
internal import Synchronization
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

/// Writes a TIFF of the tiles of all levels, which arrive from several threads in any order.
///
/// Tiles are collected in a temporary file, so the bytes of the TIFF do not depend on the timing of threads or the
/// orientation, and directories precede tiles. Source: TIFF 6.0; BigTIFF; Adobe's Photoshop TIFF technical notes
/// (new JPEG compression, 7).
final class TIFFPyramidFile: Sendable {
    private struct State {
        let file: RowFile
        var end = 0
        var ranges: [[Range<Int>]]
    }

    private let state: Mutex<State>
    private let path: String
    private let pyramid: TiledPyramid
    private let codec: TIFFTileCodec

    init(_ path: String, _ pyramid: TiledPyramid, _ codec: TIFFTileCodec) throws(FileError) {
        self.path = path
        self.pyramid = pyramid
        self.codec = codec
        let ranges = pyramid.levels.map { [Range<Int>](repeating: 0..<0, count: $0.count) }
        state = Mutex(State(file: try RowFile(path + ".tiles"), ranges: ranges))
    }

    /// Appends an encoded tile.
    func append(_ bytes: [UInt8], of key: TilePosition) throws {
        try state.withLock { state in
            let number = key.row * pyramid.levels[key.level].columns + key.column
            state.ranges[key.level][number] = state.end..<(state.end + bytes.count)
            state.end += bytes.count
            try state.file.append(bytes)
        }
    }

    /// Writes the file, after the last tile.
    func finish() throws {
        let ranges = try state.withLock { state in
            try state.file.flush()
            return state.ranges
        }
        // Incompressible tiles may need offsets of 8 bytes.
        let (small, smallEnd) = directories(ranges, isBig: false)
        let header = smallEnd <= Int(UInt32.max) ? small : directories(ranges, isBig: true).bytes
        let output = try RowFile(path)
        try output.append(header)
        let tiles = try OpenFile(path + ".tiles")
        for range in ranges.joined() { try output.append(tiles.bytes(range)) }
        try output.flush()
    }

    /// Returns the header and the directories of all levels, and the offset of the end of the tiles that follow.
    private func directories(_ ranges: [[Range<Int>]], isBig: Bool) -> (bytes: [UInt8], end: Int) {
        let counts = ranges.map { $0.map(\.count) }
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
                bytes += directory(
                    entries(level, offsets, counts, isBig), at: bytes.count,
                    isLast: level == ranges.count - 1, isBig)
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

    /// A tag with its values.
    private struct Entry {
        let tag: Int
        let type: Int
        let values: [Int]

        /// BYTE-like data, SHORT, LONG, and BigTIFF's LONG8.
        var width: Int { [7: 1, 3: 2, 4: 4, 16: 8][type] ?? 1 }
    }

    private func entries(
        _ level: Int, _ offsets: [Int], _ counts: [Int], _ isBig: Bool
    ) -> [Entry] {
        let size = pyramid.levels[level].size
        let side = pyramid.full.tileSize
        var entries = [
            Entry(tag: 254, type: 4, values: [level > 0 ? 1 : 0]),
            Entry(tag: 256, type: 4, values: [size.width]), Entry(tag: 257, type: 4, values: [size.height]),
            Entry(tag: 258, type: 3, values: [Int](repeating: 8, count: codec.bands)),
            Entry(tag: 259, type: 3, values: [codec.compression]),
            Entry(tag: 262, type: 3, values: [codec.photometric]),
            Entry(tag: 277, type: 3, values: [codec.bands]), Entry(tag: 284, type: 3, values: [1]),
            Entry(tag: 322, type: 4, values: [side]), Entry(tag: 323, type: 4, values: [side]),
            Entry(tag: 324, type: isBig ? 16 : 4, values: offsets),
            Entry(tag: 325, type: 4, values: counts),
        ]
        if codec.hasAlpha { entries.append(Entry(tag: 338, type: 3, values: [2])) }
        if let subsampling = codec.subsampling {
            entries.append(Entry(tag: 347, type: 7, values: codec.tables.map(Int.init)))
            if codec.bands == 3 {
                entries.append(Entry(tag: 530, type: 3, values: [subsampling, subsampling]))
            }
        } else {
            entries.append(Entry(tag: 317, type: 3, values: [2]))
        }
        return entries.sorted { $0.tag < $1.tag }
    }

    /// Returns a directory, followed by the values that do not fit into its entries.
    private func directory(_ entries: [Entry], at start: Int, isLast: Bool, _ isBig: Bool) -> [UInt8] {
        let word = isBig ? 8 : 4
        let countBytes = isBig ? 8 : 2
        let end = start + countBytes + entries.count * (4 + 2 * word) + word
        var body = ByteWriter(.little)
        var data = ByteWriter(.little)
        body.append(entries.count, size: countBytes)
        for entry in entries {
            body.append(entry.tag, size: 2)
            body.append(entry.type, size: 2)
            body.append(entry.values.count, size: word)
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

/// Compresses the tiles of a TIFF as JPEGs that share their tables, or as deflated differences.
///
/// Tiles at the right and bottom edge have the full size; pixels outside the image repeat the edge.
struct TIFFTileCodec: Sendable {
    let bands: Int
    let hasAlpha: Bool
    private let side: Int
    /// Nil for deflate.
    private let jpeg: JPEGEncoder?
    /// The tables that all JPEGs of a quality share.
    let tables: [UInt8]

    /// - Parameter quality: the JPEG quality; nil for deflate.
    init(_ samples: ConvertedSamples, side: Int, quality: Int?) throws {
        bands = samples.bands
        hasAlpha = samples.hasAlpha
        self.side = side
        jpeg = quality.map { JPEGEncoder(quality: $0) }
        tables =
            try jpeg.map {
                let blank = [UInt8](repeating: 128, count: 64 * samples.bands)
                return try Self.split($0.encode(blank, width: 8, height: 8, bands: samples.bands)).tables
            } ?? []
    }

    var compression: Int { jpeg == nil ? 8 : 7 }
    var photometric: Int { bands < 3 ? 1 : jpeg == nil ? 2 : 6 }
    /// The chroma subsampling along each axis; nil for deflate.
    var subsampling: Int? { jpeg.map { $0.quality < 90 && bands == 3 ? 2 : 1 } }

    /// - Parameter pixels: rows without gaps, upright.
    func encode(_ pixels: [UInt8], _ size: PixelSize<OutputGrid>) throws(RenderingError) -> [UInt8] {
        let full = filled(pixels, size)
        do {
            guard let jpeg else { return try Deflate.zlib(differences(full)) }
            let file = try jpeg.encode(full, width: side, height: side, bands: bands)
            let parts = Self.split(file)
            return parts.tables == tables ? parts.picture : file
        } catch {
            throw .cannotEncode(format: "tif", detail: "\(error)")
        }
    }

    private func filled(_ pixels: [UInt8], _ size: PixelSize<OutputGrid>) -> [UInt8] {
        guard size.width < side || size.height < side else { return pixels }
        var result: [UInt8] = []
        result.reserveCapacity(side * side * bands)
        let rowBytes = size.width * bands
        for y in 0..<side {
            let start = min(y, size.height - 1) * rowBytes
            let row = pixels[start..<(start + rowBytes)]
            result += row
            for _ in size.width..<side { result += row.suffix(bands) }
        }
        return result
    }

    /// Returns the difference of each sample to the previous pixel of its row.
    private func differences(_ pixels: [UInt8]) -> [UInt8] {
        var result = pixels
        let rowBytes = side * bands
        for start in stride(from: 0, to: pixels.count, by: rowBytes) {
            for index in (start + bands)..<(start + rowBytes) {
                result[index] = pixels[index] &- pixels[index - bands]
            }
        }
        return result
    }

    /// Splits a JPEG into its tables as a separate file and the rest, without application segments.
    private static func split(_ file: [UInt8]) -> (tables: [UInt8], picture: [UInt8]) {
        var tables: [UInt8] = [0xFF, 0xD8]
        var picture: [UInt8] = [0xFF, 0xD8]
        var at = 2
        // Up to the start of the scan every segment has a length.
        while file[at + 1] != 0xDA {
            let end = at + 2 + Int(file[at + 2]) << 8 + Int(file[at + 3])
            switch file[at + 1] {
            case 0xDB, 0xC4: tables += file[at..<end]
            case 0xE0...0xEF: break
            default: picture += file[at..<end]
            }
            at = end
        }
        return (tables + [0xFF, 0xD9], picture + file[at...])
    }
}

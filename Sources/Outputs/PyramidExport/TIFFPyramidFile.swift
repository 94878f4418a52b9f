internal import Basics
internal import Containers
internal import Files
internal import JPEGCoding
internal import PNGEncoding
internal import TilePyramid
internal import ViewportGeometry
internal import ViewportRendering

/// Writes a TIFF of the tiles of all levels, which arrive from several threads in any order.
///
/// Tiles are collected in a temporary file, so the bytes of the TIFF do not depend on the timing of threads or the
/// orientation, and directories precede tiles.
final class TIFFPyramidFile: Sendable {
    private struct State {
        let file: RowFile
        var end = 0
        var ranges: [[Range<Int>]]
    }

    private let state: Exclusive<State>
    private let path: String
    private let directories: TIFFDirectories

    init(_ path: String, _ directories: TIFFDirectories) throws(FileError) {
        self.path = path
        self.directories = directories
        let ranges = directories.pyramid.levels.map { [Range<Int>](repeating: 0..<0, count: $0.count) }
        state = Exclusive(State(file: try RowFile(path + ".tiles"), ranges: ranges))
    }

    /// Appends an encoded tile.
    func append(_ bytes: [UInt8], of key: TilePosition) throws {
        try state.withValue { state in
            let number = key.row * directories.pyramid.levels[key.level].columns + key.column
            state.ranges[key.level][number] = state.end..<(state.end + bytes.count)
            state.end += bytes.count
            try state.file.append(bytes)
        }
    }

    /// Writes the file, after the last tile.
    func finish() throws {
        let ranges = try state.withValue { state in
            try state.file.flush()
            return state.ranges
        }
        let output = try RowFile(path, isOutput: true)
        try output.append(directories.bytes(ranges.map { $0.map(\.count) }))
        let tiles = try OpenFile(path + ".tiles")
        for level in directories.order {
            for range in ranges[level] { try output.append(directories.framed(tiles.bytes(range))) }
        }
        try output.flush()
        try FileMark.append(to: path, .tiff)
    }
}

/// Compresses the tiles of a TIFF as JPEGs that share their tables, or as deflated differences.
///
/// Tiles at the right and bottom edge have the full size; pixels outside the image repeat the edge.
struct TIFFTileCodec: Sendable {
    private let bands: Int
    private let hasAlpha: Bool
    private let side: Int
    /// Nil for deflate.
    private let jpeg: JPEGEncoder?
    /// The tables that all JPEGs of a quality share.
    private let tables: [UInt8]

    /// libvips' quality for JPEG tiles.
    static let usualQuality = 75

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

    /// How the tiles are described.
    var format: TIFFTileFormat {
        guard let jpeg else { return TIFFTileFormat(bands: bands, hasAlpha: hasAlpha, coding: .deflate) }
        let sampling = jpeg.quality < 90 && bands == 3 ? 2 : 1
        return TIFFTileFormat(
            bands: bands, coding: .jpeg(tables: tables, sampling: (sampling, sampling), isRGB: false))
    }

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
            let end = (min(y, size.height - 1) + 1) * rowBytes
            result += pixels[(end - rowBytes)..<end]
            for _ in size.width..<side { result += pixels[(end - bands)..<end] }
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
        var tables = JPEGSegment.startOfImage
        var picture = JPEGSegment.startOfImage
        var segments = JPEGSegments(file)
        // Bytes in memory can always be read.
        while let segment = (try? segments.next()) ?? nil {
            switch segment.marker {
            case 0xDA: return (tables + JPEGSegment.endOfImage, picture + file[segment.start...])
            case 0xDB, 0xC4: tables += file[segment.start..<segment.end]
            case _ where segment.isApplication: break
            default: picture += file[segment.start..<segment.end]
            }
        }
        preconditionFailure("the encoder makes JPEGs with a scan")
    }
}

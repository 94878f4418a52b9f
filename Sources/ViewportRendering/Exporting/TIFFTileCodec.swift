internal import JPEGCoding
internal import PNGEncoding
internal import ViewportGeometry

/// How the tiles of a TIFF are compressed: as JPEGs that share their tables, or as deflated differences.
///
/// Tiles at the right and bottom edge are as large as all others; what lies outside repeats the edge.
struct TIFFTileCodec: Sendable {
    let bands: Int
    let hasAlpha: Bool
    private let side: Int
    /// Nil for deflate.
    private let jpeg: JPEGEncoder?
    /// What every JPEG of one quality begins with.
    let tables: [UInt8]

    /// - Parameter quality: of JPEG; nil for deflate.
    init(_ samples: TileSamples, side: Int, quality: Int?) throws {
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
    /// How many pixels along each axis share a color sample; nil for deflate.
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

    /// Each sample less the one of the pixel before it in its row.
    private func differences(_ pixels: [UInt8]) -> [UInt8] {
        var result = pixels
        let rowBytes = side * bands
        for start in stride(from: 0, to: pixels.count, by: rowBytes) {
            for place in (start + bands)..<(start + rowBytes) {
                result[place] = pixels[place] &- pixels[place - bands]
            }
        }
        return result
    }

    /// A JPEG's tables as a file of their own, and the rest of it, without names of formats.
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

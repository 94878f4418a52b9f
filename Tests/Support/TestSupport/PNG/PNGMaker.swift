import Basics
import CDeflate
import Containers

/// Makes PNGs of every kind from random samples, with any filters.
package struct PNGMaker: Sendable {
    package var width = 37
    package var height = 23
    package var bitDepth: UInt8 = 8
    /// As in IHDR.
    package var colorType: UInt8 = 2
    package var hasTransparency = false
    /// The filters of rows, repeated.
    package var filters: [UInt8] = [4, 3, 2, 1, 0, 2, 4, 1, 3]
    /// The contents of an IDAT chunk, in bytes.
    package var chunkSize = 1000
    /// libdeflate's level; 0 stores.
    package var level: Int32 = 6
    /// Chunks before the image data.
    package var extra: [(type: String, body: [UInt8])] = []
    package var seed: UInt64 = 7

    package init(_ colorType: UInt8 = 2, _ bitDepth: UInt8 = 8, hasTransparency: Bool = false) {
        (self.colorType, self.bitDepth, self.hasTransparency) = (colorType, bitDepth, hasTransparency)
    }

    /// All kinds of PNG.
    package static let kinds: [PNGMaker] = {
        let depths: [(UInt8, [UInt8])] = [
            (0, [1, 2, 4, 8, 16]), (2, [8, 16]), (3, [1, 2, 4, 8]), (4, [8, 16]), (6, [8, 16]),
        ]
        return depths.flatMap { color, depths in
            depths.flatMap { depth in
                (color < 4 ? [false, true] : [false]).map { PNGMaker(color, depth, hasTransparency: $0) }
            }
        }
    }()

    package var name: String {
        "type \(colorType), \(bitDepth) bits\(hasTransparency ? ", transparent" : "")"
    }

    package var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][Int(colorType)] ?? 1 }
    private var storedBits: Int { channels * Int(bitDepth) }
    private var rowBytes: Int { (width * storedBits + 7) / 8 }

    /// The rows before filtering: smooth with noise, so that all filters and matches occur.
    package var rows: [[UInt8]] {
        var generator = Xorshift(state: seed)
        let isSmall = bitDepth < 8 || colorType == 3
        return (0..<height).map { y in
            (0..<rowBytes).map { x in
                if isSmall { return UInt8(truncatingIfNeeded: generator.next() >> 20) }
                let noise = generator.below(9) == 0 ? generator.below(40) : 0
                return UInt8(truncatingIfNeeded: x / 5 + 3 * y + noise)
            }
        }
    }

    /// The entries of the palette: one fewer than the depth allows, so that indexes may exceed it.
    package var palette: [UInt8] {
        var generator = Xorshift(state: seed + 1)
        let count = max(2, 1 << Int(bitDepth) - 1)
        return (0..<(3 * count)).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 9) }
    }

    /// The contents of tRNS; for gray and RGB the samples of the pixel at 3, 1.
    package var transparency: [UInt8]? {
        guard hasTransparency else { return nil }
        if colorType == 3 { return [0, 128].prefix(palette.count / 3).map { $0 } }
        let row = rows[1]
        return (0..<channels).flatMap { channel -> [UInt8] in
            let value = Self.sample(row, (3 * channels + channel), Int(bitDepth))
            return [UInt8(value >> 8), UInt8(value & 255)]
        }
    }

    /// Returns a sample of a row before filtering.
    package static func sample(_ row: [UInt8], _ index: Int, _ depth: Int) -> Int {
        if depth == 16 { return Int(row[2 * index]) << 8 | Int(row[2 * index + 1]) }
        let bit = index * depth
        return Int(row[bit / 8]) >> (8 - depth - bit % 8) & (1 << depth - 1)
    }

    /// The filtered rows, as they are compressed.
    package var filtered: [UInt8] {
        let distance = max(1, storedBits / 8)
        var above = [UInt8](repeating: 0, count: rowBytes)
        var result: [UInt8] = []
        for (y, row) in rows.enumerated() {
            let filter = filters[y % filters.count]
            result.append(filter)
            for x in 0..<rowBytes {
                let left = x >= distance ? Int(row[x - distance]) : 0
                let corner = x >= distance ? Int(above[x - distance]) : 0
                let up = Int(above[x])
                let estimate = left + up - corner
                let distances = (abs(estimate - left), abs(estimate - up), abs(estimate - corner))
                let paeth =
                    distances.0 <= distances.1 && distances.0 <= distances.2
                    ? left : distances.1 <= distances.2 ? up : corner
                let prediction = [0, left, up, (left + up) / 2, paeth][Int(min(filter, 4))]
                result.append(row[x] &- UInt8(truncatingIfNeeded: prediction))
            }
            above = row
        }
        return result
    }

    /// The compressed rows.
    package var stream: [UInt8] { Self.compress(filtered, level: level) }

    package var file: [UInt8] { file(stream: stream) }

    /// Returns the file with other compressed data.
    package func file(stream: [UInt8]) -> [UInt8] {
        var file = PNGChunk.signature
        let size = UInt32(width).bytes(.big) + UInt32(height).bytes(.big)
        file += Self.chunk("IHDR", size + [bitDepth, colorType, 0, 0, 0])
        if colorType == 3 { file += Self.chunk("PLTE", palette) }
        if let transparency { file += Self.chunk("tRNS", transparency) }
        for chunk in extra { file += Self.chunk(chunk.type, chunk.body) }
        for start in stride(from: 0, to: stream.count, by: chunkSize) {
            file += Self.chunk("IDAT", Array(stream[start..<min(start + chunkSize, stream.count)]))
        }
        return file + Self.chunk("IEND", [])
    }

    package static func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
        PNGChunk.bytes(FourCC(type), body)
    }

    package static func checksum(_ bytes: [UInt8]) -> UInt32 {
        // libdeflate reads within the count given.
        unsafe bytes.withUnsafeBytes { unsafe libdeflate_crc32(0, $0.baseAddress, $0.count) }
    }

    package static func compress(_ bytes: [UInt8], level: Int32) -> [UInt8] {
        // Freed below; tests have memory.
        let state = unsafe libdeflate_alloc_compressor(level)!
        defer { unsafe libdeflate_free_compressor(state) }
        let bound = unsafe libdeflate_zlib_compress_bound(state, bytes.count)
        return unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            // libdeflate stays within both counts.
            count = unsafe bytes.withUnsafeBytes {
                unsafe libdeflate_zlib_compress(state, $0.baseAddress, $0.count, output.baseAddress, bound)
            }
        }
    }
}

extension PNGMaker {
    /// The pixels as libpng expands them, by the plainest code.
    package var pixels: [UInt8] {
        let depth = Int(bitDepth)
        let (transparency, palette) = (self.transparency, self.palette)
        return rows.flatMap { row in
            (0..<width).flatMap { x -> [UInt8] in
                let samples = (0..<channels).map { Self.sample(row, x * channels + $0, depth) }
                if colorType == 3 {
                    let index = samples[0]
                    let color =
                        3 * index < palette.count ? Array(palette[(3 * index)..<(3 * index + 3)]) : [0, 0, 0]
                    guard let transparency else { return color }
                    return color + [index < transparency.count ? transparency[index] : 255]
                }
                var isTransparent = false
                if let transparency {
                    isTransparent = samples.indices.allSatisfy {
                        samples[$0] == Int(transparency[2 * $0]) << 8 | Int(transparency[2 * $0 + 1])
                    }
                }
                let all = samples + (transparency == nil ? [] : [isTransparent ? 0 : 1 << depth - 1])
                return all.flatMap { value -> [UInt8] in
                    depth == 16
                        ? UInt16(value).bytes(.little) : [UInt8(value * 255 / (1 << depth - 1))]
                }
            }
        }
    }
}

/// Builds a PNG file chunk by chunk.
struct ChunkWriter {
    private(set) var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private static let longestChunk = 0x7FFF_FFFF

    /// Writes one chunk; `type` is four ASCII letters.
    mutating func write(_ type: String, _ data: [UInt8]) {
        appendBigEndian(UInt32(data.count))
        let typed = Array(type.utf8) + data
        file += typed
        appendBigEndian(Checksum.crc32(typed, nil))
    }

    /// Writes the size and kind of the image.
    mutating func writeHeader(_ format: PNGFormat, palette: Palette?) {
        let colorType: UInt8 =
            switch format.channels {
            case _ where palette != nil: 3
            case .gray: 0
            case .grayAlpha: 4
            case .rgb: 2
            case .rgba: 6
            }
        let depth = UInt8(palette?.bitDepth ?? format.bitDepth.rawValue)
        write(
            "IHDR",
            Self.bigEndian(UInt32(format.width)) + Self.bigEndian(UInt32(format.height)) + [
                depth, colorType, 0, 0, 0,
            ])
    }

    /// Writes what the numbers mean as colors.
    mutating func writeColor(_ space: PNGFormat.ColorSpace) throws(PNGEncodingError) {
        switch space {
        case .sRGB:
            write("sRGB", [0])
        case .icc(let profile, let name):
            write("iCCP", try Self.profileChunk(profile, name: name))
        case .untagged:
            break
        }
    }

    mutating func writeResolution(_ pixelsPerMeter: UInt32?) {
        guard let pixelsPerMeter else { return }
        let value = Self.bigEndian(pixelsPerMeter)
        write("pHYs", value + value + [1])
    }

    mutating func writePalette(_ palette: Palette) {
        write(
            "PLTE",
            palette.colors.flatMap {
                [
                    UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8),
                    UInt8(truncatingIfNeeded: $0 >> 16),
                ]
            })
        guard palette.translucentCount > 0 else { return }
        write("tRNS", palette.colors.prefix(palette.translucentCount).map { UInt8($0 >> 24) })
    }

    /// Writes each band as a chunk of its own, or more where it is longer than a chunk may be.
    mutating func writeImageData(_ data: ImageData) {
        file.reserveCapacity(file.count + data.bands.reduce(0) { $0 + $1.bytes.count } + 64)
        for band in data.bands {
            var start = 0
            while start < band.bytes.count {
                let piece = band.bytes.part(start, count: min(Self.longestChunk, band.bytes.count - start))
                appendBigEndian(UInt32(piece.count))
                let type = Array("IDAT".utf8)
                file += type
                piece.append(to: &file)
                appendBigEndian(Checksum.crc32(type, piece))
                start += piece.count
            }
        }
    }

    private static func profileChunk(_ profile: [UInt8], name: String) throws(PNGEncodingError) -> [UInt8] {
        let latin = name.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
        let isPrintable = latin.allSatisfy { (32...126).contains($0) || $0 >= 161 }
        guard latin.count == name.unicodeScalars.count, (1...79).contains(latin.count), isPrintable,
            !profile.isEmpty
        else { throw .invalidProfile }
        return latin + [0, 0] + (try Compressor(level: .small).zlib(profile))
    }

    private mutating func appendBigEndian(_ value: UInt32) { file += Self.bigEndian(value) }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}

internal import Basics
internal import Containers

/// Builds a PNG file chunk by chunk.
struct ChunkWriter {
    private(set) var file = PNGChunk.signature

    /// Writes one chunk; `type` is four ASCII letters.
    mutating func write(_ type: String, _ data: [UInt8]) {
        PNGChunk.append(FourCC(type), data[...], to: &file)
    }

    /// Writes the header chunk: the size and sample format of the image.
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
            UInt32(format.width).bytes(.big) + UInt32(format.height).bytes(.big) + [
                depth, colorType, 0, 0, 0,
            ])
    }

    /// Writes the color space.
    mutating func writeColor(_ format: PNGFormat) throws(PNGEncodingError) {
        if let numbers = format.colorNumbers {
            // A PNG has red, green and blue, here of full range.
            write("cICP", [numbers.primaries, numbers.transfer, 0, 1])
        }
        switch format.colorSpace {
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
        let value = pixelsPerMeter.bytes(.big)
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

    /// Writes a part of the image data as a chunk, or as several if it exceeds the maximum size of a chunk.
    mutating func writeImageData(_ bytes: [UInt8]) {
        for start in stride(from: 0, to: bytes.count, by: PNGChunk.longestBody) {
            PNGChunk.append(FourCC("IDAT"), bytes[start...].prefix(PNGChunk.longestBody), to: &file)
        }
    }

    /// Prepares for image data of some size.
    mutating func reserve(_ count: Int) { file.reserveCapacity(file.count + count) }

    private static func profileChunk(_ profile: [UInt8], name: String) throws(PNGEncodingError) -> [UInt8] {
        let latin = name.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
        let isPrintable = latin.allSatisfy { (32...126).contains($0) || $0 >= 161 }
        guard latin.count == name.unicodeScalars.count, (1...79).contains(latin.count), isPrintable,
            !profile.isEmpty
        else { throw .invalidProfile }
        return latin + [0, 0] + (try Compressor(.libdeflate(12)).zlib(profile))
    }
}

/// A text of a PNG file: a keyword and a value.
///
/// Source: PNG (third edition), 11.3.3.2 tEXt.
public struct PNGText: Hashable, Codable, Sendable {
    /// The name of the text, 1 to 79 Latin-1 characters, such as "Software".
    public var keyword: String
    /// The text in Latin-1 characters, of any length.
    public var value: String

    /// Creates a text; characters that Latin-1 lacks are written as question marks.
    public init(_ keyword: String, _ value: String) {
        self.keyword = keyword
        self.value = value
    }

    /// Returns a PNG file with texts inserted after its header.
    ///
    /// - Parameters:
    ///   - texts: The texts; those whose keyword does not have 1 to 79 characters are omitted.
    ///   - file: A PNG file; files that are too short are returned unchanged.
    public static func adding(_ texts: [PNGText], to file: [UInt8]) -> [UInt8] {
        guard file.count >= PNGChunk.headerEnd else { return file }
        let named = texts.filter { (1...79).contains($0.keyword.unicodeScalars.count) }
        let chunks = named.flatMap { PNGChunk.bytes("tEXt", latin($0.keyword) + [0] + latin($0.value)) }
        return file[..<PNGChunk.headerEnd] + chunks + file[PNGChunk.headerEnd...]
    }

    /// Returns the texts before the image data, and the byte ranges of their chunks.
    ///
    /// - Parameter file: A PNG file; other files have no texts.
    public static func read(_ file: [UInt8]) -> [(text: PNGText, chunk: Range<Int>)] {
        guard file.starts(with: PNGChunk.signature) else { return [] }
        var texts: [(PNGText, Range<Int>)] = []
        var chunks = PNGChunks(FileBytes(file))
        // Bytes in memory can always be read.
        while let chunk = (try? chunks.next()) ?? nil, chunk.whole.upperBound <= file.count,
            chunk.type != "IDAT"
        {
            let data = file[chunk.body]
            guard chunk.type == "tEXt", let zero = data.firstIndex(of: 0) else { continue }
            texts.append((PNGText(text(data[..<zero]), text(data[(zero + 1)...])), chunk.whole))
        }
        return texts
    }

    private static func latin(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

extension PNGText: CustomStringConvertible {
    /// "keyword: value".
    public var description: String { "\(keyword): \(value)" }
}

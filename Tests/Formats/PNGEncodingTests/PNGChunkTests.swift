import PNGEncoding
import Testing

@Suite("The chunks of a PNG")
struct PNGChunkTests {
    static func encoded(_ format: PNGFormat) throws -> DecodedPNG {
        let pixels = TestPixels.photograph.bytes(format)
        return DecodedPNG(
            try PNGEncoder().encode(pixels.span, as: format), channels: format.channels.rawValue)
    }

    @Test("contain no color space for untagged pixels")
    func untagged() throws {
        let file = try Self.encoded(PNGFormat(width: 8, height: 8, channels: .rgb, colorSpace: .untagged))
        #expect(!file.isSRGB && file.profileName == nil)
    }

    @Test("contain the given profile")
    func profile() throws {
        let file = try Self.encoded(
            PNGFormat(
                width: 8, height: 8, channels: .rgb, colorSpace: .icc(profile: Self.profile, name: "Café 1"))
        )
        #expect(file.profile == Self.profile)
        #expect(!file.isSRGB)
    }

    @Test("contain the resolution")
    func resolution() throws {
        let file = try Self.encoded(
            PNGFormat(width: 8, height: 8, channels: .gray, pixelsPerMeter: 11811))
        #expect(file.pixelsPerMeter == 11811)
    }

    @Test(
        "are not written for invalid profiles",
        arguments: ["", String(repeating: "n", count: 80), "tab\t", "日本"])
    func profileNames(_ name: String) {
        let format = PNGFormat(
            width: 1, height: 1, channels: .rgb, colorSpace: .icc(profile: [1], name: name))
        #expect(throws: PNGEncodingError.invalidProfile) {
            try PNGEncoder().encode([UInt8](repeating: 0, count: 3).span, as: format)
        }
    }

    @Test(
        "are not written for unsupported sizes",
        arguments: [(0, 1), (1, 0), (-1, 5), (0x8000_0000, 1), (0x7FFF_FFFF, 0x7FFF_FFFF)])
    func sizes(_ width: Int, _ height: Int) {
        let format = PNGFormat(width: width, height: height, channels: .rgba, bitDepth: .sixteen)
        #expect(throws: PNGEncodingError.unsupportedSize(width: width, height: height)) {
            try PNGEncoder().encode([UInt8]().span, as: format)
        }
    }

    @Test("are not written for fewer or more pixels than the format has", arguments: [0, 11, 13])
    func mismatch(_ count: Int) {
        let format = PNGFormat(width: 2, height: 2, channels: .rgb)
        #expect(throws: PNGEncodingError.sizeMismatch(expected: 12, actual: count)) {
            try PNGEncoder().encode([UInt8](repeating: 0, count: count).span, as: format)
        }
    }

    /// An ICC profile of one tag with incompressible data, because libpng refuses very short chunks.
    static let profile: [UInt8] = {
        var generator = Xorshift(state: 1)
        var bytes = [UInt8](repeating: 0, count: 144)
        func put(_ values: [UInt8], at offset: Int) {
            for (index, byte) in values.enumerated() { bytes[offset + index] = byte }
        }
        put([0, 0, 1, 188], at: 0)
        put([2], at: 8)
        put(Array("mntrRGB XYZ ".utf8), at: 12)
        put(Array("acsp".utf8), at: 36)
        // The D50 white point that the header must contain.
        put([0, 0, 0xF6, 0xD6, 0, 1, 0, 0, 0, 0, 0xD3, 0x2D], at: 68)
        put([0, 0, 0, 1] + Array("data".utf8) + [0, 0, 0, 144, 0, 0, 1, 44], at: 128)
        return bytes + (0..<300).map { _ -> UInt8 in UInt8(truncatingIfNeeded: generator.next() >> 32) }
    }()
}

@Suite("The texts of a PNG")
struct PNGTextTests {
    static let texts = [PNGText("Thumb::URI", "file:///a%20b.png"), PNGText("Comment", "é and 日")]

    static func file() throws -> [UInt8] {
        let format = PNGFormat(width: 9, height: 7, channels: .rgb)
        return try PNGEncoder().encode(TestPixels.photograph.bytes(format).span, as: format)
    }

    @Test("can be read back, and libpng reads the same picture")
    func reading() throws {
        let plain = try Self.file()
        let file = PNGText.adding(Self.texts, to: plain)
        // Latin-1 has no Japanese characters.
        #expect(PNGText.read(file).map(\.text) == [Self.texts[0], PNGText("Comment", "é and ?")])
        #expect(PNGText.read(plain).isEmpty)
        #expect(DecodedPNG(file, channels: 3).pixels == DecodedPNG(plain, channels: 3).pixels)
        // Removing the chunks restores the original file.
        var rest = file
        for chunk in PNGText.read(file).map(\.chunk).reversed() { rest.removeSubrange(chunk) }
        #expect(rest == plain)
    }

    @Test("are empty for truncated files and other formats")
    func broken() throws {
        let file = PNGText.adding(Self.texts, to: try Self.file())
        for count in 0..<file.count { #expect(PNGText.read(Array(file[..<count])).count <= 2) }
        #expect(PNGText.read([1, 2, 3]).isEmpty)
        #expect(PNGText.adding(Self.texts, to: [1, 2, 3]) == [1, 2, 3])
    }
}

import Testing

@testable import JXLDecoding

@Suite("The decoder of JPEG XL")
struct JXLDecodingTests {
    /// 16x16 pixels in three frames, the first one red.
    private static let animation: [UInt8] = [
        0xFF, 0x0A, 0x43, 0x04, 0x01, 0x58, 0x50, 0x5C, 0x12, 0x08, 0x08, 0xA0, 0x02, 0x00, 0x00, 0x68, 0x00,
        0x4B, 0x18, 0x8B, 0x15, 0x00, 0xD4, 0x8C, 0x31, 0x18, 0xC7, 0x0B, 0x48, 0x00, 0xA0, 0x48, 0x09, 0x03,
        0xB0, 0x48, 0xE0, 0xDF, 0x0F, 0x48, 0x85, 0xF6, 0x07, 0x08, 0x08, 0xA0, 0x02, 0x00, 0x00, 0x5C, 0x00,
        0x4B, 0x18, 0x8B, 0x15, 0x00, 0x1C, 0x18, 0x63, 0x70, 0xF0, 0x2E, 0x20, 0x01, 0x00, 0x41, 0x60, 0x9A,
        0x98, 0x7F, 0x3F, 0xE8, 0xA9, 0x39, 0x08, 0x08, 0xA0, 0x42, 0x00, 0x00, 0x44, 0x00, 0x4B, 0x18, 0x8B,
        0x15, 0x80, 0x5D, 0xE0, 0xFF, 0x02, 0x12, 0x00, 0x80, 0x0C, 0x86, 0xD1, 0xF8, 0x03,
    ]

    private static func decode(
        _ file: [UInt8], _ bands: Int, _ sample: JXLDecoder.Sample, bytes: Int = 1
    ) throws(JXLDecodingError) -> [UInt8] {
        try JXLDecoder.decode(file, bands: bands, sample: sample, count: 256 * bands * bytes, threads: 2)
    }

    @Test("returns the first frame in the samples that were asked for")
    func samples() throws {
        guard JXLDecoder.isAvailable else { return print("libjxl is not installed") }
        #expect(try Self.decode(Self.animation, 3, .uint8).prefix(3) == [255, 0, 0])
        // An opaque band is added.
        #expect(try Self.decode(Self.animation, 4, .uint8).prefix(4) == [255, 0, 0, 255])
        #expect(try Self.decode(Self.animation, 3, .uint16, bytes: 2).prefix(6) == [255, 255, 0, 0, 0, 0])
        #expect(try Self.decode(Self.animation, 3, .float32, bytes: 4).prefix(4) == [0, 0, 0x80, 0x3F])
    }

    @Test("tells truncated files from others, and does not write into memory of another size")
    func errors() throws {
        guard JXLDecoder.isAvailable else { return print("libjxl is not installed") }
        #expect(throws: JXLDecodingError.truncated) {
            try Self.decode(Array(Self.animation.prefix(30)), 3, .uint8)
        }
        #expect(throws: JXLDecodingError.truncated) { try Self.decode([0xFF], 3, .uint8) }
        #expect(throws: JXLDecodingError.undecodable) {
            try Self.decode(Array("not one at all".utf8), 3, .uint8)
        }
        #expect(throws: JXLDecodingError.undecodable) {
            try JXLDecoder.decode(Self.animation, bands: 3, sample: .uint8, count: 12, threads: 1)
        }
        #expect(throws: JXLDecodingError.undecodable) { try Self.decode(Self.animation, 5, .uint8) }
    }
}

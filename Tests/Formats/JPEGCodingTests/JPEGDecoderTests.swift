import Foundation
import JPEGCoding
import TestSupport
import Testing
import Vips

@Suite("Decoding a JPEG in memory")
struct JPEGDecoderTests {
    static func jpeg(bands: Int, width: Int = 67, height: Int = 45) throws -> [UInt8] {
        try TestImages.photo(width: width, height: height, bands: bands).saved(with: "jpegsave_buffer", [:])
    }

    @Test("gives the same pixels as libvips", arguments: [1, 3])
    func full(_ bands: Int) throws {
        let jpeg = try Self.jpeg(bands: bands)
        let decoded = try JPEGDecoder().decode(jpeg, denominator: 1, bands: bands)
        let expected = try VipsImage.load(bytes: jpeg, with: "jpegload_buffer").pixels().copied()
        #expect((decoded.width, decoded.height, decoded.bands) == (67, 45, bands))
        for y in 0..<45 {
            let row = decoded.withRow(y, columns: 0..<67) { unsafe $0.withUnsafeBytes { unsafe Array($0) } }
            #expect(row == Array(expected[y * 67 * bands..<(y + 1) * 67 * bands]))
        }
    }

    @Test("at a scale rounds the size up", arguments: [(2, 34, 23), (4, 17, 12), (8, 9, 6)])
    func scaled(_ denominator: Int, _ width: Int, _ height: Int) throws {
        let decoded = try JPEGDecoder().decode(
            try Self.jpeg(bands: 3), denominator: denominator, bands: 3)
        #expect((decoded.width, decoded.height) == (width, height))
    }

    @Test("is an error if the JPEG is truncated or too small for the scale", arguments: [0, 1, 50, 400])
    func broken(_ count: Int) throws {
        let jpeg = Array(try Self.jpeg(bands: 3).prefix(count))
        #expect(throws: JPEGDecodingError.self) { try decode(jpeg, 1) }
        #expect(throws: JPEGDecodingError.self) {
            try decode(try Self.jpeg(bands: 3, width: 5, height: 5), 4)
        }
    }

    private func decode(_ jpeg: [UInt8], _ denominator: Int) throws -> DecodedJPEG {
        try JPEGDecoder().decode(jpeg, denominator: denominator, bands: 3)
    }
}

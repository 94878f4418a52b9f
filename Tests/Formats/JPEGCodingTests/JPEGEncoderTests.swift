import JPEGCoding
import TestSupport
import Testing
import Vips

@Suite("A JPEG encoder")
struct JPEGEncoderTests {
    @Test(
        "writes the same pixels as libvips at the same quality",
        arguments: [(640, 480, 3), (37, 21, 3), (16, 16, 1), (1, 1, 3), (203, 5, 1)], [20, 75, 89, 90, 100])
    func pixels(_ shape: (width: Int, height: Int, bands: Int), _ quality: Int) throws {
        let image = try TestImages.photo(width: shape.width, height: shape.height, bands: shape.bands)
        let bytes = try image.pixels().copied()
        let ours = try JPEGEncoder(quality: quality).encode(
            bytes, width: shape.width, height: shape.height, bands: shape.bands)
        let theirs = try image.saved(with: "jpegsave_buffer", ["Q": .int(quality), "strip": .bool(true)])
        #expect(try decoded(ours) == decoded(theirs))
    }

    private func decoded(_ jpeg: [UInt8]) throws -> [UInt8] {
        try VipsImage.load(bytes: jpeg, with: "jpegload_buffer").pixels().copied()
    }

    @Test("refuses sides that are too long")
    func limits() throws {
        let error = #expect(throws: JPEGEncodingError.self) {
            try JPEGEncoder().encode([UInt8](repeating: 0, count: 70_000), width: 70_000, height: 1, bands: 1)
        }
        #expect(error?.reason.contains("65500") == true)
    }
}

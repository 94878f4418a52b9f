import Foundation
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("viewport render --lossless")
struct LosslessTests {
    static let viewport = BuiltProgram("viewport")

    @Test("copies whole blocks, upright, and reports the extended rectangle", arguments: Orientation.allCases)
    func copy(_ orientation: Orientation) async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 160, height: 128).save(folder.path("photo.jpg"), oriented: orientation)
        let result = try await Self.viewport.run([
            "render", folder.path("photo.jpg"), "--lossless", "--rect", "20,37,60,50", "-o",
            folder.path("cut.jpg"), "--json",
        ])
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.errors.contains("widened"))
        let rect = try #require(result.json["visibleRect"] as? [Int])
        #expect(rect[0] <= 20 && rect[1] <= 37 && rect[0] + rect[2] >= 80 && rect[1] + rect[3] >= 87)
        let cut = try VipsImage.load(folder.path("cut.jpg"), with: "jpegload", [:]).autorotated()
        let whole = try VipsImage.load(folder.path("photo.jpg"), with: "jpegload", [:]).autorotated()
        #expect((cut.width, cut.height) == (rect[2], rect[3]))
        // Excludes the edges, where chroma is interpolated without the removed neighbors.
        let inner = PixelRect<StoredGrid>(x: 2, y: 2, width: rect[2] - 4, height: rect[3] - 4)
        let expected = try whole.cropped(
            to: PixelRect(x: rect[0] + 2, y: rect[1] + 2, width: rect[2] - 4, height: rect[3] - 4))
        #expect(try cut.cropped(to: inner).pixels().copied() == expected.pixels().copied())
    }

    @Test("reports nothing if the rectangle is aligned to blocks")
    func aligned() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 160, height: 128).save(folder.path("photo.jpg"), oriented: .up)
        let result = try await Self.viewport.run([
            "render", folder.path("photo.jpg"), "--lossless", "--rect", "16,32,64,48", "-o",
            folder.path("cut.jpg"),
        ])
        #expect(result.code == 0 && result.errors.isEmpty)
    }

    static let refusedRequests: [([String], code: Int32)] = [
        (["--rect", "0,0,16,16", "-o", "cut.png"], 64), (["-o", "cut.jpg"], 64),
        (["--rect", "0,0,16,16", "--zoom", "2", "-o", "cut.jpg"], 64),
        (["--rect", "0,0,16,16", "--flip", "-o", "cut.jpg"], 64),
        (["--rect", "0,0,16,16", "-Q", "50", "-o", "cut.jpg"], 64),
    ]

    @Test("is refused if pixels would have to be decoded", arguments: refusedRequests)
    func refused(_ arguments: [String], _ code: Int32) async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 160, height: 128).save(folder.path("photo.jpg"), oriented: .up)
        let result = try await Self.viewport.run(
            ["render", "photo.jpg", "--lossless"] + arguments, in: folder.url)
        #expect(result.code == code, "\(result.errors)")
    }

    @Test("is refused for progressive JPEGs, with the reason")
    func progressive() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 160, height: 128).save(
            folder.path("photo.jpg"), with: "jpegsave", ["interlace": .bool(true)])
        let result = try await Self.viewport.run(
            ["render", "photo.jpg", "--lossless", "--rect", "0,0,16,16", "-o", "cut.jpg"], in: folder.url)
        #expect(result.code == 65)
        #expect(result.errors.contains("progressive"))
    }
}

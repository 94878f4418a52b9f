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

    /// A JPEG segment of content credentials, without signed contents: a store of C2PA with a box.
    private static func credentials(part: Int) -> [UInt8] {
        func big(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
        }
        let description =
            big(0x6332_7061_0011_0010, 8) + [0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71, 3] + Array("c2pa\0".utf8)
        let store = big(description.count + 8, 4) + Array("jumd".utf8) + description
        let body = part == 1 ? store : [UInt8](repeating: 7, count: 40)
        let box = big(store.count + 48, 4) + Array("jumb".utf8)
        let segment = Array("JP".utf8) + big(9, 2) + big(part, 4) + box + body
        return [0xFF, 0xEB] + big(segment.count + 2, 2) + segment
    }

    @Test("leaves out content credentials, which are signed for the whole file, and says so")
    func credentials() async throws {
        let folder = try TemporaryFolder()
        try TestImages.photo(width: 160, height: 128).save(folder.path("photo.jpg"), oriented: .up)
        let photo = Array(try folder.data("photo.jpg"))
        let other: [UInt8] = [0xFF, 0xEB, 0, 20] + Array("JP".utf8) + [UInt8](repeating: 1, count: 16)
        let signed = photo[..<2] + Self.credentials(part: 1) + Self.credentials(part: 2) + other + photo[2...]
        try Data(signed).write(to: folder.url.appendingPathComponent("signed.jpg"))
        func count(_ name: String) throws -> Int {
            let bytes = Array(try folder.data(name))
            return bytes.indices.dropLast(4).count { bytes[$0..<($0 + 2)].elementsEqual([0xFF, 0xEB]) }
        }
        let words = "its content credentials (C2PA) are left out: they are signed for its own bytes"
        let cut = try await Self.viewport.run(
            ["render", "signed.jpg", "--lossless", "--rect", "16,32,64,48", "-o", "cut.jpg"], in: folder.url)
        #expect(cut.code == 0 && cut.errors.contains(words), "\(cut.errors)")
        // What other programs keep in such segments stays.
        #expect(try count("signed.jpg") == 3 && count("cut.jpg") == 1)
        let copy = try await Self.viewport.run(
            ["convert", "signed.jpg", "copy.png", "--keep-metadata", "all"], in: folder.url)
        #expect(copy.code == 0 && copy.errors.contains(words), "\(copy.errors)")
        let info = try await Self.viewport.run(["info", "signed.jpg"], in: folder.url)
        #expect(info.text.contains("content credentials (C2PA), which are not verified"), "\(info.text)")
        let plain = try await Self.viewport.run(
            ["render", "photo.jpg", "--lossless", "--rect", "16,32,64,48", "-o", "plain.jpg"], in: folder.url)
        #expect(plain.code == 0 && plain.errors.isEmpty, "\(plain.errors)")
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

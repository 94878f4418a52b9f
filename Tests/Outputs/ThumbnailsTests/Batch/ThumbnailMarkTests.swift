import Foundation
import TestSupport
import Testing
import ViewportRendering
import Vips

@testable import Thumbnails

@Suite("The mark of a thumbnail")
struct ThumbnailMarkTests {
    static let savers: [PictureFormat: String] = [
        .jpg: "jpegsave_buffer", .png: "pngsave_buffer", .webp: "webpsave_buffer", .avif: "heifsave_buffer",
    ]

    static func file(_ format: PictureFormat, bands: Int, lossless: Bool = false) throws -> [UInt8] {
        var arguments: [String: VipsArgument] = ["strip": .bool(true)]
        if format == .avif { arguments["compression"] = .name("av1") }
        if format == .webp { arguments["lossless"] = .bool(lossless) }
        return try TestImages.photo(width: 41, height: 30, bands: bands).saved(
            with: savers[format] ?? "", arguments)
    }

    @Test(
        "can be read back, and decoders ignore it",
        arguments: [
            (PictureFormat.jpg, 3, false), (.png, 3, false), (.png, 4, false), (.webp, 3, false),
            (.webp, 4, false),
            (.webp, 3, true), (.webp, 4, true), (.avif, 3, false),
        ], [nil, "placeholder="])
    func reading(_ kind: (PictureFormat, Int, Bool), _ placeholder: String?) throws {
        let plain = try Self.file(kind.0, bands: kind.1, lossless: kind.2)
        let mark = ThumbnailMark(
            recipe: "0123456789abcdef", sourceBytes: 12345, width: 41, height: 30, placeholder: placeholder)
        let marked = mark.added(to: plain, kind.0)
        #expect(ThumbnailMark(of: marked, kind.0) == mark)
        #expect(ThumbnailMark(of: plain, kind.0) == nil)
        #expect(mark.added(to: plain, kind.0) == marked)
        let folder = try TemporaryFolder()
        let pictures = try [plain, marked].enumerated().map { number, bytes in
            let path = folder.path("\(number).\(kind.0.rawValue)")
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            return try VipsImage.load(path, with: VipsImage.loader(for: path), [:])
        }
        #expect(pictures[0].bands == pictures[1].bands)
        #expect(try pictures[0].pixels().copied() == pictures[1].pixels().copied())
    }

    @Test(
        "is invalid after the file was truncated or changed",
        arguments: [PictureFormat.jpg, .png, .webp, .avif])
    func damage(_ format: PictureFormat) throws {
        let mark = ThumbnailMark(recipe: "0123456789abcdef", sourceBytes: 1, width: 41, height: 30)
        let marked = mark.added(to: try Self.file(format, bands: 3), format)
        var random = SplitMix64(seed: 9)
        for _ in 0..<200 {
            let place = Int(random.next() % UInt64(marked.count))
            #expect(ThumbnailMark(of: Array(marked[..<place]), format) == nil)
            var changed = marked
            changed[place] ^= UInt8(1 << (random.next() % 8))
            let found = ThumbnailMark(of: changed, format)
            // A change in the mark itself may give another valid mark.
            #expect(found == nil || found != mark)
        }
    }
}

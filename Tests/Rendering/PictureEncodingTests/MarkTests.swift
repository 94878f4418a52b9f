import Checksums
import Containers
import Digests
import Files
import Foundation
import PictureEncoding
import TestSupport
import Testing
import Vips

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
        let marked = mark.added(to: plain, kind.0.fileKind)
        #expect(ThumbnailMark(of: marked, kind.0.fileKind) == mark)
        #expect(ThumbnailMark(of: plain, kind.0.fileKind) == nil)
        #expect(mark.added(to: plain, kind.0.fileKind) == marked)
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
        let marked = mark.added(to: try Self.file(format, bands: 3), format.fileKind)
        var random = SplitMix64(seed: 9)
        for _ in 0..<200 {
            let place = Int(random.next() % UInt64(marked.count))
            #expect(ThumbnailMark(of: Array(marked[..<place]), format.fileKind) == nil)
            var changed = marked
            changed[place] ^= UInt8(1 << (random.next() % 8))
            let found = ThumbnailMark(of: changed, format.fileKind)
            // A change in the mark itself may give another valid mark.
            #expect(found == nil || found != mark)
        }
    }
}

@Suite("Marks of former versions")
struct FormerMarkTests {
    /// A JPEG with an EXIF segment behind the JFIF segment, which is 18 bytes long.
    private static func photo() throws -> (bytes: [UInt8], jfif: Int, exif: Int) {
        // libvips leaves out the JFIF segment with the metadata.
        let plain = try ThumbnailMarkTests.file(.jpg, bands: 3)
        let jfif: [UInt8] = [0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]
        let exif: [UInt8] = [0xFF, 0xE1, 0, 8] + Array("Exif\0\0".utf8)
        return (plain[..<2] + jfif + exif + plain[2...], 20, 20 + exif.count)
    }

    /// Returns a JPEG with a comment at an offset.
    private static func commented(_ file: [UInt8], _ text: String, at offset: Int) -> [UInt8] {
        file[..<offset] + [0xFF, 0xFE, 0, UInt8(text.utf8.count + 2)] + Array(text.utf8) + file[offset...]
    }

    @Test("are found in thumbnails, before and behind their EXIF block")
    func thumbnails() throws {
        let (file, jfif, exif) = try Self.photo()
        let sum = SHA256.hash(file.span).hexadecimal(first: 8)
        let text = "viewport-thumbnail 1 0123456789abcdef 12345 41x30 \(sum)"
        let mark = ThumbnailMark(recipe: "0123456789abcdef", sourceBytes: 12345, width: 41, height: 30)
        for place in [jfif, exif] {
            #expect(ThumbnailMark(of: Self.commented(file, text, at: place), .jpeg) == mark)
        }
        #expect(mark.added(to: file, .jpeg) == Self.commented(file, text, at: exif))
    }

    @Test("are found in other files")
    func others() throws {
        let (file, _, exif) = try Self.photo()
        let digits = String(CRC32.of(file.span), radix: 16)
        let sum = String(repeating: "0", count: 8 - digits.count) + digits
        let folder = try TemporaryFolder()
        let path = folder.path("marked.jpg")
        try Data(Self.commented(file, "viewport-made 1 \(sum)", at: exif)).write(
            to: URL(fileURLWithPath: path))
        #expect(FileMark.isOn(path, .jpeg))
        #expect(FileMark.isOnOwn(path, .jpeg))
        try Data(file).write(to: URL(fileURLWithPath: path))
        #expect(!FileMark.isOnOwn(path, .jpeg))
    }
}

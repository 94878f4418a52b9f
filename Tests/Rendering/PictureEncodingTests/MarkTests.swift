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

    /// Returns a WebP with a chunk at its end.
    private static func extended(_ file: [UInt8], _ type: FourCC, _ text: (ArraySlice<UInt8>) -> String)
        -> [UInt8]
    {
        let body = WebPFile.extended(file)[12...]
        return RIFFChunk.file("WEBP", body + RIFFChunk.bytes(type, Array(text(body).utf8)))
    }

    @Test("are found in WebP files, which had them in chunks of their own")
    func webp() throws {
        let file = try ThumbnailMarkTests.file(.webp, bands: 3)
        let marked = Self.extended(file, "VPMK") { body in
            let digits = String(CRC32.of(Array(body).span), radix: 16)
            return "viewport-made 1 " + String(repeating: "0", count: 8 - digits.count) + digits
        }
        let folder = try TemporaryFolder()
        try Data(marked).write(to: URL(fileURLWithPath: folder.path("marked.webp")))
        #expect(FileMark.isOn(folder.path("marked.webp"), .webp))
        let mark = ThumbnailMark(recipe: "0123456789abcdef", sourceBytes: 12345, width: 41, height: 30)
        let bare = RIFFChunk.file("WEBP", WebPFile.extended(file)[12...])
        // The header counts the chunk of the mark, which is as long whatever its checksum is.
        func thumbnail(_ sum: String) -> [UInt8] {
            Self.extended(file, "VPTN") { _ in "viewport-thumbnail 1 0123456789abcdef 12345 41x30 \(sum)" }
        }
        let whole = thumbnail(String(repeating: "0", count: 16))
        let sum = SHA256.hash(Array(whole[..<bare.count]).span).hexadecimal(first: 8)
        #expect(ThumbnailMark(of: thumbnail(sum), .webp) == mark)
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

@Suite("The mark of a WebP")
struct WebPMarkTests {
    private static let webpinfo = BuiltProgram(installed: "webpinfo")

    @Test(
        "leaves files without metadata in the simple format, and is gone after a change",
        arguments: [(3, false), (4, false), (3, true), (4, true)])
    func simple(_ bands: Int, _ lossless: Bool) async throws {
        let plain = try ThumbnailMarkTests.file(.webp, bands: bands, lossless: lossless)
        let simple = WebPFile(plain).withoutEXIF().bytes
        let marked = FileMark.added(to: simple, .webp)
        #expect(marked.count == simple.count + FileMark.length)
        #expect(marked[12..<16] == simple[12..<16])
        let folder = try TemporaryFolder()
        let path = folder.path("marked.webp")
        try Data(marked).write(to: URL(fileURLWithPath: path))
        #expect(FileMark.isOn(path, .webp))
        let pictures = try [simple, marked].map { try VipsImage.load(bytes: $0, with: "webpload_buffer") }
        #expect(try pictures[0].pixels().copied() == pictures[1].pixels().copied())
        if let webpinfo = Self.webpinfo {
            let said = try await webpinfo.run(["marked.webp"], in: folder.url)
            #expect(said.code == 0 && !said.text.lowercased().contains("warning"), "\(said.text)")
        }
        var random = SplitMix64(seed: 3)
        for _ in 0..<50 {
            var changed = marked
            changed[12 + Int(random.next() % UInt64(marked.count - 12))] ^= UInt8(1 << (random.next() % 8))
            try Data(changed).write(to: URL(fileURLWithPath: path))
            #expect(!FileMark.isOn(path, .webp))
        }
    }
}

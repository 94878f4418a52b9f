import Basics
import Containers
import Resampling
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering
import Vips

@testable import ImageReading

@Suite("A part of a TIFF that cannot be decoded")
struct UndecodablePartsTests {
    /// What is done to one strip or tile.
    enum Damage: String, CaseIterable {
        /// Its stated length is halved.
        case halved
        /// Its bytes are zeros.
        case zeros
        /// It begins behind the end of the file.
        case outside
    }

    /// The compressions of libvips' writer, each with the damage that its decoder can notice.
    static let compressions: [(name: String, damage: [Damage])] = [
        // Plain samples are read as they lie, whatever length is stated.
        ("none", [.outside]),
        ("jpeg", [.halved, .zeros, .outside]), ("deflate", [.halved, .zeros, .outside]),
        ("lzw", [.halved, .zeros, .outside]), ("packbits", [.halved, .zeros, .outside]),
        ("webp", [.halved, .zeros, .outside]), ("zstd", [.halved, .zeros, .outside]),
        ("ccittfax4", [.outside]),
    ]

    static let cases: [(compression: String, damage: Damage, isTiled: Bool)] = compressions.flatMap { one in
        one.damage.flatMap { damage in
            [true, false].filter { !$0 || one.name != "ccittfax4" }.map { (one.name, damage, $0) }
        }
    }

    /// Returns a picture of 200x160 pixels in 48 rows per strip, or in tiles of 64x48; nil where libvips cannot write it.
    static func whole(_ compression: String, isTiled: Bool) throws -> [UInt8]? {
        let photo = try TestImages.photo(width: 200, height: 160, bands: compression == "ccittfax4" ? 1 : 3)
        var arguments: [String: VipsArgument] = [
            "compression": .name(compression), "tile": .bool(isTiled), "tile_width": .int(64),
            "tile_height": .int(48),
        ]
        if compression == "ccittfax4" { arguments["bitdepth"] = .int(1) }
        return try? photo.saved(with: "tiffsave_buffer", arguments)
    }

    /// Returns the file with damage in the second part.
    static func damaged(_ file: [UInt8], _ damage: Damage) throws -> [UInt8] {
        var editor = try #require(TIFFEditor(file))
        let main = try #require(editor.main)
        let (offsets, lengths) = main.has(324) ? (UInt16(324), UInt16(325)) : (273, 279)
        var (starts, counts) = (main.ints(offsets), main.ints(lengths))
        try #require(starts.count > 1 && counts.count == starts.count)
        let part = starts[1]..<(starts[1] + counts[1])
        switch damage {
        case .halved: counts[1] /= 2
        case .outside: starts[1] = file.count + 1000
        case .zeros:
            var bytes = file
            bytes.replaceSubrange(part, with: repeatElement(0, count: part.count))
            return bytes
        }
        #expect(editor.set(offsets, in: main, toAll: starts) && editor.set(lengths, in: main, toAll: counts))
        return editor.bytes
    }

    /// Returns the rows of a file as libvips reads it, or through the reader of this package.
    static func rows(_ file: [UInt8]) throws -> [[UInt8]] {
        let image = try ImageFile(bytes: file, name: "file.tif")
        let reader = try image.source.open(image.pyramid.full)
        var rows: [[UInt8]] = []
        try reader.read(PixelRect(image.storedSize)) { row in
            var collector = RowCollector(byteCount: row.byteCount)
            collector.push(row)
            rows.append(collector.pixels)
        }
        return rows
    }

    @Test("is an error with every version of libvips", arguments: cases.indices)
    func damaged(_ index: Int) throws {
        let (compression, damage, isTiled) = Self.cases[index]
        guard let whole = try Self.whole(compression, isTiled: isTiled), (try? Self.rows(whole)) != nil else {
            print("this libvips does not write or read \(compression)")
            return
        }
        #expect(try Self.rows(whole).count == 160)
        let file = try Self.damaged(whole, damage)
        #expect(throws: RenderingError.self, "\(compression), \(damage.rawValue), tiled: \(isTiled)") {
            try Self.rows(file)
        }
    }

    @Test("of a level in SubIFDs or of a later page is an error", arguments: [true, false])
    func otherDirectories(_ isSub: Bool) throws {
        let photo = try TestImages.photo(width: 400, height: 300)
        let file = try photo.saved(
            with: "tiffsave_buffer",
            [
                "compression": .name("lzw"), "tile": .bool(true), "tile_width": .int(64),
                "tile_height": .int(64), "pyramid": .bool(true), "subifd": .bool(isSub),
            ])
        let block = try #require(TIFFBlock(tiff: FileBytes(file)))
        let main = try #require(block.main)
        let level = try #require(
            isSub ? main.ints(330).first.flatMap { TIFFDirectory(block, at: $0) } : main.following)
        let (start, count) = (try #require(level.ints(324).first), try #require(level.ints(325).first))
        var bytes = file
        bytes.replaceSubrange(start..<(start + count), with: repeatElement(0, count: count))
        let image = try ImageFile(bytes: bytes, name: "file.tif")
        try #require(image.pyramid.levels.count > 1)
        let reader = try image.source.open(image.pyramid.levels[1])
        #expect(throws: RenderingError.self) {
            try reader.read(PixelRect(reader.level.size)) { _ in }
        }
    }

    @Test(
        "is told from tags that libtiff does not know", arguments: ["none", "lzw", "ccittfax4"],
        [true, false])
    func unknownTags(_ compression: String, _ isTiled: Bool) throws {
        guard !isTiled || compression != "ccittfax4",
            let whole = try Self.whole(compression, isTiled: isTiled)
        else { return }
        // The resolution becomes a private tag, of which libtiff warns.
        let main = try #require(TIFFEditor(whole)?.main)
        let entry = try #require(try main.entries().first { $0.tag == 283 })
        var bytes = whole
        bytes[entry.position] = 0x20
        bytes[entry.position + 1] = 0xFD
        #expect(try Self.rows(bytes) == Self.rows(whole), "\(compression)")
    }

    @Test("of a fax is an error where libtiff notices it")
    func fax() throws {
        let whole = try #require(try Self.whole("ccittfax4", isTiled: false))
        #expect(throws: RenderingError.self) { try Self.rows(Self.damaged(whole, .zeros)) }
    }

    @Test("is a JPEG without its end marker only where data is missing, too", arguments: [true, false])
    func jpegs(_ isTiled: Bool) throws {
        let whole = try #require(try Self.whole("jpeg", isTiled: isTiled))
        let main = try #require(TIFFEditor(whole)?.main)
        let (starts, counts) = (main.ints(isTiled ? 324 : 273), main.ints(isTiled ? 325 : 279))
        var bytes = whole
        let end = starts[1] + counts[1]
        try #require(Array(bytes[(end - 2)..<end]) == [0xFF, 0xD9])
        bytes.replaceSubrange((end - 2)..<end, with: [0, 0])
        #expect(try Self.rows(bytes) == Self.rows(whole))
        let cut = Self.error(try Self.damaged(whole, .halved))
        guard case .truncated(_, let missing)? = cut else {
            Issue.record("\(String(describing: cut))")
            return
        }
        #expect(
            missing == (isTiled ? "the data of tile 2 ends early" : "the data of rows 49 to 96 ends early"))
        var tolerant = OpenOptions()
        tolerant.allowsTruncated = true
        let shown = try ImageFile(bytes: Self.damaged(whole, .halved), name: "file.tif", options: tolerant)
        var count = 0
        try shown.source.open(shown.pyramid.full).read(PixelRect(shown.storedSize)) { _ in count += 1 }
        #expect(count == 160)
    }

    private static func error(_ file: [UInt8]) -> RenderingError? {
        do {
            _ = try rows(file)
        } catch let error as RenderingError {
            return error
        } catch {}
        return nil
    }
}

import Basics
import Containers
import Files
import TestSupport
import Testing

@Suite("The walkers of containers")
struct WalkerTests {
    private static let page = 1 << 14
    private static let failure = FileError.unreadable("its disk is broken")

    private static let jpeg =
        JPEGSegment.startOfImage + JPEGSegment.bytes(0xE1, Array("Exif".utf8)) + [0xFF]
        + JPEGSegment.bytes(0xC0, [8, 0, 1, 0, 1, 1, 1, 0x11, 0])
        + JPEGSegment.bytes(0xDA, [1, 1, 0, 0, 63, 0])
        + [1, 0xFF, 0, 2, 0xFF, 0xD0, 3] + JPEGSegment.endOfImage

    private static func markers(
        _ file: [UInt8], gaps: JPEGSegments<[UInt8]>.Gaps = .passed
    ) throws -> [UInt8] {
        var walk = JPEGSegments(file, gaps: gaps)
        var markers: [UInt8] = []
        while let segment = try walk.next() {
            markers.append(segment.marker)
            if segment.marker == 0xDA { _ = try walk.passData() }
        }
        return markers
    }

    @Test("find the segments of a JPEG and its data")
    func jpeg() throws {
        #expect(try Self.markers(Self.jpeg) == [0xE1, 0xC0, 0xDA, 0xD9])
        #expect(try Self.markers(Self.jpeg, gaps: .refused) == [0xE1, 0xC0, 0xDA, 0xD9])
        var walk = JPEGSegments(Self.jpeg)
        #expect(try walk.next()?.body == 6..<10)
        #expect(try walk.next()?.isFrame == true)
        #expect(try walk.next()?.endsHeader == true)
        #expect(try walk.passData().count == 7)
    }

    @Test("pass bytes between the segments of a JPEG, or end there")
    func gaps() throws {
        let file = Array(Self.jpeg[..<10]) + [7, 0xFF, 0, 7] + Self.jpeg[10...]
        #expect(try Self.markers(file) == [0xE1, 0xC0, 0xDA, 0xD9])
        var walk = JPEGSegments(file, gaps: .refused)
        #expect(try walk.next() != nil)
        #expect(try walk.next() == nil)
        guard case .noMarker? = walk.end else { throw Self.failure }
    }

    @Test("survive every truncation of a JPEG, and segments of an impossible length")
    func damagedJPEG() throws {
        for count in 0..<Self.jpeg.count {
            var walk = JPEGSegments(Array(Self.jpeg[..<count]))
            while let segment = try walk.next() {
                #expect(segment.body.upperBound <= count)
                if segment.marker == 0xDA { _ = try walk.passData() }
            }
        }
        #expect(try Self.markers([0xFF, 0xD8, 0xFF, 0xE1, 0, 1, 0xFF, 0xD9]) == [])
    }

    @Test("change the metadata of a JPEG and keep the rest")
    func rewrittenJPEG() throws {
        var file = JPEGFile(Self.jpeg)
        #expect(file.segments.map(\.marker) == [0xE1])
        file.segments[0].body = [9]
        #expect(file.bytes == JPEGSegment.startOfImage + JPEGSegment.bytes(0xE1, [9]) + Self.jpeg[10...])
        #expect(JPEGFile(head: Self.jpeg).segments.map(\.body) == [Array("Exif".utf8)])
    }

    @Test("find the chunks of a PNG and check them")
    func png() throws {
        let file = PNGChunk.signature + PNGChunk.bytes("IHDR", [1, 2, 3]) + PNGChunk.bytes("IEND", [])
        var chunks = PNGChunks(FileBytes(file))
        let first = try #require(try chunks.next())
        #expect(first.type == "IHDR" && Array(file[first.body]) == [1, 2, 3])
        #expect(try chunks.isIntact(first))
        #expect(try chunks.next()?.whole == 23..<35)
        #expect(try chunks.next() == nil)
        var damaged = file
        damaged[17] ^= 1
        #expect(try !PNGChunks(FileBytes(damaged)).isIntact(first))
    }

    @Test("find the chunks of a RIFF file, padded and cut")
    func riff() throws {
        let file = RIFFChunk.file("WEBP", RIFFChunk.bytes("EXIF", [1]) + RIFFChunk.bytes("XMP ", [2, 3]))
        var chunks = RIFFChunks(FileBytes(file))
        #expect(try chunks.next()?.body == 20..<21)
        let last = try #require(try chunks.next())
        #expect(last.start == 22 && last.isWhole)
        #expect(try chunks.next() == nil)
        var cut = RIFFChunks(FileBytes(Array(file.dropLast())))
        #expect(try cut.next()?.isWhole == true)
        #expect(try cut.next()?.isWhole == false)
        #expect(
            WebPFile(file).withoutEXIF().bytes == RIFFChunk.file("WEBP", RIFFChunk.bytes("XMP ", [2, 3])))
    }

    @Test("find boxes by their path, and cut those that are too long")
    func boxes() throws {
        let file = Box.bytes("moov", Box.bytes("free", [1]), Box.bytes("trak", Box.bytes("mdia", [5, 6])))
        let bytes = FileBytes(file)
        let found = try #require(try BoxList.first("moov", "trak", "mdia", in: 0..<file.count, of: bytes))
        #expect(Array(file[found]) == [5, 6])
        #expect(try BoxList.first("moov", "mdia", in: 0..<file.count, of: bytes) == nil)
        var cut = BoxList(FileBytes([0xFF, 0xFF, 0xFF, 0xFF] + Array("free".utf8) + [1]), in: 0..<9)
        let box = try #require(try cut.next())
        #expect(box.whole == 0..<9 && box.statedLength == 0xFFFF_FFFF)
        #expect(try cut.next() == nil)
        var short = BoxList(FileBytes([0, 0, 0, 7] + Array("free".utf8)), in: 0..<8)
        #expect(try short.next() == nil)
    }

    @Test("write and read directories of TIFFs", arguments: [ByteOrder.big, .little], [false, true])
    func tiff(_ order: ByteOrder, _ isBig: Bool) throws {
        let tags = [
            TIFFValue(tag: 256, type: 3, [7], order), TIFFValue(tag: 257, type: 4, [1, 2, 3], order),
            TIFFValue(tag: 282, type: 5, [1, 2], order),
        ]
        let file = TIFFWriter(order, isBig: isBig).block(
            tags, [(700, [TIFFValue(tag: 1, type: 3, [9], order)])])
        let block = try #require(TIFFBlock(tiff: FileBytes(file)))
        let main = try #require(block.main)
        #expect(main.isWhole && main.next == nil && block.offsetSize == (isBig ? 8 : 4))
        #expect(Array(main.values.prefix(3)) == tags)
        #expect(main.int(256) == 7 && main.ints(257) == [1, 2, 3] && main.rationals(282) == [0.5])
        #expect(main.directory(700)?.int(1) == 9)
        #expect(try block.numbers(#require(main.entry(257))) == [1, 2, 3])
        // No truncation makes values that are not there.
        for count in 0..<file.count {
            guard let part = TIFFBlock(tiff: FileBytes(Array(file[..<count])))?.main else { continue }
            #expect(part.int(256) ?? 7 == 7 && [[], [1, 2, 3]].contains(part.ints(257)))
        }
    }

    @Test("change a TIFF in place")
    func editedTIFF() throws {
        let file = TIFFWriter(.big).block([TIFFValue(tag: 274, type: 3, [6], .big)])
        var editor = try #require(TIFFEditor(file))
        editor.set(274, in: try #require(editor.main), type: 3, to: 1)
        #expect(editor.main?.int(274) == 1 && editor.bytes.count == file.count)
        #expect(TIFFEditor([1, 2, 3]) == nil)
    }

    @Test("throw where the bytes of a file cannot be read")
    func unreadable() throws {
        let filler = [UInt8](repeating: 1, count: Self.page)
        let jpeg = BrokenFile(
            JPEGSegment.startOfImage + JPEGSegment.bytes(0xE2, filler) + Self.jpeg[2...], readable: Self.page)
        var segments = JPEGSegments(FileBytes(jpeg))
        #expect(try segments.next()?.marker == 0xE2)
        #expect(throws: Self.failure) { try segments.next() }
        let png = BrokenFile(
            PNGChunk.signature + PNGChunk.bytes("tEXt", filler) + PNGChunk.bytes("IEND", []),
            readable: Self.page)
        var chunks = PNGChunks(FileBytes(png))
        let text = try #require(try chunks.next())
        #expect(throws: Self.failure) { try chunks.isIntact(text) }
        #expect(throws: Self.failure) { try chunks.next() }
        let riff = BrokenFile(
            RIFFChunk.file("WEBP", RIFFChunk.bytes("EXIF", filler) + RIFFChunk.bytes("XMP ", [1])),
            readable: Self.page)
        var parts = RIFFChunks(FileBytes(riff))
        _ = try parts.next()
        #expect(throws: Self.failure) { try parts.next() }
        let boxes = BrokenFile(Box.bytes("free", filler) + Box.bytes("moov", [1]), readable: Self.page)
        let bytes = FileBytes(boxes)
        #expect(throws: Self.failure) { try BoxList.first("moov", in: 0..<bytes.count, of: bytes) }
        let tiff = TIFFWriter(.big).block([
            TIFFValue(tag: 700, type: 7, count: 4 * Self.page, bytes: filler + filler + filler + filler)
        ])
        let block = try #require(TIFFBlock(FileBytes(BrokenFile(tiff, readable: Self.page))))
        let entry = try #require(block.main?.entry(700))
        #expect(throws: Self.failure) { try block.numbers(entry) }
        // Zeros are no values.
        #expect(block.main == nil)
    }
}

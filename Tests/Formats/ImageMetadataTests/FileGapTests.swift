import Containers
import Files
import TestSupport
import Testing

@testable import ImageMetadata

@Suite("What is missing of a file by its structure")
struct FileGapTests {
    private static func gap(_ bytes: [UInt8], _ name: String) -> String? {
        FileGap.find(FileBytes(bytes), name: name)?.text
    }

    private static let preview = TinyPhoto.jpeg(width: 160, height: 120)

    @Test(
        "is the end of the sensor's data of a raw file that is cut",
        arguments: [FileFormat.nef, .srw, .arw, .dng, .cr2, .pef])
    func raw(_ format: FileFormat) {
        let name = "a.\(format.type.fileExtension)"
        let whole = RawMaker.file(format, large: Self.preview, small: Self.preview)
        #expect(Self.gap(whole, name) == nil)
        #expect(Self.gap(Array(whole.dropLast(30)), name) != nil)
    }

    @Test("is found in the last page of a TIFF, and in tiles")
    func pages() {
        #expect(Self.gap(PageMaker.scan, "a.tif") == nil)
        #expect(Self.gap(Array(PageMaker.scan.dropLast(30)), "a.tif") == "rows 1 to 30 are missing")
        let tile: TIFFMaker.Directory = [
            (0x0100, .long(16)), (0x0101, .long(16)), (0x0102, .short(8)), (0x0103, .short(1)),
            (0x0106, .short(1)), (0x0142, .long(16)), (0x0143, .long(16)), (0x0144, .start(0)),
            (0x0145, .length(0)),
        ]
        let tiled = TIFFMaker.file([tile], blobs: [[UInt8](repeating: 9, count: 256)])
        #expect(Self.gap(tiled, "a.tif") == nil)
        #expect(Self.gap(Array(tiled.dropLast()), "a.tif") == "1 of its 1 tiles are missing")
    }

    @Test("is data of HEIF's items that a box without a length should have")
    func heif() throws {
        let maker = HEIFMaker([
            HEIFMaker.Item(
                1, "hvc1", [UInt8](repeating: 5, count: 400), properties: [HEIFMaker.size(64, 48)])
        ])
        var file = maker.bytes
        let box = file.count - 408
        #expect(Self.gap(file, "a.heic") == nil)
        #expect(Self.gap(Array(file.dropLast(10)), "a.heic")?.contains("10 bytes are missing") == true)
        file.replaceSubrange(box..<(box + 4), with: [0, 0, 0, 0])
        #expect(Self.gap(file, "a.heic") == nil)
        #expect(
            Self.gap(Array(file.dropLast(10)), "a.heic") == "the file ends in the data of its picture")
    }

    /// An element of EBML; without a length as programs write it that record live.
    private static func element(_ id: [UInt8], _ content: [UInt8], isLive: Bool = false) -> [UInt8] {
        id + (isLive ? [0x01] + [UInt8](repeating: 0xFF, count: 7) : [0x08] + big(content.count, 4)) + content
    }

    @Test(
        "is the rest of a Matroska or WebM film, also of one that was recorded live",
        arguments: [false, true])
    func matroska(_ isLive: Bool) {
        let head = Self.element(
            [0x1A, 0x45, 0xDF, 0xA3], Self.element([0x42, 0x82], Array("matroska".utf8)))
        let cluster = Self.element([0x1F, 0x43, 0xB6, 0x75], [UInt8](repeating: 3, count: 200))
        let film = head + Self.element([0x18, 0x53, 0x80, 0x67], cluster + cluster, isLive: isLive)
        for name in ["a.mkv", "a.webm"] {
            #expect(Self.gap(film, name) == nil)
            #expect(Self.gap(Array(film.dropLast(7)), name)?.contains("7") == true)
            #expect(Self.gap(Array(film.dropLast(100)), name)?.contains("100 ") == true)
        }
    }
}

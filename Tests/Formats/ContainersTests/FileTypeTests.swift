import Basics
import Containers
import Files
import TestSupport
import Testing

@Suite("The table of file types")
struct FileTypeTests {
    private static func brands(_ brands: String...) -> [UInt8] {
        Box.bytes("ftyp", Array(brands[0].utf8), [0, 0, 0, 0], brands.dropFirst().flatMap { Array($0.utf8) })
    }

    @Test(
        "recognizes a type by its first bytes",
        arguments: [
            ("jpeg", [0xFF, 0xD8, 0xFF, 0xE0]), ("png", PNGChunk.signature), ("gif", Array("GIF89a".utf8)),
            ("webp", Array("RIFF\0\0\0\0WEBPVP8 ".utf8)), ("avi", Array("RIFF\0\0\0\0AVI LIST".utf8)),
            ("tiff", Array("II*\0\u{08}\0\0\0".utf8)), ("tiff", Array("MM\0+\0\u{08}\0\0".utf8)),
            ("cr2", Array("II*\0\u{10}\0\0\0CR\u{02}\0".utf8)), ("orf", Array("IIRO".utf8)),
            ("raf", Array("FUJIFILMCCD-RAW 0201".utf8)), ("jp2", Array("\0\0\0\u{0C}jP  \r\n".utf8)),
            ("jxl", [0xFF, 0x0A]), ("svg", Array("\n<?xml?><svg/>".utf8)), ("xml", Array("<a/>".utf8)),
            ("pdf", Array("%PDF-1.4".utf8)), ("webm", [0x1A, 0x45, 0xDF, 0xA3] + Array("webm".utf8)),
            ("mkv", [0x1A, 0x45, 0xDF, 0xA3] + Array("matroska".utf8)),
            ("mov", Array("\0\0\0\u{08}wide".utf8)),
            ("json", Array(" {\"a\":1}".utf8)), ("zip", Array("PK\u{03}\u{04}".utf8)),
            ("bmp", Array("BM1234\0\0\0\0".utf8)), ("pnm", Array("P6 1 1 255 ".utf8)),
            ("fits", Array("SIMPLE  =".utf8)), ("viewport", Array("VPIX".utf8)),
        ] as [(String, [UInt8])])
    func recognized(_ name: String, _ bytes: [UInt8]) {
        #expect(FileType(head: bytes)?.name == name)
    }

    @Test("recognizes images and videos by all of their brands")
    func brands() {
        #expect(FileType(head: Self.brands("heic", "mif1")) == .heif)
        #expect(FileType(head: Self.brands("mif1", "heic")) == .heif)
        #expect(FileType(head: Self.brands("msf1", "hevc")) == .heif)
        #expect(FileType(head: Self.brands("mif1", "avif", "miaf")) == .avif)
        #expect(FileType(head: Self.brands("avis")) == .avif)
        #expect(FileType(head: Self.brands("crx ", "isom"))?.name == "cr3")
        #expect(FileType(head: Self.brands("qt  "))?.name == "mov")
        #expect(FileType(head: Self.brands("isom", "mp42"))?.name == "mp4")
        #expect(FileType(head: FileType.imageBrands(isAVIF: false)) == .heif)
        #expect(FileType(head: FileType.imageBrands(isAVIF: true)) == .avif)
    }

    @Test(
        "does not recognize other bytes",
        arguments: [
            [], [0xFF], Array("BMW is a car".utf8), Array("hello".utf8), [UInt8](repeating: 0, count: 99),
        ])
    func unknown(_ bytes: [UInt8]) { #expect(FileType(head: bytes) == nil) }

    @Test("names the pictures for which desktops call the program, none with an untrusted loader")
    func shown() {
        let types = FileType.shownMediaTypes
        #expect(Set(types).count == types.count)
        let wanted = [
            "image/jpeg", "image/png", "image/tiff", "image/heic", "image/heif", "image/avif", "image/webp",
            "image/x-canon-cr2", "image/x-nikon-nrw",
        ]
        #expect(Set(types).isSuperset(of: wanted))
        #expect(types.allSatisfy { $0.hasPrefix("image/") && !$0.contains("svg") && $0 != "image/jxl" })
    }

    @Test("has each name and each extension once")
    func unique() {
        let extensions = FileType.all.flatMap { $0.extensions + $0.readExtensions }
        #expect(Set(extensions).count == extensions.count)
        #expect(extensions.allSatisfy { $0 == $0.lowercased() && FileType.ofExtension($0) != nil })
        #expect(Set(FileType.all.map(\.name)).count == FileType.all.count)
    }

    @Test("knows loaders by the names of their classes")
    func loaders() {
        let loaders = [
            "JpegFile": "jpeg", "PngFile": "png", "NsgifFile": "gif", "HeifFile": "heif", "Jp2kFile": "jp2",
            "OpenslideFile": "openslide", "Magick7File": "bmp", "SvgFile": "svg",
        ]
        for (loader, name) in loaders {
            #expect(FileType.ofLoader("VipsForeignLoad\(loader)")?.name == name, "\(loader)")
        }
        #expect(FileType.ofLoader("VipsForeignLoadNosuch") == nil)
        #expect(FileType.gif.operation == "gifload")
    }

    @Test("has what folders, servers and libraries take")
    func lists() {
        #expect(FileType.scannedExtensions.isSuperset(of: FileType.listedExtensions))
        #expect(
            FileType.listedExtensions.isSuperset(of: ["jpg", "jfif", "hif", "svs", "ndpi", "nef", "pdf"]))
        #expect(FileType.listedExtensions.isDisjoint(with: ["mp4", "psd", "xmp"]))
        #expect(FileType.keptExtensions.isSuperset(of: ["jpg", "mp4", "erf", "vob"]))
        #expect(FileType.keptExtensions.isDisjoint(with: ["pdf", "svg", "xmp", "svs"]))
        #expect(FileType.sidecarExtensions == ["xmp", "aae", "thm", "lrv", "lrf"])
        #expect(FileType.writtenAs("JPEG") == .jpeg && FileType.writtenAs("jfif") == nil)
    }

    @Test("keeps one kind of file from being replaced by another")
    func kinds() throws {
        let folder = try TemporaryFolder()
        try OutputFile.write([0xFF, 0xD8, 0xFF, 0xE0], to: folder.path("a"))
        let other = Output(folder.path("a"), .png, inputs: [], overwrites: true) { _ in true }
        #expect {
            try other.check()
        } throws: {
            "\($0)".contains("is a JPEG picture and would become a PNG picture")
        }
        try Output(folder.path("a"), .jpeg, inputs: [], overwrites: true) { _ in false }.check()
        // A raw file is no TIFF that a TIFF may replace.
        #expect(OutputKind(FileType(head: Array("II*\0\u{10}\0\0\0CR\u{02}\0".utf8))) == .other)
        #expect(OutputKind(FileType(head: Array("II*\0".utf8))) == .tiff)
    }
}

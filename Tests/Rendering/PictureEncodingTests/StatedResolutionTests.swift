import Basics
import Containers
import ImageMetadata
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@testable import PictureEncoding

@Suite("The resolution of a file")
struct StatedResolutionTests {
    /// Pixels per inch.
    private static func dots(_ across: Double, _ down: Double? = nil) -> Resolution? {
        Resolution(across, down ?? across, units: 1 / 0.0254)
    }

    private static let pixels = [UInt8](repeating: 99, count: 96 * 64 * 3)

    /// Returns a file of 96x64 pixels of each kind that states 300 dots per inch, or none.
    private static func source(_ kind: String, isStated: Bool = true) throws -> [UInt8] {
        let picture = Picture(width: 96, height: 64, rgb: pixels)
        switch kind {
        case "jpg":
            let file = try PictureEncoder(.jpg).encodeSynchronously(picture)
            return StatedResolution.jpeg(file, isStated ? dots(300) : nil)
        case "png":
            var maker = PNGMaker()
            (maker.width, maker.height) = (96, 64)
            if isStated { maker.extra = [("pHYs", [0, 0, 0x2E, 0x23, 0, 0, 0x2E, 0x23, 1])] }
            return maker.file
        case "jp2":
            let file = try PictureEncoder(.jp2).encodeSynchronously(picture)
            return StatedResolution.jp2(file, isStated ? dots(300) : nil)
        default:
            let file = try PictureEncoder(.tif).encodeSynchronously(picture)
            return StatedResolution.tiff(file, isStated ? dots(300) : nil)
        }
    }

    private static func stated(_ file: [UInt8]) -> Resolution? {
        FileMetadata(contentsOf: FileBytes(file), name: "image", .all)?.resolution
    }

    /// Renders a part of a file and encodes it with the metadata of the file.
    private static func copy(
        _ file: [UInt8], as format: PictureFormat, part: Rect<ImageSpace>? = nil, scale: Double = 1,
        turn: Orientation = .up
    ) throws -> [UInt8] {
        var options = OpenOptions()
        options.turn = turn
        let image = try ImageFile(bytes: file, options: options)
        let viewport = Viewport(
            imageRect: part ?? Rect(origin: .zero, size: image.uprightSize.imageSize), scale: scale)
        let picture = try ViewportRenderer().renderSynchronously(viewport, of: image).picture
        return try PictureEncoder(format).encodeSynchronously(
            picture, withWritingOf: image, showing: viewport.imageRect
        ).file
    }

    private static let formats = [PictureFormat.png, .jpg, .tif, .jp2].filter(
        PictureFormat.installed.contains)
    private static let kinds = ["jpg", "png", "tif"]

    private static func isNear(_ one: Resolution?, _ other: Resolution?) -> Bool {
        guard let one, let other else { return false }
        return abs(one.across / other.across - 1) < 0.001 && abs(one.down / other.down - 1) < 0.001
    }

    @Test("is kept by copies and parts, and scaled with the pixels", arguments: kinds, formats)
    func kept(_ kind: String, _ format: PictureFormat) throws {
        let file = try Self.source(kind)
        #expect(Self.isNear(Self.stated(file), Self.dots(300)))
        let part = Rect<ImageSpace>(x: 8, y: 8, width: 32, height: 16)
        #expect(Self.isNear(Self.stated(try Self.copy(file, as: format)), Self.dots(300)))
        #expect(Self.isNear(Self.stated(try Self.copy(file, as: format, part: part)), Self.dots(300)))
        #expect(Self.isNear(Self.stated(try Self.copy(file, as: format, scale: 0.5)), Self.dots(150)))
    }

    @Test("is never invented", arguments: kinds, formats)
    func invented(_ kind: String, _ format: PictureFormat) throws {
        let file = try Self.source(kind, isStated: false)
        #expect(Self.stated(file) == nil)
        let copies = [
            try Self.copy(file, as: format),
            try PictureEncoder(format).encodeSynchronously(Picture(width: 96, height: 64, rgb: Self.pixels)),
        ]
        for copy in copies {
            #expect(Self.stated(copy) == nil)
            switch format {
            case .tif: #expect(TIFFBlock(FileBytes(copy))?.main?.int(0x0128) == 1, "no unit")
            case .jpg: #expect(Array(copy[13..<18]) == [0, 0, 1, 0, 1], "no unit")
            default: break
            }
        }
    }

    @Test("is not invented for JPEGs with a profile, either")
    func profile() throws {
        let profile = CodedColors(primaries: 12, transfer: 13, matrix: 0, isFullRange: true).profile
        let picture = Picture(
            size: PixelSize(width: 96, height: 64), bands: 3, depth: 8, hasAlpha: false, profile: profile,
            interpretation: "srgb", bytes: Self.pixels)
        #expect(Self.stated(try PictureEncoder(.jpg).encodeSynchronously(picture)) == nil)
    }

    @Test("is exact in each format's own unit")
    func exact() throws {
        let tiff = try Self.copy(Self.source("jpg"), as: .tif)
        let main = try #require(TIFFBlock(FileBytes(tiff))?.main)
        #expect(main.rationals(0x011A) == [300] && main.rationals(0x011B) == [300] && main.int(0x0128) == 2)
        let jpeg = try Self.copy(Self.source("png"), as: .jpg)
        #expect(Array(jpeg[13..<18]) == [1, 1, 44, 1, 44])
        let png = try Self.copy(Self.source("tif"), as: .png)
        #expect(Self.stated(png) == Resolution(11811, 11811, units: 1))
        // A microscope: 0.25 µm per pixel.
        let fine = try #require(Resolution(4_000_000, 4_000_000, units: 1))
        #expect(fine.jfif == [2, 0x9C, 0x40, 0x9C, 0x40])
        #expect(fine.tiff.unit == 3 && fine.tiff.across == (40_000, 1))
    }

    @Test("is turned with the picture, and differs across and down")
    func turned() throws {
        let fax = StatedResolution.jpeg(try Self.source("jpg"), Self.dots(204, 98))
        #expect(Self.isNear(Self.stated(try Self.copy(fax, as: .png)), Self.dots(204, 98)))
        #expect(Self.isNear(Self.stated(try Self.copy(fax, as: .png, turn: .right)), Self.dots(98, 204)))
    }

    @Test("in XMP and in Photoshop's resources is scaled, too")
    func otherBlocks() throws {
        let packet = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            <rdf:Description rdf:about="" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:XResolution="3000000/10000" \
            tiff:ResolutionUnit="2"><tiff:YResolution>300/1</tiff:YResolution></rdf:Description></rdf:RDF></x:xmpmeta>
            """
        // 300 pixels per inch in 16.16 bits, twice, each with two units.
        let numbers: [UInt8] = [1, 44, 0, 0, 0, 1, 0, 1, 1, 44, 0, 0, 0, 1, 0, 1]
        let resources = Array("8BIM".utf8) + [3, 0xED, 0, 0, 0, 0, 0, 16] + numbers
        var file = JPEGFile(try Self.source("jpg"))
        file.insert(JPEGFile.Segment.xmp(Array(packet.utf8)) + [.init(photoshop: resources)])
        let half = JPEGFile(try Self.copy(file.bytes, as: .jpg, scale: 0.5))
        let xmp = try #require(half.segments.first { $0.isXMP })
        let text = String(decoding: xmp.body, as: UTF8.self)
        #expect(text.contains("tiff:XResolution=\"150/1\"") && text.contains(">150/1</tiff:YResolution>"))
        #expect(text.contains("tiff:ResolutionUnit=\"2\""))
        let photoshop = try #require(half.segments.first { $0.isPhotoshop })
        let scaled: [UInt8] = [0, 150, 0, 0, 0, 1, 0, 1, 0, 150, 0, 0, 0, 1, 0, 1]
        #expect(Array(photoshop.body.suffix(16)) == scaled)
    }

    @Test("in EXIF is scaled, too")
    func exif() throws {
        let writer = TIFFWriter(.big)
        let block = writer.block([
            TIFFValue(tag: 0x010F, type: 2, count: 8, bytes: Array("Scanner\0".utf8)),
            TIFFValue(tag: 0x011A, type: 5, [300, 1], .big), TIFFValue(tag: 0x011B, type: 5, [300, 1], .big),
            TIFFValue(tag: 0x0128, type: 3, [2], .big),
        ])
        var file = JPEGFile(try Self.source("jpg"))
        file.insert([.init(exif: block)])
        let half = try Self.copy(file.bytes, as: .jpg, scale: 0.5)
        let exif = try #require(ImageFile(bytes: half).metadataBlocks().exif)
        #expect(TIFFBlock(FileBytes(exif))?.main?.rationals(0x011A) == [150])
        #expect(Array(half[13..<18]) == [1, 0, 150, 0, 150])
    }
}

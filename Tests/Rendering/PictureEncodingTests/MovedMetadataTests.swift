import Basics
import Containers
import Files
import ImageMetadata
import ImageReading
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering

@testable import PictureEncoding

/// Faces and subjects in pictures that are cut, turned and scaled with their metadata.
@Suite("A face in the metadata of a picture")
struct MovedMetadataTests {
    private static let (width, height) = (160, 120)

    /// A gray picture of 160x120, stored sideways, with a red face at 32, 24, of 32x16 pixels, as all blocks state it.
    private static func file(orientation: Int = 6) throws -> [UInt8] {
        var pixels = [UInt8](repeating: 128, count: width * height * 3)
        for y in 24..<40 {
            for x in 32..<64 {
                pixels.replaceSubrange(3 * (y * width + x)..<3 * (y * width + x) + 3, with: [255, 0, 0])
            }
        }
        let picture = Picture(
            size: PixelSize(width: width, height: height), bands: 3, depth: 8, hasAlpha: false, profile: nil,
            interpretation: "srgb", bytes: pixels)
        var file = JPEGFile(try PictureEncoder(.jpg, quality: 98).encodeSynchronously(picture))
        let builder = ExifBuilder(bigEndian: true)
        let numbers = [48, 32, 32, 16].flatMap { big($0, 2) }
        // The type of the area is SHORT, which the builder has for single values only.
        var exif = builder.block([
            (0x0112, .short(orientation)),
            (
                0x8769,
                .directory([
                    (0x9214, .bytes(numbers)), (0xA001, .short(65535)), (0xA002, .long(width)),
                    (0xA003, .long(height)),
                    (
                        0xA005,
                        .directory([
                            (0x0001, .text("R03")), (0x1001, .short(width)), (0x1002, .short(height)),
                        ])
                    ),
                    (0xA500, .rationals([(22, 10)])),
                ])
            ),
        ])
        let area = try #require(exif.firstRange(of: [0x92, 0x14, 0, 7, 0, 0, 0, 8]))
        exif.replaceSubrange(area, with: [0x92, 0x14, 0, 3, 0, 0, 0, 4])
        let xmp = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
             xmlns:mwg-rs="http://www.metadataworkinggroup.com/schemas/regions/" xmlns:stArea="http://ns.adobe.com/xmp/sType/Area#"
             xmlns:stDim="http://ns.adobe.com/xap/1.0/sType/Dimensions#" xmlns:exif="http://ns.adobe.com/exif/1.0/"
             xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" exif:ColorSpace="65535" photoshop:ICCProfile="Adobe RGB (1998)">
            <mwg-rs:Regions rdf:parseType="Resource"><mwg-rs:AppliedToDimensions stDim:w="\(width)" stDim:h="\(height)" stDim:unit="pixel"/>
            <mwg-rs:RegionList><rdf:Bag><rdf:li mwg-rs:Name="Ann"><mwg-rs:Area stArea:x="0.3" stArea:y="0.266667" stArea:w="0.2" stArea:h="0.133333" stArea:unit="normalized"/></rdf:li></rdf:Bag></mwg-rs:RegionList></mwg-rs:Regions>
            </rdf:Description></rdf:RDF></x:xmpmeta>
            """
        file.insert([.init(exif: exif)] + JPEGFile.Segment.xmp(Array(xmp.utf8)))
        return file.bytes
    }

    /// What blocks state of the face in the pixels of the picture, and where those are red.
    private struct Faces {
        var inXMP: [Double]?
        var inEXIF: [Double]?
        var red: [Double]?
        var sizes: Set<[Int]> = []

        init(_ bytes: [UInt8]) throws {
            let metadata = try #require(FileMetadata(contentsOf: FileBytes(bytes), name: "a.jpg", .blocks))
            let stored = try #require(metadata.storedSize)
            var options = OpenOptions()
            options.appliesOrientation = false
            let file = try ImageFile(bytes: bytes, options: options)
            let viewport = Viewport(
                imageRect: Rect(x: 0, y: 0, width: Double(stored.width), height: Double(stored.height)),
                scale: 1)
            let pixels = try ViewportRenderer().renderSynchronously(viewport, of: file).picture.bytes
            var (columns, rows): (Set<Int>, Set<Int>) = ([], [])
            for y in 0..<stored.height {
                for x in 0..<stored.width {
                    let at = 3 * (y * stored.width + x)
                    if pixels[at] > 200, pixels[at + 1] < 80 { columns.insert(x); rows.insert(y) }
                }
            }
            if let left = columns.min(), let right = columns.max(), let top = rows.min(),
                let bottom = rows.max()
            {
                red = [left, top, right + 1, bottom + 1].map(Double.init)
            }
            sizes.insert([stored.width, stored.height])
            if let xmp = metadata.blocks?.xmp { readXMP(String(decoding: xmp, as: UTF8.self), stored) }
            guard let exif = metadata.blocks?.exif else { return }
            let camera = TIFFBlock(FileBytes(exif))?.main?.directory(0x8769)
            if let camera, let width = camera.int(0xA002), let height = camera.int(0xA003) {
                sizes.insert([width, height])
            }
            if let related = camera?.directory(0xA005), let width = related.int(0x1001),
                let height = related.int(0x1002)
            {
                sizes.insert([width, height])
            }
            if let area = camera?.ints(0x9214), area.count == 4 {
                let (x, y) = (Double(area[0]), Double(area[1]))
                let (across, down) = (Double(area[2]) / 2, Double(area[3]) / 2)
                inEXIF = [x - across, y - down, x + across, y + down]
            }
        }

        private mutating func readXMP(_ text: String, _ size: PixelSize<StoredGrid>) {
            func number(_ name: String) -> Double? {
                text.firstRange(of: "\(name)=\"").flatMap {
                    Double(text[$0.upperBound...].prefix { $0 != "\"" })
                }
            }
            if let width = number("stDim:w"), let height = number("stDim:h") {
                sizes.insert([Int(width), Int(height)])
            }
            guard let x = number("stArea:x"), let y = number("stArea:y"), let across = number("stArea:w"),
                let down = number("stArea:h")
            else { return }
            let (width, height) = (Double(size.width), Double(size.height))
            inXMP = [
                (x - across / 2) * width, (y - down / 2) * height, (x + across / 2) * width,
                (y + down / 2) * height,
            ]
        }

        /// Whether all blocks state that the face is where the pixels are, and one size.
        func agree(within pixels: Double) -> Bool {
            func isNear(_ other: [Double]?) -> Bool {
                guard let red, let other else { return red == nil && other == nil }
                return zip(red, other).allSatisfy { abs($0 - $1) <= pixels }
            }
            return isNear(inXMP) && isNear(inEXIF) && sizes.count == 1
        }
    }

    /// A part of the upright and turned image, and the turn before.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var rect: Rect<ImageSpace>?
        var scale = 1.0
        var turn = Orientation.up
        var isThere = true
    }

    static let cases = [
        Case(testDescription: "upright"), Case(testDescription: "smaller", scale: 0.5),
        Case(testDescription: "larger", scale: 2),
        Case(testDescription: "a corner", rect: Rect(x: 60, y: 20, width: 60, height: 60)),
        Case(testDescription: "a part of the face", rect: Rect(x: 0, y: 48, width: 88, height: 80)),
        Case(testDescription: "another part", rect: Rect(x: 0, y: 80, width: 60, height: 60), isThere: false),
        Case(testDescription: "turned left", turn: .left),
        Case(testDescription: "mirrored", turn: .upMirrored),
        Case(
            testDescription: "upside down, cut and smaller", rect: Rect(x: 0, y: 80, width: 80, height: 80),
            scale: 0.5,
            turn: .down),
    ]

    @Test("lies on the face in a picture of a part", arguments: cases, [1, 2, 3, 4, 5, 6, 7, 8])
    func parts(_ example: Case, _ orientation: Int) throws {
        var options = OpenOptions()
        options.turn = example.turn
        let file = try ImageFile(bytes: try Self.file(orientation: orientation), options: options)
        let whole = file.uprightSize
        // Parts are those of the picture with the orientation 6.
        guard example.rect == nil || orientation == 6 else { return }
        let rect = example.rect ?? Rect(x: 0, y: 0, width: Double(whole.width), height: Double(whole.height))
        let viewport = Viewport(imageRect: rect, scale: example.scale)
        let picture = try ViewportRenderer().renderSynchronously(viewport, of: file).picture
        for format in [PictureFormat.jpg, .png, .webp] {
            let made = try PictureEncoder(format, quality: 98).encodeSynchronously(
                picture, withWritingOf: file, showing: viewport.imageRect)
            let faces = try Faces(made.file)
            #expect(faces.agree(within: 2), "\(format): \(faces)")
            #expect((faces.red != nil) == example.isThere, "\(faces)")
        }
        // Turned by another angle, it is nowhere.
        let made = try PictureEncoder(.jpg, quality: 98).encodeSynchronously(
            picture, withWritingOf: file, showing: nil)
        let faces = try Faces(made.file)
        #expect(faces.inXMP == nil && faces.inEXIF == nil && faces.sizes.count == 1)
    }

    @Test(
        "lies on the face in a copy of blocks, which is not turned",
        arguments: [
            PixelRect<UprightGrid>(x: 60, y: 0, width: 60, height: 90),
            PixelRect(x: 88, y: 40, width: 32, height: 32),
        ])
    func blocks(_ rect: PixelRect<UprightGrid>) throws {
        let crop = try LosslessCrop(rect, of: try ImageFile(bytes: try Self.file()))
        let faces = try Faces(crop.jpeg)
        #expect(faces.agree(within: 2) && faces.red != nil, "\(faces)")
        #expect(FileMetadata(of: crop.jpeg)?.orientation == .right)
        let without = try LosslessCrop(rect, of: try ImageFile(bytes: try Self.file()), metadata: .none)
        #expect(FileMetadata(of: without.jpeg)?.orientation == .right)
    }

    @Test("is in one color space with its picture: all blocks state sRGB where the pixels are")
    func colors() throws {
        let file = try ImageFile(bytes: try Self.file())
        let viewport = Viewport(imageRect: Rect(x: 0, y: 0, width: 120, height: 160), scale: 1)
        let picture = try ViewportRenderer().renderSynchronously(viewport, of: file).picture
        let made = try PictureEncoder(.jpg).encodeSynchronously(
            picture, withWritingOf: file, showing: viewport.imageRect)
        let blocks = try #require(
            FileMetadata(contentsOf: FileBytes(made.file), name: "a.jpg", .blocks)?.blocks)
        let camera = TIFFBlock(FileBytes(try #require(blocks.exif)))?.main?.directory(0x8769)
        #expect(
            camera?.int(0xA001) == 1 && camera?.directory(0xA005)?.string(1) == "R98"
                && camera?.has(0xA500) == false)
        let xmp = String(decoding: try #require(blocks.xmp), as: UTF8.self)
        #expect(xmp.contains("exif:ColorSpace=\"1\"") && !xmp.contains("Adobe RGB"))
    }
}

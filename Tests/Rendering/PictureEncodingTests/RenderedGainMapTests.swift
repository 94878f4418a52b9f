import Containers
import Files
import Foundation
import ImageMetadata
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

@testable import PictureEncoding

@Suite("A rendered gain map")
struct RenderedGainMapTests {
    /// A map of 40x30: the left half has the sample 40, the upper right quarter 120, the lower right one 200.
    private static let map = Result {
        try jpeg(
            VipsImage.pixels(samples, width: 40, height: 30, bands: 1, format: .uint8, interpretation: "b-w"))
    }
    private static let samples: [UInt8] = (0..<30).flatMap { y in
        (0..<40).map { x in x < 20 ? 40 : y < 15 ? 120 : 200 }
    }

    private static func jpeg(_ image: VipsImage) throws -> [UInt8] {
        try image.saved(with: "jpegsave_buffer", ["strip": .bool(true), "Q": .int(95)])
    }

    private static func values(minimum: Double = 0) throws -> GainMapValues {
        let file = GainMapMaker.ultraHDR(exif: nil)
        var values = try #require(GainMap(FileBytes(file))?.values)
        values.minimum = SIMD3(repeating: minimum)
        return values
    }

    /// Returns a JPEG of 160x120 with the map, as `UltraHDRFile` writes it.
    private static func file(_ orientation: Orientation = .up, minimum: Double = 0) throws -> [UInt8] {
        var picture = try jpeg(TestImages.photo(width: 160, height: 120))
        if orientation != .up {
            let exif = ExifBuilder(bigEndian: true).block([(0x0112, .short(orientation.rawValue))])
            let body = Array("Exif\0\0".utf8) + exif
            picture.insert(contentsOf: [0xFF, 0xE1, 0, UInt8(body.count + 2)] + body, at: 2)
        }
        return UltraHDRFile(picture: picture, map: try map.get(), try values(minimum: minimum)).bytes
    }

    private func rendered(
        _ bytes: [UInt8], _ rect: (Double, Double, Double, Double), scale: Double = 1,
        options: OpenOptions = OpenOptions()
    ) throws -> RenderedGainMap {
        let file = try ImageFile(bytes: bytes, options: options)
        let viewport = Viewport(
            imageRect: Rect(x: rect.0, y: rect.1, width: rect.2, height: rect.3), scale: scale)
        return try #require(try ViewportRenderer().renderGainMapSynchronously(viewport, of: file))
    }

    private func sample(_ picture: Picture, _ x: Int, _ y: Int) -> Int {
        Int(picture.bytes[(y * picture.size.width + x) * picture.bands])
    }

    @Test("shows what the picture shows, at its own resolution")
    func parts() throws {
        let bytes = try Self.file()
        let whole = try rendered(bytes, (0, 0, 160, 120)).picture
        #expect(whole.size == PixelSize(width: 40, height: 30) && whole.bands == 1)
        #expect(zip(whole.bytes, Self.samples).allSatisfy { abs(Int($0) - Int($1)) <= 12 })
        let part = try rendered(bytes, (80, 60, 80, 60)).picture
        #expect(part.size == PixelSize(width: 20, height: 15))
        #expect(part.bytes.allSatisfy { abs(Int($0) - 200) <= 12 })
        let half = try rendered(bytes, (0, 0, 160, 120), scale: 0.5).picture
        #expect(half.size == PixelSize(width: 20, height: 15))
        #expect(abs(sample(half, 3, 3) - 40) < 9 && abs(sample(half, 16, 12) - 200) < 9)
        // A part smaller than one sample of the map has one.
        #expect(try rendered(bytes, (159, 119, 1, 1)).picture.size == PixelSize(width: 1, height: 1))
    }

    @Test("is turned as the picture is", arguments: Orientation.allCases)
    func turned(_ orientation: Orientation) throws {
        let bytes = try Self.file(orientation)
        let map = try rendered(
            bytes, (0, 0, orientation.transposes ? 120 : 160, orientation.transposes ? 160 : 120)
        ).picture
        let corners: [(PixelRect<StoredGrid>, Int)] = [
            (PixelRect(x: 30, y: 5, width: 1, height: 1), 120),
            (PixelRect(x: 30, y: 25, width: 1, height: 1), 200),
            (PixelRect(x: 5, y: 5, width: 1, height: 1), 40),
        ]
        for (stored, value) in corners {
            let upright = orientation.upright(stored, in: PixelSize(width: 40, height: 30))
            #expect(abs(sample(map, upright.x, upright.y) - value) < 9, "\(orientation)")
        }
    }

    @Test("leaves the background outside of the image as it is")
    func outside() throws {
        // A third of the range up to the factor 1, stored with the exponent 1.5.
        let map = try rendered(Self.file(minimum: -1.5), (-80, 0, 160, 120)).picture
        let neutral = Int((pow(1.0 / 3, 1.5) * 255).rounded())
        #expect(abs(sample(map, 5, 15) - neutral) <= 1)
        #expect(abs(sample(map, 35, 15) - 40) < 9)
        #expect(sample(try rendered(Self.file(), (-80, 0, 160, 120)).picture, 5, 15) == 0)
    }

    @Test("follows a picture that is otherwise unchanged, at the stated positions")
    func file() throws {
        let file = try ImageFile(bytes: Self.file())
        let viewport = Viewport(imageRect: Rect(x: 16, y: 16, width: 96, height: 64), scale: 1)
        let (picture, _) = try ViewportRenderer().renderSynchronously(viewport, of: file)
        let encoder = PictureEncoder(.jpg, quality: 90)
        let plain = try encoder.encodeSynchronously(picture)
        let map = try #require(try ViewportRenderer().renderGainMapSynchronously(viewport, of: file))
        let written = try encoder.addingSynchronously(map, to: plain)
        for bytes in [written, FileMark.added(to: written, .jpeg)] {
            let index = try #require(MultiPictureIndex(FileBytes(bytes)))
            let range = try #require(index.others.first)
            #expect(range.upperBound == bytes.count)
            #expect(Array(bytes[range].prefix(3)) == [0xFF, 0xD8, 0xFF])
            #expect(bytes[(range.lowerBound - 2)..<range.lowerBound].elementsEqual([0xFF, 0xD9]))
            // The size of the first picture.
            #expect(bytes.bits32(at: index.entries.lowerBound + 4) == range.lowerBound)
            let found = try #require(GainMap(FileBytes(bytes)))
            #expect(found.kind == .ultraHDR && found.place == .jpeg(range))
            #expect(found.size == PixelSize(width: 24, height: 16))
            let values = try #require(found.values)
            #expect(abs(values.gamma.x - map.values.gamma.x) < 1e-5)
            #expect(values.maximum == map.values.maximum && values.baseOffset == map.values.baseOffset)
        }
        var first = JPEGFile(
            Array(written[..<(try #require(MultiPictureIndex(FileBytes(written))).others[0].lowerBound)]))
        first.segments.removeAll { $0.isXMP || $0.isOfMorePictures }
        #expect(first.bytes == plain)
    }

    @Test("is announced in the XMP that is kept, once, and no longer where it is left out")
    func keptXMP() throws {
        let xmp = GainMapMaker.announcement(4711)
        let second = try Self.map.get()
        var picture = JPEGFile(try Self.jpeg(TestImages.photo(width: 160, height: 120)))
        picture.insert([.init(marker: 0xE1, body: Array((JPEGWords.packetName + xmp).utf8))])
        let source = picture.bytes + JPEGFile(second).bytes
        let file = try ImageFile(bytes: source)
        let made = Picture(filling: PixelSize(width: 16, height: 16), with: .white)
        let encoder = PictureEncoder(.jpg)
        let kept = try encoder.encodeSynchronously(
            made, withWritingOf: file, showing: Rect(origin: .zero, size: file.uprightSize.imageSize)
        ).file
        #expect(String(decoding: kept, as: UTF8.self).contains("Lamp &amp; sky"))
        #expect(!String(decoding: kept, as: UTF8.self).contains("hdrgm:Version"))
        let bytes = try rendered(Self.file(), (0, 0, 160, 120))
        let both = String(decoding: try encoder.addingSynchronously(bytes, to: kept), as: UTF8.self)
        #expect(both.contains("Lamp &amp; sky") && !both.contains("4711"))
        #expect(both.split(separator: "Item:Semantic=\"GainMap\"").count == 2)
    }

    @Test("does not exist for other files, and is refused where numbers are missing")
    func refused() throws {
        let plain = try ImageFile(bytes: Self.jpeg(TestImages.photo(width: 16, height: 16)))
        let viewport = Viewport(imageRect: Rect(x: 0, y: 0, width: 16, height: 16), scale: 1)
        #expect(try ViewportRenderer().renderGainMapSynchronously(viewport, of: plain) == nil)
        let packet = GainMapMaker.packet([("Version", "1.0")])
        var map = JPEGFile(try Self.map.get())
        map.insert([.init(marker: 0xE1, body: Array((JPEGWords.packetName + packet).utf8))])
        var picture = JPEGFile(try Self.jpeg(TestImages.photo(width: 160, height: 120)))
        let announcement = GainMapMaker.announcement(map.bytes.count)
        picture.insert([.init(marker: 0xE1, body: Array((JPEGWords.packetName + announcement).utf8))])
        let file = try ImageFile(bytes: picture.bytes + map.bytes, name: "a.jpg")
        #expect {
            _ = try ViewportRenderer().renderGainMapSynchronously(viewport, of: file)
        } throws: { error in
            "\(error)".hasPrefix("a.jpg: its gain map cannot be kept (its XMP lacks GainMapMax")
        }
        #expect(throws: RenderingError.self) {
            let map = try rendered(Self.file(), (0, 0, 160, 120))
            _ = try PictureEncoder(.png).addingSynchronously(map, to: [])
        }
    }

    @Test("is not taken for none where the file can no longer be read")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("a.jpg")
        try Data(Self.file()).write(to: url)
        let file = try ImageFile(path: url.path)
        try FileHandle(forWritingTo: url).truncate(atOffset: 100)
        #expect(throws: RenderingError.changed(file: url.path)) {
            let viewport = Viewport(imageRect: Rect(x: 0, y: 0, width: 16, height: 16), scale: 1)
            return try ViewportRenderer().renderGainMapSynchronously(viewport, of: file)
        }
    }

    @Test(
        "of Apple comes from an item of HEIC or AVIF",
        .enabled(if: PictureFormat.installed.contains(.avif), "libvips has no encoder of AVIF"))
    func apple() throws {
        func coded(_ image: VipsImage) throws -> GainMapMaker.Coded {
            let bytes = try image.saved(
                with: "heifsave_buffer", ["compression": .name("av1"), "Q": .int(90), "strip": .bool(true)])
            let items = try #require(HEIFItems(FileBytes(bytes)))
            let item = try #require(items.primary.flatMap { items[$0] })
            return GainMapMaker.Coded(
                type: "\(item.type)", properties: item.properties.map { Array(bytes[$0.box]) },
                data: item.data.flatMap { Array(bytes[$0]) })
        }
        let gray = try VipsImage.pixels(
            Self.samples.map { $0 } + [], width: 40, height: 30, bands: 1, format: .uint8,
            interpretation: "b-w")
        let bytes = GainMapMaker.apple(
            exif: GainMapMaker.appleExif(100, 0),
            picture: try coded(TestImages.photo(width: 160, height: 120)), map: try coded(gray))
        let map = try rendered(bytes, (80, 60, 80, 60))
        #expect(map.picture.size == PixelSize(width: 20, height: 15) && map.picture.bands == 1)
        #expect(map.values.maximum.x == 3)
        let expected = Int(map.values.appleSamples[200])
        #expect(map.picture.bytes.allSatisfy { abs(Int($0) - expected) <= 8 })
    }
}

extension [UInt8] {
    fileprivate func bits32(at offset: Int) -> Int {
        self[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
}

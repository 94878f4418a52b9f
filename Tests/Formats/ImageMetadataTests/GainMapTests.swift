import Containers
import Foundation
import ImageMetadata
import TestSupport
import Testing
import ViewportGeometry

@Suite("Gain maps")
struct GainMapTests {
    private func read(_ bytes: [UInt8]) -> GainMap? { GainMap(FileBytes(bytes)) }

    @Test("of Ultra HDR are found by the index of pictures and by XMP", arguments: [true, false])
    func ultraHDR(_ hasIndex: Bool) throws {
        let file = GainMapMaker.ultraHDR(hasIndex: hasIndex)
        let map = try #require(read(file))
        #expect(map.kind == .ultraHDR)
        #expect(map.size == PixelSize(width: 160, height: 120))
        #expect(map.headroom == 8)
        #expect(map.values?.gamma == SIMD3(repeating: 1.5))
        #expect(map.defect == nil)
        guard case .jpeg(let range) = map.place else { return #expect(Bool(false), "no JPEG") }
        #expect(Array(file[range]) == GainMapMaker.map(xmp: GainMapMaker.packet(GainMapMaker.values)))
    }

    @Test("of ISO 21496-1 have fractions, which XMP does not override")
    func iso() throws {
        let alone = try #require(
            read(GainMapMaker.ultraHDR(map: GainMapMaker.map(iso: GainMapMaker.iso), announces: false)))
        #expect(alone.kind == .iso)
        let both = GainMapMaker.map(xmp: GainMapMaker.packet(GainMapMaker.values), iso: GainMapMaker.iso)
        let map = try #require(read(GainMapMaker.ultraHDR(map: both)))
        #expect(map.kind == .ultraHDR)
        #expect(map.values == alone.values)
        let values = try #require(map.values)
        #expect(values.minimum == SIMD3(repeating: -1))
        #expect(values.maximum == SIMD3(repeating: 2))
        #expect(values.baseOffset.x == 0.05 && values.alternateOffset.x == 0.06)
        #expect(map.headroom == 4)
        #expect(abs(values.neutral.x - 1.0 / 3) < 1e-12)
    }

    @Test("have numbers for each channel")
    func channels() throws {
        let elements = """
            <hdrgm:GainMapMax><rdf:Seq><rdf:li>1</rdf:li><rdf:li>2</rdf:li><rdf:li>3</rdf:li></rdf:Seq></hdrgm:GainMapMax>
            """
        let values = GainMapMaker.values.filter { $0.0 != "GainMapMax" }
        let map = GainMapMaker.map(xmp: GainMapMaker.packet(values, elements: elements))
        #expect(read(GainMapMaker.ultraHDR(map: map))?.values?.maximum == SIMD3(1, 2, 3))
    }

    @Test(
        "without a required number, or with an invalid one, have none",
        arguments: [
            ("GainMapMax", nil), ("HDRCapacityMax", nil), ("GainMapMax", "nan"), ("GainMapMax", "1e99"),
            ("Gamma", "0"), ("GainMapMin", "4"), ("HDRCapacityMax", "-1"),
        ] as [(String, String?)])
    func invalid(_ name: String, _ value: String?) throws {
        let values = GainMapMaker.values.filter { $0.0 != name } + (value.map { [(name, $0)] } ?? [])
        let map = try #require(
            read(GainMapMaker.ultraHDR(map: GainMapMaker.map(xmp: GainMapMaker.packet(values)))))
        #expect(map.values == nil && map.headroom == nil)
        #expect(map.defect?.contains("XMP") == true)
    }

    @Test("that are cut off are named with what is there")
    func truncated() throws {
        let file = GainMapMaker.ultraHDR()
        let length = GainMapMaker.map(xmp: GainMapMaker.packet(GainMapMaker.values)).count
        let map = try #require(read(Array(file.dropLast(10))))
        #expect(map.values == nil && map.size == nil)
        #expect(map.defect == "it is cut off after \(length - 10) of \(length) bytes")
    }

    @Test("with lengths beyond all numbers do not exist", arguments: ["9223372036854775807", "-1", "1e9"])
    func extremeLengths(_ number: String) {
        let hostile = GainMapMaker.announcement(1)
            .replacingOccurrences(
                of: "Item:Length=\"1\"", with: "Item:Length=\"5\" Item:Padding=\"\(number)\"")
        #expect(read(PhotoMaker.jpeg(xmp: hostile)) == nil)
        let length = GainMapMaker.announcement(1)
            .replacingOccurrences(of: "Item:Length=\"1\"", with: "Item:Length=\"\(number)\"")
        #expect(read(PhotoMaker.jpeg(xmp: length)) == nil)
    }

    @Test("do not exist in other files")
    func none() {
        for sample in SampleFiles.all { #expect(read(sample.bytes) == nil) }
        // A large thumbnail of a camera.
        let picture = PhotoMaker.jpeg(width: 160, height: 120)
        #expect(read(GainMapMaker.ultraHDR(map: picture, announces: false)) == nil)
    }

    @Test(
        "of Apple have a headroom by the maker note's tags 33 and 48",
        arguments: [
            (50, 0, 1.8), (50, 1, 1.6), (50, 100, 1.5), (100, 0, 3), (150, 1, 2.3), (150, 100, 2),
            (150, 900, 0),
        ])
    func apple(_ first: Int, _ second: Int, _ stops: Double) throws {
        let map = try #require(read(GainMapMaker.apple(exif: GainMapMaker.appleExif(first, second))))
        #expect(map.kind == .apple)
        #expect(map.size == PixelSize(width: 320, height: 240))
        #expect(map.place == .item(2))
        #expect(abs(try #require(map.headroom) - exp2(stops)) < 1e-6)
    }

    @Test(
        "of Apple state their headroom in XMP from version 2 on, as a factor",
        arguments: [
            (0x20000, "4.532783", nil, 4.532783), (0x20000, "4.532783", 150, 4.532783),
            (0x20000, "1", nil, 1),
            (0x10000, "4.532783", 100, 8), (0x20000, "nan", 100, 8), (0x20000, "0.5", 100, 8),
        ])
    func appleByXMP(_ version: Int, _ headroom: String, _ note: Int?, _ expected: Double) throws {
        let packet = """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            <rdf:Description xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" \
            xmlns:HDRGainMap="http://ns.apple.com/HDRGainMap/1.0/"><apdi:AuxiliaryImageType>\
            urn:com:apple:photo:2020:aux:hdrgainmap</apdi:AuxiliaryImageType><HDRGainMap:HDRGainMapVersion>\
            \(version)</HDRGainMap:HDRGainMapVersion><HDRGainMap:HDRGainMapHeadroom>\(headroom)\
            </HDRGainMap:HDRGainMapHeadroom></rdf:Description></rdf:RDF></x:xmpmeta>
            """
        let file = GainMapMaker.ultraHDR(
            exif: note.map { GainMapMaker.appleExif($0, 0) }, map: GainMapMaker.map(xmp: packet),
            announces: false)
        let map = try #require(read(file))
        let found = try #require(map.headroom)
        #expect(map.kind == .apple && abs(found - expected) < 1e-6)
    }

    @Test("of Apple without these tags lack their headroom", arguments: [(nil, nil), (50, nil), (nil, 50)])
    func appleWithoutNumbers(_ first: Int?, _ second: Int?) throws {
        let map = try #require(read(GainMapMaker.apple(exif: GainMapMaker.appleExif(first, second))))
        #expect(map.values == nil)
        #expect(map.defect == "its headroom is neither in XMP nor in the maker note, tags 33 and 48")
    }

    @Test("of Apple have samples whose factors are those of Apple's formula")
    func appleSamples() throws {
        let map = try #require(read(GainMapMaker.apple(exif: GainMapMaker.appleExif(100, 0))))
        let values = try #require(map.values)
        let table = values.appleSamples
        #expect(table[0] == 0 && table[255] == 255)
        for stored in [30, 100, 200] {
            let linear = pow((Double(stored) / 255 + 0.099) / 1.099, 1 / 0.45)
            let factor = exp2(values.maximum.x * Double(table[stored]) / 255)
            // To within the rounding to 8 bits.
            #expect(abs(log2(factor / (1 + 7 * linear))) < 3.0 / 255 / 2 + 1e-9)
        }
        #expect(zip(table, table.dropFirst()).allSatisfy(<=))
    }

    @Test("are no longer announced by a packet without them, which is otherwise the same")
    func withoutGainMap() throws {
        let packet = Array(GainMapMaker.announcement(99).utf8)
        let left = String(decoding: XMPPacket.withoutGainMap(packet), as: UTF8.self)
        #expect(!left.contains("hdrgm:Version") && !left.contains("Container:"))
        #expect(left.contains("Lamp &amp; sky") && left.hasSuffix("</rdf:RDF></x:xmpmeta>"))
        let other = Array(SampleFiles.xmp.utf8)
        #expect(XMPPacket.withoutGainMap(other) == other)
        let broken = Array(GainMapMaker.announcement(99).utf8.prefix(500))
        #expect(XMPPacket.withoutGainMap(broken).count <= broken.count)
    }
}

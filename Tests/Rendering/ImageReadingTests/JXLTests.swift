import Basics
import Containers
import JXLDecoding
import Resampling
import TestSupport
import Testing
import TilePyramid
import ViewportGeometry
import ViewportRendering
import Vips

@testable import ImageReading

/// Untrusted loaders are allowed in processes of their own.
@Suite("JPEG XL")
struct JXLTests {
    /// A picture of 2600x300 pixels of one color, by libjxl 0.11.2 with effort 1, as a codestream.
    static let large =
        [UInt8](
            hexadecimal: """
                ff0a58894ed4001308014a2825d8ceb00184100064812104400004400004400004400004400004400004400004400014\
                41000440000440000440094dca120000152aa38c1bbc9cebf9f24387c5b48deb0c6db56d210000000000000000000000\
                000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000\
                00000000889295499020e19e25807365e103020590f539c5bec14778fce8f4f943f004041862f28966f3a2078d23858f\
                875dc331c0df02ce13a03912316da59979eef4702a3f300600b2907de62c2681f48d31181b63dc181c1b63dc181c0b20\
                dd00a0eaa2c7630242348b549bbd5bc1b4faff4b9124422998040e1b633036ae5685008094cc11076c3a000000000000\
                0000000000000000000088249112d50b288001f761bc8fab2008829804d237c6606c8c7163706c8c7163702c80083f91\
                2e265049dab2660835eb519124422998040e1b6330362e12ec00c02d1fcc1a010101010101c3014002a0087e1e004a00\
                80dec36501aef2b9870b0f2b874835091224bcbf01380000d400
                """) ?? []

    /// An animation of 16x16 pixels: red, green and blue, by libjxl 0.7.
    static let animation =
        [UInt8](
            hexadecimal: """
                ff0a43040158505c120808a002000068004b188b1500d48c3118c70b4800a0480903b048e0df0f4885f6070808a00200\
                005c004b188b15001c186370f02e20010041609a987f3fe8a9390808a042000044004b188b15805de0ff021200800c86\
                d1f803
                """) ?? []

    /// Returns a file in which the codestream begins so late that a reader of 4096 bytes at a time divides it.
    static func divided(_ codestream: [UInt8], at place: Int) -> [UInt8] {
        func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
            (body.count + 8).bytes(.big, size: 4) + Array(type.utf8) + body
        }
        let head =
            box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]) + box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
        let padding = [UInt8](repeating: 0, count: 4096 - place - head.count - 16)
        return head + box("free", padding) + box("jxlc", codestream)
    }

    /// Returns the first pixels of all rows.
    private static func column(_ file: [UInt8]) throws -> [[UInt8]] {
        try ViewportRuntime.allowUntrustedLoaders()
        let image = try ImageFile(bytes: file, name: "file.jxl")
        var pixels: [[UInt8]] = []
        let reader = try image.source.open(image.pyramid.full)
        try reader.read(PixelRect(image.storedSize)) { row in
            var collector = RowCollector(byteCount: row.byteCount)
            collector.push(row)
            pixels.append(Array(collector.pixels.prefix(3)))
        }
        return pixels
    }

    private static var isRead: Bool { VipsLibrary.hasOperation("jxlload") && JXLDecoder.isAvailable }

    @Test("of several groups is read whatever the size of the pieces in which libvips reads it")
    func large() async {
        guard Self.isRead else { return print("this libvips does not read JPEG XL") }
        await #expect(processExitsWith: .success) {
            for place in [367, 380, 393, 406] {
                let column = try JXLTests.column(JXLTests.divided(JXLTests.large, at: place))
                #expect(column.count == 300 && Set(column).count == 1)
                let pixel = column[0].map { Int($0) }
                #expect(zip(pixel, [30, 90, 160]).allSatisfy { abs($0 - $1) <= 3 }, "\(pixel)")
            }
        }
    }

    @Test("of several frames shows the first one")
    func animation() async {
        guard Self.isRead else { return print("this libvips does not read JPEG XL") }
        await #expect(processExitsWith: .success) {
            let colors = try Set(JXLTests.column(JXLTests.animation))
            #expect(colors == [[255, 0, 0]])
        }
    }

    @Test("that ends early, or is damaged, is an error")
    func damaged() async {
        guard Self.isRead else { return print("this libvips does not read JPEG XL") }
        await #expect(processExitsWith: .success) {
            let file = JXLTests.large
            for count in [200, 300, 400] {
                #expect(throws: RenderingError.self) { try JXLTests.column(Array(file.prefix(count))) }
            }
            let broken = file.prefix(200) + [UInt8](repeating: 0xFF, count: 100) + file.dropFirst(300)
            #expect(throws: RenderingError.self) { try JXLTests.column(Array(broken)) }
        }
    }
}

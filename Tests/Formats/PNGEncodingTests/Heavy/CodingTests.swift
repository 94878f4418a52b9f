import Foundation
import PNGEncoding
import Testing

@Suite("The format of a PNG as text")
struct CodingTests {
    @Test(
        "is equal after encoding and decoding",
        arguments: [
            PNGFormat(width: 3, height: 2, channels: .rgb),
            PNGFormat(
                width: 3, height: 2, channels: .grayAlpha, bitDepth: .sixteen, sampleOrder: .bgr,
                colorSpace: .icc(profile: [1, 2], name: "icc"), pixelsPerMeter: 2835),
        ])
    func coding(_ format: PNGFormat) throws {
        let copy = try JSONDecoder().decode(PNGFormat.self, from: JSONEncoder().encode(format))
        #expect(copy == format)
        #expect(copy.hashValue == format.hashValue)
    }

    @Test("is printed in one short line")
    func printing() {
        #expect("\(PNGFormat(width: 1024, height: 768, channels: .rgba))" == "1024x768 RGBA, 8 bits")
        #expect(
            "\(PNGFormat(width: 3, height: 2, channels: .rgb, bitDepth: .sixteen, sampleOrder: .bgr))"
                == "3x2 BGR, 16 bits")
        #expect("\(PNGText("Title", "Sea"))" == "Title: Sea")
    }
}

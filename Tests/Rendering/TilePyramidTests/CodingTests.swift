import TestSupport
import Testing
import TilePyramid
import ViewportGeometry

@Suite("Pyramids as text")
struct CodingTests {
    private static let pyramid = Pyramid(size: PixelSize(width: 4032, height: 3024), halvings: 2)

    @Test(
        "are equal after encoding and decoding, with equal hashes",
        arguments: [
            CodedValue(pyramid), CodedValue(pyramid.levels),
            CodedValue(IIIFLimits(area: 1 << 20, side: 4096)),
        ])
    func coding(_ value: CodedValue) throws {
        #expect(try value.isKept)
    }

    @Test(
        "have a level 0, and factors above 0",
        arguments: [
            #"{"levels":[]}"#, #"{"levels":[{"index":1,"size":[1,1],"downsampleX":2,"downsampleY":2}]}"#,
            #"{"levels":[{"index":0,"size":[1,1],"downsampleX":0,"downsampleY":1}]}"#,
        ])
    func rejection(_ json: String) {
        #expect(throws: DecodingError.self) { try decoded(Pyramid.self, json) }
    }

    @Test("are printed in one short line, as requests of tiles")
    func printing() throws {
        #expect("\(Self.pyramid)" == "4032x3024, 2016x1512, 1008x756")
        #expect("\(Self.pyramid.levels[2])" == "level 2 (1008x756)")
        let request = try IIIFRequest(parsing: "square/!100,100/90/gray.png")
        #expect("\(request)" == request.path)
        let picture = try request.resolved(
            for: PixelSize(width: 4032, height: 3024), IIIFLimits(area: 1 << 20))
        #expect("\(picture)" == picture.canonicalPath)
    }
}

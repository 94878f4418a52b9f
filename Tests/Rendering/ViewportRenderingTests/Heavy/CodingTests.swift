import TestSupport
import Testing
import TilePyramid
import ViewportGeometry

@testable import ViewportRendering

@Suite("Options and reports of rendering as text")
struct CodingTests {
    private static var options: RenderOptions {
        var options = RenderOptions()
        (options.kernel, options.oversampling, options.isLinear) = (.mitchell, 1, true)
        (options.colorMode, options.background, options.depth) = (.p3, .white, 16)
        return options
    }

    private static let report = RenderReport(
        level: PyramidLevel(
            index: 2, size: PixelSize(width: 1008, height: 756), downsampleX: 4, downsampleY: 4),
        storedRect: PixelRect(x: 1, y: 2, width: 3, height: 4), read: .microseconds(12_340),
        scale: .microseconds(4_100))

    private static var encoder: PictureEncoder {
        var encoder = PictureEncoder(.png, quality: 80)
        encoder.compression = .small
        return encoder
    }

    @Test(
        "are equal after encoding and decoding, with equal hashes",
        arguments: [
            CodedValue(RenderOptions()), CodedValue(options), CodedValue(RenderReport()), CodedValue(report),
            CodedValue(encoder), CodedValue(PictureFormat.allCases), CodedValue(MetadataChoice.none),
        ])
    func coding(_ value: CodedValue) throws {
        #expect(try value.isKept)
    }

    @Test("have defaults for what is missing")
    func defaults() throws {
        #expect(try decoded(RenderOptions.self, "{}") == RenderOptions())
        #expect(try decoded(RenderOptions.self, #"{"depth":16}"#).depth == 16)
        #expect(try decoded(PictureEncoder.self, #"{"format":"webp"}"#) == PictureEncoder(.webp))
    }

    @Test(
        "reject what is invalid",
        arguments: [#"{"depth":12}"#, #"{"kernel":"sinc"}"#, #"{"background":{"red":1}}"#])
    func rejection(_ json: String) {
        #expect(throws: DecodingError.self) { try decoded(RenderOptions.self, json) }
    }

    @Test("are printed in one short line")
    func printing() {
        #expect("\(Self.report)" == "level 2 (1008x756), read 12.3 ms, scaled 4.1 ms")
        #expect("\(RenderReport())" == "no level, read 0.0 ms, scaled 0.0 ms")
    }
}

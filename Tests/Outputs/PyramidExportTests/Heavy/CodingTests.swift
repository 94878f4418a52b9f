import TestSupport
import Testing
import TilePyramid
import ViewportGeometry

@testable import PyramidExport

@Suite("Options and reports of exports as text")
struct CodingTests {
    private static var options: ExportOptions {
        var options = ExportOptions(.iiif)
        (options.tileSize, options.format, options.quality) = (1024, .webp, 70)
        (options.isExact, options.id) = (true, "https://example.org/iiif/lake")
        return options
    }

    private static let report = ExportReport(
        levels: [TileGrid(size: PixelSize(width: 4032, height: 3024), tileSize: 254, overlap: 1)],
        tiles: 192, cutTiles: 4, bytes: 12_345_678)

    @Test(
        "are equal after encoding and decoding, with equal hashes",
        arguments: PyramidLayout.allCases.filter { $0 != .iiif }.map { CodedValue(ExportOptions($0)) }
            + [CodedValue(options), CodedValue(report)])
    func coding(_ value: CodedValue) throws {
        #expect(try value.isKept)
    }

    @Test("have the defaults of the layout for what is missing")
    func defaults() throws {
        #expect(try decoded(ExportOptions.self, #"{"layout":"zoomify"}"#) == ExportOptions(.zoomify))
    }

    @Test(
        "reject what the layout does not support",
        arguments: [
            "{}", #"{"layout":"iiif"}"#, #"{"layout":"tif","tileSize":100}"#,
            #"{"layout":"tif","overlap":1}"#,
            #"{"layout":"dz","quality":101}"#,
        ])
    func rejection(_ json: String) {
        #expect(throws: DecodingError.self) { try decoded(ExportOptions.self, json) }
    }

    @Test("are printed in one short line")
    func printing() {
        #expect("\(Self.report)" == "1 level, 192 tiles, 4 of them cut, 12.3 MB")
    }
}

import AssetRendering
import PhotoCatalog
import TestSupport
import Testing

@Suite("Options of exports and sheets as text")
struct CodingTests {
    private static var export: AssetExport {
        get throws {
            var export = AssetExport()
            (export.layout, export.side, export.format) = (try ImportLayout("{name}"), 2000, .webp)
            export.stripsLocation = true
            return export
        }
    }

    @Test("are equal after encoding and decoding, with equal hashes")
    func coding() throws {
        let forms: [AssetImages.Form] = [
            .thumbnail(side: 5), .fullScreen(width: 3, height: 4), .fullResolution,
        ]
        let values = [
            CodedValue(try Self.export), CodedValue(AssetExport()), CodedValue(ContactSheet(columns: 8)),
            CodedValue(forms), CodedValue(AssetImage.Quality.preview),
        ]
        for value in values {
            #expect(try value.isKept, "\(value)")
        }
    }

    @Test("have defaults for what is missing, and are clamped")
    func defaults() throws {
        #expect(try decoded(AssetExport.self, "{}") == AssetExport())
        let sheet = try decoded(ContactSheet.self, #"{"columns":0,"side":5000}"#)
        #expect((sheet.columns, sheet.side) == (1, 1024))
    }
}

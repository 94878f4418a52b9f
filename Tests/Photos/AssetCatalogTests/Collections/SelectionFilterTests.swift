import ImageMetadata
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import Assets

@Suite("Filters of a selection")
struct SelectionFilterTests {
    /// A filter that the catalog cannot evaluate.
    private struct Plain: AssetFilter {
        let filter: any AssetFilter
        func includes(_ asset: Asset) -> Bool { filter.includes(asset) }
    }

    @Test(
        "Partial dates include their whole period",
        arguments: [
            (nil, nil, 4), ("2014", nil, 3), ("2014-05-25T10:00", "2014-05-25", 2), (nil, "2014-05-25T10", 2),
            ("2014-05-25T10:00:01", "2014", 1), ("2015", nil, 1), (nil, "2013", 1),
        ] as [(String?, String?, Int)])
    func dates(_ from: String?, _ to: String?, _ count: Int) async throws {
        let library = try await TestLibrary([
            .made("a.jpg", "2013-01-01T00:00:00"), .made("b.jpg", "2014-05-25T10:00:00"),
            .made("c.jpg", "2014-05-25T11:00:00.5"), .made("d.jpg", "2015-01-01T00:00:00"),
            .made("undated.jpg"),
        ]).library
        let filter = FilterIntersection([AssetKinds.photo, try DateFilter(from: from, to: to)])
        let quick = try await library.collection(filter: filter).entries().reduce(0) { $0 + $1.count }
        let slow = try await library.collection(filter: Plain(filter: filter)).entries().reduce(0) {
            $0 + $1.count
        }
        #expect(quick == count && slow == count)
    }

    @Test(
        "Invalid dates are errors",
        arguments: [
            ("2014-13", "months go from 01 to 12"), ("2014-00", "months go from 01 to 12"),
            ("2023-02-29", "2023-02 has the days 01 to 28"), ("2024-02-30", "2024-02 has the days 01 to 29"),
            ("1900-02-29", "1900-02 has the days 01 to 28"), ("2014-04-31", "2014-04 has the days 01 to 30"),
            ("2014-05-00", "2014-05 has the days 01 to 31"), ("2014-05-25T24", "hours go from 00 to 23"),
            ("2014-05-25 10:60", "minutes go from 00 to 59"),
            ("2014-05-25T10:00:61", "seconds go from 00 to 59"),
            ("0999", "years go from 1000 to 9999"), ("", nil), ("x", nil), ("banana", nil), ("20", nil),
            ("2014-5", nil), ("2014-05-2", nil), ("2014/05", nil), ("2014-05-25T10:00:00.", nil),
            ("2014-05-25T10:00:00.x", nil), ("2014-05-25T10:00.5", nil), (" 2014", nil), ("2014 ", nil),
            ("２０１４", nil), ("-014", nil), ("2014-05-25T10:00:00Z", nil),
        ] as [(String, String?)])
    func noDate(_ text: String, _ reason: String?) {
        let error: PartialDateError = reason.map { .impossible(text, reason: $0) } ?? .form(text)
        #expect(throws: error) { try PartialDate(text) }
        #expect(throws: LibraryError(.date(error))) { try DateFilter(from: nil, to: text) }
        #expect(error.description.contains("\"\(text)\" is no date"))
    }

    @Test(
        "Valid dates are parsed",
        arguments: ["2024-02-29", "2000-02-29", "1000-01-01", "9999-12-31", "2014-05-25 10:00:00.5", "2014"])
    func date(_ text: String) throws {
        #expect(try PartialDate(text).description == text.replacing(" ", with: "T"))
    }

    @Test("A location can be near across the date line, and is not near beyond the distance")
    func near() throws {
        var asset = try Asset.made("a.jpg")
        asset.location = Location(latitude: 0, longitude: 179.99, source: .exif)
        #expect(NearFilter(latitude: 0, longitude: -179.99, distance: 2300).includes(asset))
        #expect(!NearFilter(latitude: 0, longitude: -179.99, distance: 2200).includes(asset))
        asset.location = nil
        #expect(!NearFilter(latitude: 0, longitude: 0, distance: 1e9).includes(asset))
    }
}

import ImageMetadata
import TestSupport
import Testing

@testable import PhotoLibrary

@Suite("Filters of a selection")
struct SelectionFilterTests {
    /// A filter that the catalogue cannot evaluate.
    private struct Plain: Filter {
        let filter: any Filter
        func includes(_ asset: Asset) -> Bool { filter.includes(asset) }
    }

    @Test(
        "Dates are bounded by their beginnings, the last one included",
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
        let filter = FilterIntersection([AssetKinds.photo, DateFilter(from: from, to: to)])
        let quick = try await library.collection(filter: filter).entries().reduce(0) { $0 + $1.count }
        let slow = try await library.collection(filter: Plain(filter: filter)).entries().reduce(0) {
            $0 + $1.count
        }
        #expect(quick == count && slow == count)
    }

    @Test("A place is near across the date line, and not behind the distance")
    func near() throws {
        var asset = try Asset.made("a.jpg")
        asset.location = Location(latitude: 0, longitude: 179.99, source: .exif)
        #expect(NearFilter(latitude: 0, longitude: -179.99, distance: 2300).includes(asset))
        #expect(!NearFilter(latitude: 0, longitude: -179.99, distance: 2200).includes(asset))
        asset.location = nil
        #expect(!NearFilter(latitude: 0, longitude: 0, distance: 1e9).includes(asset))
    }
}

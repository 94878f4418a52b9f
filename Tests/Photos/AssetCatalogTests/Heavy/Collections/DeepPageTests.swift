import GRDB
import PhotoCatalog
import Synchronization
import TestHarness
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import Assets
@testable import CatalogStorage

@Suite("Pages deep in one entry")
struct DeepPageTests {
    /// Includes every asset and counts the rows that SQLite evaluates.
    private final class RowCounter: CatalogFilter {
        let rows = Atomic(0)
        var condition: SQL? { "countRow(asset.id)" }

        func includes(_ asset: Asset) -> Bool { true }

        var function: DatabaseFunction {
            DatabaseFunction("countRow", argumentCount: 1) { _ in
                self.rows.add(1, ordering: .relaxed)
                return true
            }
        }
    }

    static let count = 6000

    /// Returns a library with ties, different time zones, two folders, every third asset in Picks, and undated assets.
    private static func library() async throws -> TestLibrary {
        let zones = [nil, "+02:00", "-11:00"]
        let assets = try (0..<count).map { number in
            let (minute, second) = (number / 7 / 60 % 60, number / 7 % 60)
            let date = "2014-05-25T1\(number / 7 / 3600):\(minute):\(second)"
            return try Asset.made(
                "\(number % 2)/\(number)", number < 4000 ? date : nil, offset: zones[number % 3],
                place: number % 2 == 0 ? "Paris" : nil)
        }
        let test = try await TestLibrary(assets)
        try await test.library.add((1...Int64(count)).filter { $0 % 3 == 0 }, to: .picks)
        return test
    }

    @Test(
        "read as few rows as the first page, once they were visited",
        arguments: [DateSorter.dateAscending, .dateDescending],
        [StandardGrouping.Unit.all, .year, .day, .week, .place])
    func rows(sorter: DateSorter, unit: StandardGrouping.Unit) async throws {
        let test = try await Self.library()
        let counter = RowCounter()
        let condition = try #require(counter.condition)
        for source in [AssetGroup.ID.all, .picks, .folder(1)] {
            let query = CollectionQuery(
                source: source, grouping: unit, filter: counter, condition: condition, sorter: sorter,
                omitsEmptyEntries: true)
            let anchors = PageAnchors()
            let criteria = CollectionCriteria(
                source: source, grouping: StandardGrouping(unit), filter: AssetKinds.all, sorter: sorter,
                omitsEmptyEntries: true)
            let function = counter.function
            let snapshot = try await test.library.read { try $0.snapshot(criteria) }
            for (number, entry) in snapshot.entries.enumerated() where entry.count > PageAnchors.stride + 50 {
                let ids = Array(snapshot.ids(in: number))
                for isVisited in [false, true] {
                    for start in [
                        ids.count - 40, 700, 0, ids.count - 1, ids.count, 1, PageAnchors.stride + 1,
                    ] {
                        counter.rows.store(0, ordering: .relaxed)
                        let page = try await test.library.read { catalog in
                            catalog.database.add(function: function)
                            return try query.assets(in: entry.key, start..<(start + 30), anchors, catalog)
                        }
                        #expect(
                            page.map(\.id) == Array(ids.dropFirst(start).prefix(30)), "\(source) \(start)")
                        let rows = counter.rows.load(ordering: .relaxed)
                        // At most one stride to the end of the dated assets, one to the page, and the page itself.
                        let most = 3 * PageAnchors.stride
                        #expect(!isVisited || rows <= most, "\(source) \(start): \(rows) rows")
                    }
                }
            }
        }
    }
}

import Foundation
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@Suite("Pages of collections")
struct PagingTests {
    @Test("of all entries together are those of the snapshot", arguments: StandardGrouping.Unit.allCases)
    func flat(unit: StandardGrouping.Unit) async throws {
        var random = RandomAssets(seed: 17)
        let test = try await TestLibrary(try random.assets(60))
        for sorter in [DateSorter.dateAscending, .dateDescending] {
            let standard = test.library.collection(grouping: StandardGrouping(unit), sorter: sorter)
            let own = test.library.collection(
                grouping: UserMadeGrouping(base: StandardGrouping(unit)), sorter: sorter)
            for collection in [standard, own] {
                let ids = try await collection.snapshot().ids
                #expect(try await collection.count() == ids.count)
                for start in [0, 1, 7, 31, 59, 60, 61] {
                    for count in [0, 1, 13, 100] {
                        let page = try await collection.assets(start..<(start + count)).map(\.id)
                        #expect(page == Array(ids.dropFirst(start).prefix(count)), "\(start) \(count)")
                    }
                }
            }
        }
    }

    @Test(
        "of any ranges are clamped",
        arguments: [
            -5..<2, Int.min..<Int.max, 0..<Int.max, Int.max..<Int.max, (Int.max - 1)..<Int.max, 3..<3,
            5_000_000_000..<6_000_000_000, Int.min..<Int.min,
        ])
    func odd(range: Range<Int>) async throws {
        let test = try await TestLibrary(
            try (0..<3).map { try .made("\($0).jpg", "2020-01-0\($0 + 1)T00:00:00") })
        let standard = test.library.collection()
        let own = test.library.collection(grouping: UserMadeGrouping(base: StandardGrouping(.all)))
        let ids = range.clamped(to: 0..<3).map { Asset.ID($0 + 1) }
        for collection in [standard, own] {
            let entry = try #require(try await collection.entries().first)
            #expect(try await collection.assets(range).map(\.id) == ids)
            #expect(try await collection.assets(in: entry, range).map(\.id) == ids)
            #expect(try await collection.assets(inEntry: 0, range).map(\.id) == ids)
            #expect(try await collection.entries(range).count == range.clamped(to: 0..<1).count)
            for index in [range.lowerBound, range.upperBound] where index != 0 {
                #expect(try await collection.assets(inEntry: index).isEmpty)
                #expect(try await collection.asset(at: AssetIndexPath(entry: index, asset: 0)) == nil)
            }
            let last = try await collection.asset(at: AssetIndexPath(entry: 0, asset: range.upperBound))
            #expect(last?.id == ((0..<3).contains(range.upperBound) ? Asset.ID(range.upperBound + 1) : nil))
        }
    }

    @Test("by distance are the same from the catalog and from assets, for any numbers", arguments: 0..<4)
    func distances(seed: Int) async throws {
        var random = RandomAssets(seed: UInt64(seed))
        let test = try await TestLibrary(try random.assets(40))
        let numbers = [
            .nan, .infinity, -.infinity, 0, -0.0, -1, 90, 91, -90, 180, 181, -180, 1e-300, 1e300, 112, 2e7,
            48.858,
        ]
        for _ in 0..<60 {
            let filter = NearFilter(
                latitude: numbers[random.next(below: numbers.count)],
                longitude: numbers[random.next(below: numbers.count)],
                distance: numbers[random.next(below: numbers.count)])
            let standard = try await test.library.collection(filter: filter).snapshot().ids
            let own = try await test.library.collection(filter: UserMadeFilter(base: filter)).snapshot().ids
            #expect(standard == own, "\(filter)")
        }
        let limits = [Int.min, -1, 0]
        for limit in limits { #expect(try await test.library.find("IMG", limit: limit).isEmpty) }
        for distance in [Int.min, -1, 65, Int.max] {
            #expect(try await test.library.duplicates(.appearance(distance: distance)).isEmpty)
        }
    }

    @Test(
        "by invalid dates are errors",
        arguments: [
            "banana", "", "2014-13", "20١٤", "2014-05-25T", "2014-05-25T10:00:00.", "999", "\u{0}",
            "2014-05-25T10:00:00Z",
        ])
    func dates(text: String) {
        #expect(throws: LibraryError.self) { try DateFilter(from: text) }
        #expect(throws: LibraryError.self) { try DateFilter(to: text) }
    }

    @Test("need a library whose root exists")
    func missingRoot() async throws {
        let folder = try TemporaryFolder()
        let root = folder.url.appendingPathComponent("missing").path
        let error = await #expect(throws: LibraryError.self) { try await PhotoLibrary.create(root) }
        guard case .noRoot(root, _)? = error?.cause else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(!FileManager.default.fileExists(atPath: root))
        #expect(error?.localizedDescription == error?.description)
    }

    @Test("of periods have typed keys")
    func periods() throws {
        let time = try clock("2014-05-25T10:30:15.5")
        let starts = DatePeriod.Unit.allCases.map { DatePeriod($0, containing: time).start.description }
        #expect(
            starts == [
                "2014-01-01T00:00:00", "2014-05-01T00:00:00", "2014-05-19T00:00:00", "2014-05-25T00:00:00",
                "2014-05-25T10:00:00",
            ])
        for unit in DatePeriod.Unit.allCases {
            let period = DatePeriod(unit, containing: time)
            #expect(DatePeriod(unit, number: period.number) == period)
            #expect(DatePeriod(unit, number: 0) == nil && DatePeriod(unit, number: .min) == nil)
        }
    }
}

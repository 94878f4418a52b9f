import ImageMetadata
import PhotoCatalog
import TestLibraries
import Testing

@Suite("Keys of entries")
struct KeyTests {
    @Test(
        "are computed from the asset's local time",
        arguments: [
            ("2014-05-25T10:00:00", [2014, 201405, 20140519, 20140525, 2014052510]),
            ("2021-01-03T12:00:00", [2021, 202101, 20201228, 20210103, 2021010312]),
            ("2024-10-27T23:30:00", [2024, 202410, 20241021, 20241027, 2024102723]),
            ("2024-10-28T00:00:00", [2024, 202410, 20241028, 20241028, 2024102800]),
            ("2024-03-31T02:30:00", [2024, 202403, 20240325, 20240331, 2024033102]),
            ("1969-12-31T23:59:59", [1969, 196912, 19691229, 19691231, 1969123123]),
            ("1900-02-28T00:00:00", [1900, 190002, 19000226, 19000228, 1900022800]),
            ("1899-12-31T08:00:00", [1899, 189912, 18991225, 18991231, 1899123108]),
            ("1583-01-01T00:00:00", [1583, 158301, 15821227, 15830101, 1583010100]),
            ("1000-01-01T00:00:00", [1000, 100001, 10000101, 10000101, 1000010100]),
            ("9999-12-31T23:59:60", [9999, 999912, 99991227, 99991231, 9999123123]),
        ])
    func keys(date: String, keys: [Int]) async throws {
        for offset in [nil, "+14:00", "-11:00"] {
            let asset = try Asset.made("a.jpg", date, offset: offset)
            let test = try await TestLibrary([asset])
            for (unit, key) in zip([StandardGrouping.Unit.year, .month, .week, .day, .hour], keys) {
                let grouping = StandardGrouping(unit)
                #expect(grouping.key(of: asset) == unit.key(key), "\(unit)")
                let collection = test.library.collection(grouping: grouping)
                #expect(
                    try await collection.entries() == [CollectionEntry(key: unit.key(key), count: 1)],
                    "\(unit)")
                #expect(try await collection.assets(inEntry: 0).map(\.path) == ["a.jpg"], "\(unit)")
            }
        }
    }

    @Test("of a week are equal on all its days, and differ from the previous and next week")
    func weeks() throws {
        for first in ["1899-12-25", "1969-12-29", "2014-05-19", "2020-12-28", "2024-02-26"] {
            let monday = try clock(first).dayNumber
            let keys = try (-1...7).map { day in
                let local = try #require(WallClock(wholeSeconds: (monday + day) * 86_400 + 86_399))
                return StandardGrouping(.week).key(
                    of: try Asset.made("a", local.description))
            }
            let key = try #require(Int(first.filter { $0 != "-" }))
            #expect(Set(keys[1...7]) == [StandardGrouping.Unit.week.key(key)])
            #expect(keys[0] != keys[1] && keys[8] != keys[1])
        }
    }

    @Test("are nil without a date or place")
    func undated() throws {
        let asset = try Asset.made("a.jpg")
        for unit in StandardGrouping.Unit.allCases where unit != .all {
            #expect(StandardGrouping(unit).key(of: asset) == nil, "\(unit)")
        }
        #expect(StandardGrouping(.all).key(of: asset) == .all)
        #expect(EntryKey.all.number == 0)
    }
}

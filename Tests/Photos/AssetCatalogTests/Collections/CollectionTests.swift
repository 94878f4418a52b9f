import PhotoCatalog
import TestLibraries
import Testing

@Suite("A collection")
struct CollectionTests {
    static func assets() throws -> [Asset] {
        [
            try .made("b.jpg", "2014-05-25T10:00:00.25"), try .made("a.jpg", "2014-05-25T10:00:00.25"),
            try .made("c.png", "2014-05-25T10:00:00", kinds: [.photo, .png]),
            try .made("d.mov", "2014-06-01T00:00:00", kinds: .video),
            try .made("e.png", kinds: [.photo, .png, .screenshot]),
        ]
    }

    private func paths(_ collection: AssetCollection) async throws -> [[String]] {
        var paths: [[String]] = []
        for entry in try await collection.entries() {
            paths.append(try await collection.assets(in: entry).map(\.path))
        }
        return paths
    }

    @Test("sorts by instant, then fraction, then the bytes of the path, with undated assets last")
    func ascending() async throws {
        let test = try await TestLibrary(try Self.assets())
        let collection = test.library.collection(grouping: .month)
        #expect(try await paths(collection) == [["c.png", "a.jpg", "b.jpg"], ["d.mov"], ["e.png"]])
        #expect(
            try await collection.entries().map(\.key) == [
                StandardGrouping.Unit.month.key(201405), StandardGrouping.Unit.month.key(201406), nil,
            ])
    }

    @Test("sorts descending in exact reverse, except for undated assets, which are still last")
    func descending() async throws {
        let test = try await TestLibrary(try Self.assets())
        let collection = test.library.collection(grouping: .month, sorter: .dateDescending)
        #expect(try await paths(collection) == [["d.mov"], ["b.jpg", "a.jpg", "c.png"], ["e.png"]])
    }

    @Test("sorts entries and the assets in them independently")
    func mixed() async throws {
        let test = try await TestLibrary(try Self.assets())
        let collection = test.library.collection(
            grouping: .month, sorter: DateSorter(entries: .descending, assets: .ascending))
        #expect(try await paths(collection) == [["d.mov"], ["c.png", "a.jpg", "b.jpg"], ["e.png"]])
    }

    @Test("is the same for any order of insertion", arguments: 0..<20)
    func stable(seed: Int) async throws {
        var random = RandomAssets(seed: UInt64(seed))
        let assets = try random.assets(40)
        let first = try await TestLibrary(assets)
        let second = try await TestLibrary(assets.shuffled(using: &random.random))
        for sorter in [DateSorter.dateAscending, .dateDescending] {
            let one = try await paths(first.library.collection(grouping: .day, sorter: sorter))
            let other = try await paths(second.library.collection(grouping: .day, sorter: sorter))
            #expect(one.map { $0.map { Array($0.utf8) } } == other.map { $0.map { Array($0.utf8) } })
        }
    }

    @Test("sorts assets of the same local hour by instant if their zones differ")
    func zones() async throws {
        let test = try await TestLibrary([
            try .made("a.jpg", "2024-10-27T02:30:00", offset: "+01:00"),
            try .made("b.jpg", "2024-10-27T02:45:00", offset: "+02:00"),
            try .made("c.jpg", "2024-10-27T23:30:00", offset: "+01:00"),
        ])
        let hours = test.library.collection(grouping: .hour)
        #expect(try await paths(hours) == [["b.jpg", "a.jpg"], ["c.jpg"]])
        let days = test.library.collection(grouping: .day)
        #expect(try await paths(days) == [["b.jpg", "a.jpg", "c.jpg"]])
        #expect(try await days.indexPath(of: hours.asset(at: .init(entry: 1, asset: 0))?.id ?? 0)?.asset == 2)
    }

    @Test("keeps or omits entries without matching assets; the last index path skips them")
    func empty() async throws {
        let test = try await TestLibrary(try Self.assets())
        let collection = test.library.collection(
            grouping: .month, filter: AssetKinds.jpeg, omitsEmptyEntries: false)
        #expect(try await collection.entries().map(\.count) == [2, 0, 0])
        #expect(try await collection.lastIndexPath() == AssetIndexPath(entry: 0, asset: 1))
        collection.omitsEmptyEntries = true
        #expect(try await collection.entries().map(\.count) == [2])
        collection.filter = AssetKinds.screenshot
        #expect(try await collection.entries() == [CollectionEntry(key: nil, count: 1)])
        collection.filter = AssetKinds([])
        #expect(try await collection.entries() == [])
        #expect(try await collection.lastIndexPath() == nil)
        #expect(try await collection.asset(at: AssetIndexPath(entry: 0, asset: 0)) == nil)
    }

    @Test("includes assets of any of the kinds in its filter")
    func kinds() async throws {
        let test = try await TestLibrary(try Self.assets())
        let expected: [(AssetKinds, Int)] = [
            (.all, 5), (.photo, 4), (.video, 1), (.jpeg, 2), (.png, 2), (.screenshot, 1),
            ([.jpeg, .video], 3),
            ([.png, .screenshot], 2), ([.photo, .video], 5),
        ]
        for (kinds, count) in expected {
            let collection = test.library.collection(filter: kinds)
            #expect(try await collection.entries().map(\.count) == [count], "\(kinds)")
            #expect(try await collection.snapshot().count == count, "\(kinds)")
        }
    }

    @Test("can change its filter and sorter")
    func live() async throws {
        let test = try await TestLibrary(try Self.assets())
        let collection = test.library.collection(grouping: .all)
        #expect(try await collection.entries().map(\.count) == [5])
        collection.filter = AssetKinds.png
        collection.sorter = DateSorter.dateDescending
        #expect(try await paths(collection) == [["c.png", "e.png"]])
        collection.filter = Named(prefix: "a")
        #expect(try await paths(collection) == [["a.jpg"]])
        collection.filter = AssetKinds.all
        #expect(try await collection.entries().map(\.count) == [5])
    }

    @Test("returns pages of entries and of assets")
    func pages() async throws {
        let test = try await TestLibrary(
            try (0..<50).map { try .made("\(100 + $0).jpg", "2014-05-\(10 + $0 / 10)T00:00:00") })
        for collection in [
            test.library.collection(grouping: .day),
            test.library.collection(grouping: .day, filter: Named(prefix: "1")),
        ] {
            #expect(
                try await collection.entries(1..<3).map(\.key) == [
                    StandardGrouping.Unit.day.key(20140511), StandardGrouping.Unit.day.key(20140512),
                ])
            #expect(try await collection.entries(4..<9).count == 1)
            #expect(try await collection.entries(9..<12).isEmpty)
            #expect(try await collection.assets(inEntry: 1, 3..<5).map(\.path) == ["113.jpg", "114.jpg"])
            #expect(try await collection.assets(inEntry: 1, 8..<99).map(\.path) == ["118.jpg", "119.jpg"])
            #expect(try await collection.assets(inEntry: 7).isEmpty)
        }
    }

    @Test("of an empty library has no entries")
    func nothing() async throws {
        let test = try await TestLibrary()
        for unit in StandardGrouping.Unit.allCases {
            let collection = test.library.collection(grouping: StandardGrouping(unit))
            #expect(try await collection.entries().isEmpty)
            #expect(try await collection.lastIndexPath() == nil)
            #expect(try await collection.snapshot().count == 0)
        }
    }

    @Test("accepts groupings, filters and sorters of clients")
    func userMade() async throws {
        let test = try await TestLibrary(try Self.assets())
        let collection = test.library.collection(
            grouping: ByExtension(), filter: Named(prefix: "abcd"), sorter: ByName())
        #expect(try await collection.entries().map(\.key) == [.text("mov"), .text("jpg"), .text("png")])
        #expect(try await paths(collection) == [["d.mov"], ["b.jpg", "a.jpg"], ["c.png"]])
        #expect(try await collection.lastIndexPath() == AssetIndexPath(entry: 2, asset: 0))
        try await test.library.insert([try .made("ab.jpg")])
        #expect(try await paths(collection) == [["d.mov"], ["b.jpg", "ab.jpg", "a.jpg"], ["c.png"]])
    }
}

struct ByExtension: AssetGrouping {
    func key(of asset: Asset) -> EntryKey? { .text(asset.fileExtension) }
}

struct Named: AssetFilter {
    var prefix: String
    func includes(_ asset: Asset) -> Bool { prefix.contains(asset.name.prefix(1)) }
}

/// Sorts by name in descending order, with .mov entries first.
struct ByName: AssetSorter {
    func areInOrder(_ first: Asset, _ second: Asset) -> Bool { first.name > second.name }
    func areInOrder(_ first: EntryKey?, _ second: EntryKey?) -> Bool {
        first == .text("mov") && second != .text("mov")
    }
}

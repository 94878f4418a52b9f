import Files
import Foundation
import GRDB
import ImageMetadata
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import Assets
@testable import CatalogStorage

@Suite("Undated assets")
struct UndatedTests {
    /// 2015-06-07T08:09:10 UTC.
    private static let fileTime = 1_433_664_550

    /// Writes photos, every other one without a date, and one with a date in its name.
    private func write(_ count: Int, into folder: TemporaryFolder) throws {
        for number in 0..<count {
            let date = number % 2 == 0 ? "2014:05:25 10:00:0\(number)" : nil
            let path = folder.path("\(number).jpg")
            try Data(TinyPhoto.jpeg(date: date, salt: UInt64(number))).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: Double(Self.fileTime))], ofItemAtPath: path)
        }
        let named = folder.path("IMG-20190704-WA0001.jpg")
        try Data(TinyPhoto.jpeg(salt: 100)).write(to: URL(fileURLWithPath: named))
    }

    /// Writes a catalog of these photos like an earlier version, which used modification times as dates.
    private func writeEarlierCatalog(_ path: String, of folder: TemporaryFolder) throws {
        let pool = try DatabasePool(path: path)
        try CatalogStore.migrator.migrate(pool, upTo: "albums in order, hours and places")
        try pool.write { database in
            var assets: [(Asset, FileRecord)] = []
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() {
                guard name.hasSuffix(".jpg"), let status = FileStatus(folder.path(name)) else { continue }
                let reading = FileReading(
                    ScannedFile(path: FilePath(name), status: status),
                    in: SidecarPlaces(root: folder.url.path, folder: nil),
                    DateCompletion(undatedBy: .fileTime))
                guard case .asset(let asset, let record) = reading else { continue }
                assets.append((asset, record))
            }
            try database.insertEarlier(assets)
            try database.execute(
                sql: """
                    UPDATE asset SET dateSource = iif(path = '1.jpg', 'PNG:ModifyDate', 'FileModifyDate')
                        WHERE dateSource = 'FileTime';
                    INSERT INTO place(name) VALUES ('Geneve, CH'), ('Bergen');
                    UPDATE asset SET place = 1, latitude = 46.2, longitude = 6.14 WHERE path IN ('0.jpg', '1.jpg');
                    UPDATE asset SET place = 2 WHERE path = '2.jpg';
                    INSERT INTO albumAsset SELECT 1, id, id FROM asset WHERE id % 3 = 0
                    """)
        }
        try pool.close()
    }

    @Test("lose the modification times that an earlier version used as dates, and regain them on request")
    func migration() async throws {
        let folder = try TemporaryFolder()
        try write(10, into: folder)
        let aside = try TemporaryFolder()
        let path = aside.path("catalogue.sqlite")
        try writeEarlierCatalog(path, of: folder)
        let library = try await PhotoLibrary.open(folder.url.path, catalog: path)
        let statistics = try await library.statistics()
        #expect(statistics.assets == 11 && statistics.undated == 5)
        #expect(try await library.verifyCatalog().isEmpty)
        for sorter in [DateSorter.dateAscending, .dateDescending] {
            let entries = try await library.collection(grouping: .year, sorter: sorter).entries()
            #expect(
                Set(entries.map(\.key)) == [
                    StandardGrouping.Unit.year.key(2014), StandardGrouping.Unit.year.key(2019), nil,
                ])
            #expect(entries.last == CollectionEntry(key: nil, count: 5))
        }
        let span = library.collection(filter: try DateFilter(from: "2015", to: "2015"))
        #expect(try await span.entries().isEmpty)
        let picks = library.collection(of: .picks, grouping: .day)
        #expect(try await picks.entries().last?.key == nil)
        // The search finds countries now, and otherwise the same as before.
        #expect(try await library.find("switzerland").map(\.path).sorted() == ["0.jpg", "1.jpg"])
        #expect(try await library.find("geneve").count == 2)
        #expect(try await library.find("bergen").count == 1)
        #expect(try await library.find("norway").isEmpty)
        // Every file is read once for what earlier versions did not read.
        #expect(try await library.index() == IndexReport(updated: 11))
        #expect(try await library.index() == IndexReport(unchanged: 11))
        #expect(
            try await library.index(undatedBy: .fileTime)
                == IndexReport(updated: 5, unchanged: 6))
        let dated = try #require(try await library.asset(path: "1.jpg")?.date)
        #expect(dated.source == .fileTime && dated.source.isGuess && dated.instant == Self.fileTime)
        #expect(try await library.statistics().undated == 0)
        #expect(try await span.entries().map(\.count) == [5])
        #expect(try await library.verifyCatalog().isEmpty)
    }

    @Test("lose such dates also when an earlier catalog is repaired")
    func repair() async throws {
        let folder = try TemporaryFolder()
        try write(4, into: folder)
        let aside = try TemporaryFolder()
        let path = aside.path("catalogue.sqlite")
        try writeEarlierCatalog(path, of: folder)
        let (library, report) = try await PhotoLibrary.rebuild(folder.url.path, catalog: path)
        #expect(report.assets == 5)
        #expect(try await library.statistics().undated == 2)
    }

    @Test("can be opened concurrently from an earlier catalog")
    func together() async throws {
        let folder = try TemporaryFolder()
        try write(10, into: folder)
        let aside = try TemporaryFolder()
        let path = aside.path("catalogue.sqlite")
        try writeEarlierCatalog(path, of: folder)
        let root = folder.url.path
        let undated = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await PhotoLibrary.open(root, catalog: path).statistics().undated
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(undated == Array(repeating: 5, count: 8))
    }

    @Test(
        "get any modification time in range as date, and none out of range",
        arguments: [
            (0, "1970-01-01T00:00:00"), (-2_208_988_800, "1900-01-01T00:00:00"),
            (4_102_444_800, "2100-01-01T00:00:00"), (9_223_372_000, "2262-04-11T23:46:40"),
            (15_032_304_000, nil),
        ] as [(Int, String?)])
    func oddTimes(_ seconds: Int, _ expected: String?) async throws {
        let test = try await TestLibrary()
        try test.write("a.jpg", TinyPhoto.jpeg())
        let touch = try #require(BuiltProgram(installed: "touch"))
        let result = try await touch.run(["-d", "@\(seconds)", test.folder.path("a.jpg")])
        #expect(result.code == 0)
        // A file system that does not support the time stores the nearest one.
        let kept = try FileManager.default.attributesOfItem(atPath: test.folder.path("a.jpg"))[
            .modificationDate]
        guard let kept = kept as? Date, kept.timeIntervalSince1970 == Double(seconds) else { return }
        #expect(try await test.library.index(undatedBy: .fileTime).inserted == 1)
        let asset = try #require(try await test.library.asset(path: "a.jpg"))
        #expect(asset.date?.local.description == expected)
    }

    @Test("are reported as changes of a collection when they get or lose a date")
    func changes() async throws {
        let folder = try TemporaryFolder()
        try write(6, into: folder)
        let library = try await PhotoLibrary.create(folder.url.path)
        try await library.index()
        let collection = library.collection(grouping: .year, sorter: .dateDescending)
        var changes = collection.changes(since: try await collection.snapshot()).makeAsyncIterator()
        try await library.index(undatedBy: .fileTime)
        let dated = try #require(try await changes.next())
        #expect(
            dated.after.entries.map(\.key) == [
                StandardGrouping.Unit.year.key(2019), StandardGrouping.Unit.year.key(2015),
                StandardGrouping.Unit.year.key(2014),
            ])
        #expect(dated.deletedEntries == [2] && dated.insertedEntries == [1])
        try await library.index(undatedBy: .nothing)
        let undated = try #require(try await changes.next())
        #expect(
            undated.after.entries.map(\.key) == [
                StandardGrouping.Unit.year.key(2019), StandardGrouping.Unit.year.key(2014), nil,
            ])
        let snapshot = try await collection.snapshot()
        #expect(undated.after == snapshot)
    }

    @Test("are last on pages of all sizes if the grouping is not by date", arguments: [1, 2, 3, 7, 50])
    func pages(size: Int) async throws {
        let library = try await TestLibrary(
            try (0..<9).map {
                try .made("\($0).jpg", $0 % 3 == 0 ? nil : "2014-05-1\($0)T00:00:00", place: "Paris")
            }
        ).library
        try await library.add(Array(1...9), to: .picks)
        let expected = ["8", "7", "5", "4", "2", "1", "6", "3", "0"].map { "\($0).jpg" }
        for group in [AssetGroup.ID.all, .picks] {
            for unit in [StandardGrouping.all, .place] {
                let collection = library.collection(of: group, grouping: unit, sorter: .dateDescending)
                var paths: [String] = []
                for start in stride(from: 0, through: 12, by: size) {
                    paths += try await collection.assets(inEntry: 0, start..<(start + size)).map(\.path)
                }
                #expect(paths == expected)
                for (place, path) in expected.enumerated() {
                    let id = try #require(try await library.asset(path: path)?.id)
                    #expect(try await collection.indexPath(of: id) == AssetIndexPath(entry: 0, asset: place))
                }
            }
        }
    }
}

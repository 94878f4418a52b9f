import Files
import GRDB
import ImageMetadata
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import Assets
@testable import CatalogStorage

@Suite("A photo of which only the year or month is known")
struct PartialDateTests {
    static func asset(_ path: String, _ date: String) throws -> Asset {
        var asset = try Asset.made(path)
        asset.date = CaptureDate(edited: date)
        return asset
    }

    static func library() async throws -> TestLibrary {
        try await TestLibrary([
            asset("year.jpg", "1978"), asset("month.jpg", "1978-05"), asset("day.jpg", "1978-05-04"),
            asset("first.jpg", "1978-01-01T00:00:00"), asset("last.jpg", "1978-12-31T23:59:59"),
            asset("next.jpg", "1979"),
        ])
    }

    @Test("is stored as it is")
    func stored() async throws {
        let test = try await Self.library()
        let dates = try await test.library.assets(Array(1...6)).map { $0.date?.description }
        #expect(
            dates == [
                "1978", "1978-05", "1978-05-04", "1978-01-01T00:00:00", "1978-12-31T23:59:59", "1979",
            ])
    }

    @Test(
        "is within bounds that include all of what is known",
        arguments: [
            ("1978-01-01", "1978-12-31", "first year month day last"),
            ("1978", "1978", "first year month day last"),
            ("1978-01-01T00:00:00", "1978-12-31T23:59:59", "first year month day last"),
            ("1978-05-01", "1978-05-31T23", "month day"), ("1978-05", "1978-05", "month day"),
            ("1978-01-01", "1978-01-01", "first"), ("1978-01", "1978-06-30", "first month day"),
            ("1978-05-02", "1978-12", "day last"), ("1978-01-01T00:00:01", nil, "month day last next"),
            (nil, "1978-12-31T23:59:58", "first month day"), ("1978-05-04", "1978-05-04", "day"),
            ("1979", nil, "next"), (nil, "1977", ""), (nil, nil, "first year month day last next"),
        ] as [(String?, String?, String)])
    func bounds(_ from: String?, _ to: String?, _ expected: String) async throws {
        let test = try await Self.library()
        let filter = try DateFilter(from: from, to: to)
        let names = Set(expected.split(separator: " ").map(String.init))
        for grouping in [StandardGrouping.all, .month, .week, .day, .hour, .year] {
            let collection = test.library.collection(grouping: grouping, filter: filter)
            var found: [String] = []
            for entry in try await collection.entries() {
                found += try await collection.assets(in: entry, 0..<100).map { String($0.path.dropLast(4)) }
            }
            #expect(Set(found) == names, "\(grouping.unit)")
        }
        let assets = try await test.library.assets(Array(1...6)).filter(filter.includes)
        #expect(Set(assets.map { String($0.path.dropLast(4)) }) == names)
    }

    @Test(
        "has an entry of its own where less is known than its group",
        arguments: [
            (StandardGrouping.year, [1978, 1979], ["1978", "1979"]),
            (
                .month, [197_800, 197_801, 197_805, 197_812, 197_900],
                ["1978", "1978-01", "1978-05", "1978-12", "1979"]
            ),
            (
                .week, [19_771_226, 19_780_000, 19_780_500, 19_780_501, 19_781_225, 19_790_000],
                ["1977-12-26", "1978", "1978-05", "1978-05-01", "1978-12-25", "1979"]
            ),
            (
                .day, [19_780_000, 19_780_101, 19_780_500, 19_780_504, 19_781_231, 19_790_000],
                ["1978", "1978-01-01", "1978-05", "1978-05-04", "1978-12-31", "1979"]
            ),
        ])
    func groups(_ grouping: StandardGrouping, _ numbers: [Int], _ texts: [String]) async throws {
        let test = try await Self.library()
        let collection = test.library.collection(grouping: grouping)
        let keys = try await collection.entries().compactMap(\.key)
        #expect(keys.map(\.number) == numbers)
        let found = keys.map { if case .period(let period) = $0 { period.text } else { "" } }
        #expect(found == texts)
        for asset in try await test.library.assets(Array(1...6)) {
            #expect(grouping.key(of: asset).map(keys.contains) == true)
        }
    }

    @Test("has a period only where its end is unknown, not its middle")
    func periods() {
        #expect(DatePeriod(.month, number: 197_800) != nil && DatePeriod(.day, number: 19_780_500) != nil)
        #expect(
            DatePeriod(.day, number: 19_780_004) == nil && DatePeriod(.hour, number: 1_978_050_010) == nil)
        #expect(DatePeriod(.month, number: 0) == nil && DatePeriod(.year, number: 0) == nil)
    }

    @Test("is sorted to the beginning of what is known")
    func order() async throws {
        let test = try await Self.library()
        #expect(
            try await test.paths() == [
                "first.jpg", "year.jpg", "month.jpg", "day.jpg", "last.jpg", "next.jpg",
            ])
    }

    @Test("cannot be shifted; a time without seconds stays one where minutes are added")
    func shifts() throws {
        var edit = AssetEdit()
        edit.shift = 3600
        let year = try Self.asset("a.jpg", "1978")
        #expect(throws: AssetRefusal.self) { try edit.sidecarEdit(of: year, orientation: .up) }
        let minute = try edit.sidecarEdit(of: Self.asset("a.jpg", "1978-05-04T12:30"), orientation: .up)
        #expect(minute.date == .set(try #require(CaptureDate(edited: "1978-05-04T13:30"))))
    }

    @Test(
        "is placed by what is known",
        arguments: [
            ("{year}/{year}-{month}-{day}/{name}", "1978", "1978/1978/IMG_1"),
            ("{year}/{year}-{month}-{day}/{name}", "1978-05", "1978/1978-05/IMG_1"),
            ("{year}/{month}/{day}/{name}", "1978", "1978/IMG_1"),
            ("{day}.{month}.{year}/{name}", "1978", "1978/IMG_1"),
            ("{year}{month}{day}_{hour}{minute}{second}_{original}", "1978-05-04", "19780504_IMG_1"),
            (
                "{year}{month}{day}_{hour}{minute}{second}_{original}", "1978-05-04T12:30",
                "19780504_1230_IMG_1"
            ),
            ("all/{month}", "1978", "all/IMG_1"),
            ("photos of {year}/x{name}", "1978", "photos of 1978/xIMG_1"),
        ])
    func layout(_ layout: String, _ date: String, _ expected: String) throws {
        let subject = ImportLayout.Subject(
            date: CaptureDate(edited: date), make: nil, model: nil, original: "IMG_1", fileExtension: "jpg")
        #expect(try ImportLayout(layout).base(for: subject).text == expected)
    }

    @Test("is read from files, also of a library that an earlier version has read")
    func files() async throws {
        let test = try await TestLibrary()
        let exif = ExifBuilder(bigEndian: true).block([
            (0x8769, .directory([(0x9003, .text("1978:  :     :  :  "))]))
        ])
        try test.write("a.jpg", PhotoMaker.jpeg(exif: exif))
        try await test.library.index()
        #expect(try await test.library.assets([1]).first?.date?.precision == .year)
        try await test.library.write { catalog in
            try catalog.database.execute(
                sql:
                    "UPDATE asset SET date = NULL, dateSource = NULL, hour = NULL, week = NULL, instant = ?, reading = 2",
                arguments: [Asset.undated])
        }
        try await test.library.index()
        #expect(try await test.library.assets([1]).first?.date?.description == "1978")
        #expect(try await test.library.index().unchanged == 1)
    }
}

import Files
import Foundation
import GRDB
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@Suite("Catalogs of earlier versions")
struct StoredCatalogTests {
    private func open(_ folder: TemporaryFolder) async throws -> PhotoLibrary {
        let path = folder.url.appendingPathComponent("catalogue.sqlite").path
        let queue = try DatabaseQueue(path: path)
        try await queue.write { try $0.execute(sql: StoredCatalog.form + StoredCatalog.rows) }
        try queue.close()
        return try await PhotoLibrary.open(folder.url.path, catalog: path)
    }

    @Test("have the assets that were written")
    func assets() async throws {
        let folder = try TemporaryFolder()
        let library = try await open(folder)
        #expect(try await library.verifyCatalog() == [])
        let asset = try #require(try await library.asset(1))
        #expect(asset.path == "sea/2014/a.jpg" && asset.kinds == [.photo, .jpeg] && asset.format == .jpeg)
        #expect(asset.size == PixelSize(width: 4032, height: 3024) && asset.duration == nil)
        #expect(
            asset.date
                == CaptureDate(
                    local: try clock("2014-05-25T10:00:00.25"), offset: UTCOffset(minutes: 120),
                    source: .subSecDateTimeOriginal, zoneSource: .tag("OffsetTimeOriginal")))
        #expect(
            asset.location
                == Location(latitude: 46.38, longitude: 6.24, altitude: 380.5, accuracy: 5, source: .exif))
        #expect(asset.place == "Nyon, Vaud, CH" && asset.make == "Apple" && asset.model == "iPhone 5s")
        #expect(asset.title == "The lake" && asset.caption == "Before rain")
        #expect(asset.keywords == ["water", "clouds"] && asset.bytes == 2_000_001)
        #expect(asset.modifiedNanoseconds == 1_401_004_801_123_456_789)
        #expect(abs(asset.modified.timeIntervalSince1970 - 1_401_004_801.123_456_789) < 1e-6)
        #expect(asset.sha256 == String(repeating: "0", count: 63) + "1")
        #expect(asset.sidecar == "sea/2014/a.jpg.xmp" && asset.livePartner == 2 && asset.burst == "burst-1")
        let video = try #require(try await library.asset(2))
        #expect(video.duration == .seconds(2.75) && video.date?.offset == nil && video.livePartner == 1)
        let scan = try #require(try await library.asset(path: "scan.png"))
        #expect(scan.id == 5 && scan.date?.hasTime == false && scan.date?.source == .fileName)
        #expect(try await library.asset(9)?.date == nil)
    }

    @Test("have the groups, entries, search results and statistics that were written")
    func counts() async throws {
        let folder = try TemporaryFolder()
        let library = try await open(folder)
        let groups = try await library.groups()
        #expect(groups.map(\.name) == ["", "Picks", "Sea", "", "sea/2014"])
        #expect(groups.map(\.count) == [4, 1, 2, 2, 2])
        #expect(groups.map(\.bytes) == [5_000_015, 5, 5_000_003, 12, 5_000_003])
        #expect(try await library.albumAssets(.album(2)) == [2, 1])
        let days = try await library.collection(grouping: .day).snapshot()
        let first = try clock("1899-12-31T00:00:00")
        #expect(days.entries.first?.key == .period(DatePeriod(.day, containing: first)))
        #expect(days.entries.map(\.count) == [1, 2, 1] && days.ids == [5, 1, 2, 9])
        let album = library.collection(of: .album(2), grouping: .month)
        #expect(try await album.entries().map(\.key?.number) == [201405])
        #expect(try await library.find("clo swi").map(\.id) == [1])
        let statistics = try await library.statistics()
        #expect(statistics.assets == 4 && statistics.undated == 1 && statistics.seconds == 2.75)
        #expect(statistics.firstDate == "1899-12-31" && statistics.lastDate == "2014-05-25T10:00:01")
        #expect(try await library.duplicates(.bytes).isEmpty)
        // They have no ledger of imports yet.
        #expect(try await library.imports().isEmpty)
        #expect(try await library.origins(of: ["sea/2014/a.jpg"]).isEmpty)
    }
}

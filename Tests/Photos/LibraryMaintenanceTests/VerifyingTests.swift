import Foundation
import GRDB
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import CatalogStorage
@testable import LibraryMaintenance

@Suite("Verifying")
struct VerifyingTests {
    @Test("finds missing and superfluous words in the search index")
    func search() async throws {
        for sql in [
            "INSERT INTO search(search) VALUES ('delete-all')",
            "INSERT INTO search(rowid, path) VALUES (99, 'ghost')",
            "DROP TRIGGER searchUpdating; DROP TRIGGER searchUpdated; UPDATE asset SET title = 'new'",
        ] {
            let test = try await TestLibrary([try .made("a.jpg"), try .made("b.jpg")])
            #expect(try await test.library.verifyCatalog().isEmpty)
            try await test.library.write { try $0.database.execute(sql: sql) }
            #expect(try await test.library.verifyCatalog().count == 1, "\(sql)")
        }
    }

    @Test("finds wrong counts")
    func counts() async throws {
        let test = try await TestLibrary([try .made("a.jpg"), try .made("x/b.jpg", place: "Paris")])
        try await test.library.write {
            try $0.database.execute(sql: "UPDATE tally SET number = 5 WHERE grouping IN ('week', 'place')")
        }
        #expect(
            try await test.library.verifyCatalog() == [
                "1 entries by week are counted wrongly", "2 entries by place are counted wrongly",
            ])
    }

    @Test(
        "finds wrong rows of the calendar and the album order",
        arguments: [
            "UPDATE calendar SET number = 5 WHERE album = 1", "DELETE FROM calendar WHERE album = 0",
            "INSERT INTO calendar VALUES (7, -1, -1, 1, 1, 1)", "UPDATE calendar SET bytes = bytes + 1",
            "UPDATE albumOrder SET kinds = 2",
            "DROP TRIGGER albumOrderInserted; INSERT INTO albumAsset VALUES (1, 2, 2)",
            "DROP TRIGGER albumOrderUpdated; UPDATE asset SET instant = 3 WHERE id = 1",
            "DROP TRIGGER calendarUpdated; UPDATE asset SET kinds = 2 WHERE id = 2",
        ])
    func kept(_ sql: String) async throws {
        let library = try await TestLibrary([try .made("a.jpg"), try .made("x/b.jpg", place: "Paris")])
            .library
        try await library.add([1], to: .picks)
        #expect(try await library.verifyCatalog().isEmpty)
        try await library.write { try $0.database.execute(sql: sql) }
        #expect(try await library.verifyCatalog().contains { $0.hasSuffix("not what the assets say") })
    }

    @Test("finds no errors after random changes of assets and albums", arguments: 0..<8)
    func history(seed: Int) async throws {
        var random = RandomAssets(seed: UInt64(seed))
        let library = try await TestLibrary().library
        let album = try await library.createAlbum("Sea").id
        for round in 0..<6 {
            let new = try (0..<6).map { try random.asset(round * 100 + $0) }
            let ids = try await library.insert(new)
            try await library.add(ids.filter { $0 % 2 == 0 }, to: .picks)
            try await library.add(ids.filter { $0 % 3 == 0 }, to: album)
            let all = Array(try await library.collection().snapshot().ids)
            for id in all where random.next(below: 3) == 0 {
                // The same asset with another date, place, kind, size and path.
                var asset = try random.asset(round * 100 + 50 + random.next(below: 40))
                asset.id = id
                asset.path = "\(id)-\(round).jpg"
                try await library.update([asset])
            }
            try await library.remove(all.filter { _ in random.next(below: 6) == 0 })
            try await library.remove(all.filter { _ in random.next(below: 6) == 0 }, from: album)
            #expect(try await library.verifyCatalog().isEmpty)
        }
        try await library.deleteAlbum(album)
        try await library.deleteAlbum(.picks)
        #expect(try await library.verifyCatalog().isEmpty)
    }

    @Test("a change that the catalog rejects is an error with the reason")
    func refusal() async throws {
        let library = try await TestLibrary().library
        let error = await #expect(throws: LibraryError.self) {
            try await library.write { try $0.database.execute(sql: "INSERT INTO album VALUES (1, 'x', 0)") }
        }
        #expect(
            error
                == LibraryError(
                    .refused(catalog: library.catalogPath, reason: "UNIQUE constraint failed: album.id")))
        #expect(error?.description.contains("the catalog rejected") == true)
    }
}

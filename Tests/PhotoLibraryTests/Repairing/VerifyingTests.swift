import GRDB
import Testing

@testable import PhotoLibrary

@Suite("Verifying")
struct VerifyingTests {
    @Test("finds a search that misses words, and one that holds too many")
    func search() async throws {
        for sql in [
            "INSERT INTO search(search) VALUES ('delete-all')",
            "INSERT INTO search(rowid, path) VALUES (99, 'ghost')",
            "DROP TRIGGER searchUpdating; DROP TRIGGER searchUpdated; UPDATE asset SET title = 'new'",
        ] {
            let test = try await TestLibrary([try .made("a.jpg"), try .made("b.jpg")])
            #expect(try await test.library.verify().isEmpty)
            try await test.library.catalogue.write { try $0.execute(sql: sql) }
            #expect(try await test.library.verify().count == 1, "\(sql)")
        }
    }

    @Test("finds what was counted wrongly")
    func counts() async throws {
        let test = try await TestLibrary([try .made("a.jpg"), try .made("x/b.jpg", place: "Paris")])
        try await test.library.catalogue.write {
            try $0.execute(sql: "UPDATE tally SET number = 5 WHERE grouping IN ('week', 'place')")
        }
        #expect(
            try await test.library.verify() == [
                "1 entries by week are counted wrongly", "2 entries by place are counted wrongly",
            ])
    }

    @Test("is what is advised where the database refuses for no reason of the disk's")
    func refusal() async throws {
        let library = try await TestLibrary().library
        let error = await #expect(throws: LibraryError.self) {
            try await library.catalogue.write { try $0.execute(sql: "INSERT INTO album VALUES (1, 'x', 0)") }
        }
        #expect(
            error
                == .refused(
                    catalogue: library.cataloguePath, reason: "UNIQUE constraint failed: album.id"))
        #expect(error?.description.contains("library verify") == true)
    }
}

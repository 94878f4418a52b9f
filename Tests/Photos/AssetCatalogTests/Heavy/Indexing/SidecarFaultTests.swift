import Foundation
import GRDB
import PhotoCatalog
import TestHarness
import TestLibraries
import TestSupport
import Testing

@Suite("Indexing photos with broken sidecars")
struct IndexedSidecarTests {
    private static let fault = IndexReport.Failure(
        path: "a.jpg", reason: "its sidecar a.jpg.xmp is not XMP; repair or remove it")

    private func library(_ sidecar: [UInt8]) async throws -> (TestLibrary, IndexReport) {
        let test = try await TestLibrary()
        try test.write("a.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00"))
        try test.write("a.jpg.xmp", sidecar)
        return (test, try await test.library.index())
    }

    @Test("reports them until they are repaired or removed, and keeps the photos", arguments: [true, false])
    func reported(_ isRepaired: Bool) async throws {
        let (test, first) = try await library(Array("no XMP".utf8))
        #expect(first.sidecarFaults == [Self.fault] && first.inserted == 1 && first.failures.isEmpty)
        let second = try await test.library.index()
        #expect(second.sidecarFaults == [Self.fault] && second.unchanged == 1 && second.updated == 0)
        #expect(try await test.library.asset(path: "a.jpg")?.date != nil)
        // A photo that moves takes its sidecar with it.
        try FileManager.default.moveItem(atPath: test.folder.path("a.jpg"), toPath: test.folder.path("b.jpg"))
        try FileManager.default.moveItem(
            atPath: test.folder.path("a.jpg.xmp"), toPath: test.folder.path("b.jpg.xmp"))
        let moved = try await test.library.index()
        #expect(moved.sidecarFaults.map(\.path) == ["b.jpg"] && moved.removed == 0 && moved.inserted == 0)
        if isRepaired {
            try test.write("b.jpg.xmp", Array(XMPMaker.packet([("xmp:Rating", "2")]).utf8))
        } else {
            try FileManager.default.removeItem(atPath: test.folder.path("b.jpg.xmp"))
        }
        let last = try await test.library.index()
        #expect(last.sidecarFaults.isEmpty && last.updated == 1)
        #expect(try await test.library.asset(path: "b.jpg")?.rating == (isRepaired ? 2 : nil))
        #expect(try await test.library.examine().allSatisfy { $0.kind != .brokenSidecars })
    }

    @Test("reports a shared one with each photo")
    func shared() async throws {
        let (test, _) = try await library([])
        try test.write("c.jpg", TinyPhoto.jpeg(salt: 1))
        try test.write("c.png", TinyPhoto.jpeg(salt: 2))
        try test.write("c.xmp", [])
        for _ in 0..<2 {
            let faults = try await test.library.index().sidecarFaults
            #expect(faults.map(\.path).sorted() == ["a.jpg", "c.jpg", "c.png"])
            #expect(faults.count { $0.reason == "its sidecar c.xmp is empty; repair or remove it" } == 2)
        }
    }

    @Test("finds those that an earlier version has read without a word")
    func migrated() async throws {
        let (test, _) = try await library(Array("no XMP".utf8))
        let (root, catalog) = (test.library.root, test.library.catalogPath)
        try test.write("plain.jpg", TinyPhoto.jpeg(salt: 5))
        try await test.library.index()
        let queue = try DatabaseQueue(path: catalog)
        try await queue.write { database in
            try database.execute(
                sql: """
                    ALTER TABLE asset DROP COLUMN sidecarFault;
                    DELETE FROM grdb_migrations WHERE identifier = 'faults of sidecars';
                    """)
        }
        try queue.close()
        let library = try await PhotoLibrary.open(root, catalog: catalog)
        let report = try await library.index()
        // Photos without a sidecar are not read again.
        #expect(report.sidecarFaults == [Self.fault] && report.updated == 1 && report.unchanged == 1)
    }
}

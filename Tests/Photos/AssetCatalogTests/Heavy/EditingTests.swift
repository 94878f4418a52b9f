import Foundation
import ImageMetadata
import PhotoCatalog
import TestHarness
import TestLibraries
import TestSupport
import Testing
import ViewportGeometry

@testable import AssetCatalog

@Suite("Editing")
struct EditingTests {
    private func library(_ names: String...) async throws -> TestLibrary {
        let test = try await TestLibrary()
        for (number, name) in names.enumerated() {
            try test.write(name, TinyPhoto.jpeg(date: "2014:05:25 10:00:00", salt: UInt64(number)))
        }
        try await test.library.index()
        return test
    }

    private func asset(_ path: String, in test: TestLibrary) async throws -> Asset {
        try #require(try await test.library.asset(path: path))
    }

    private func exists(_ path: String, in test: TestLibrary) -> Bool {
        FileManager.default.fileExists(atPath: test.folder.path(path))
    }

    @Test("writes sidecars, which are what the catalog holds then; the photos keep their bytes")
    func edits() async throws {
        let test = try await library("a.jpg", "b.jpg")
        let before = try await asset("a.jpg", in: test)
        var edit = AssetEdit()
        edit.title = "Title"
        edit.caption = "Words"
        edit.keywords = ["lake", "boat"]
        edit.removedKeywords = ["boat"]
        edit.addedKeywords = ["Zoë"]
        edit.rating = 4
        edit.label = "Red"
        edit.shift = 3600
        edit.location = Location(latitude: 46.2, longitude: 6.14, source: .sidecar)
        let report = try await test.library.edit([before.id], edit)
        #expect(report.changed == 1 && report.failures.isEmpty)
        #expect(report.operation?.name == "edit 1 asset")
        let after = try await asset("a.jpg", in: test)
        #expect(after.id == before.id && after.sha256 == before.sha256 && after.sidecar == "a.jpg.xmp")
        #expect(after.title == "Title" && after.caption == "Words" && after.keywords == ["lake", "Zoë"])
        #expect(after.rating == 4 && after.label == "Red")
        #expect(after.date?.local == (try clock("2014-05-25T11:00:00")))
        #expect(after.date?.source == .sidecarDateTimeOriginal && after.location?.latitude == 46.2)
        // A new catalog reads the same from the files.
        let other = try await PhotoLibrary.create(
            test.library.root, catalog: test.folder.path(".other.sqlite"))
        try await other.index()
        var read = try #require(try await other.asset(path: "a.jpg"))
        read.id = after.id
        #expect(read == after)
        #expect(try await asset("b.jpg", in: test).title == nil)
    }

    @Test(
        "rotates without touching pixels",
        arguments: [(1, Orientation.right, 30), (-1, .left, 30), (6, .down, 40)])
    func rotates(_ turns: Int, _ orientation: Orientation, _ width: Int) async throws {
        let test = try await library("a.jpg")
        let before = try await asset("a.jpg", in: test)
        #expect(before.size?.width == 40 && before.turn == .up)
        var edit = AssetEdit()
        edit.quarterTurns = turns
        try await test.library.edit([before.id], edit)
        let after = try await asset("a.jpg", in: test)
        #expect(after.turn == orientation && after.size?.width == width)
        edit.quarterTurns = -turns
        try await test.library.edit([before.id], edit)
        #expect(try await asset("a.jpg", in: test).size?.width == 40)
    }

    @Test("is undone, the last operation first")
    func undone() async throws {
        let test = try await library("a.jpg")
        let former = Array(XMPMaker.packet([("xmp:Rating", "2")]).utf8)
        try test.write("a.jpg.xmp", former)
        try await test.library.index()
        let asset = try await asset("a.jpg", in: test)
        #expect(asset.rating == 2)
        var edit = AssetEdit()
        edit.rating = 3
        try await test.library.edit([asset.id], edit)
        edit.rating = 5
        try await test.library.edit([asset.id], edit)
        #expect(try await test.library.operations().count == 2)
        #expect(try await test.library.undo()?.changed == 1)
        #expect(try await self.asset("a.jpg", in: test).rating == 3)
        #expect(try await test.library.undo()?.changed == 1)
        #expect(try await self.asset("a.jpg", in: test).rating == 2)
        #expect(try Data(contentsOf: test.folder.url.appendingPathComponent("a.jpg.xmp")) == Data(former))
        #expect(try await test.library.undo() == nil)
    }

    @Test("removes the sidecars that it made when it is undone, but not those that were changed since")
    func changedSince() async throws {
        let test = try await library("a.jpg", "b.jpg")
        let ids = [try await asset("a.jpg", in: test).id, try await asset("b.jpg", in: test).id]
        var edit = AssetEdit()
        edit.title = "Title"
        try await test.library.edit(ids, edit)
        try test.write("b.jpg.xmp", Array(XMPMaker.packet([("dc:title", "Mine")]).utf8))
        let report = try #require(try await test.library.undo())
        #expect(report.changed == 1)
        let reason = "was changed since, and is kept; it is the sidecar of b.jpg"
        #expect(report.failures == [.init(path: "b.jpg.xmp", reason: reason)])
        #expect(!exists("a.jpg.xmp", in: test) && exists("b.jpg.xmp", in: test))
        #expect(try await asset("a.jpg", in: test).title == nil)
        #expect(try await asset("b.jpg", in: test).title == "Mine")
    }

    @Test("copies a sidecar that files share, so that only one of them changes")
    func shared() async throws {
        let test = try await library("a.jpg", "a.jpeg")
        let former = Array(XMPMaker.packet([("xmp:Rating", "2"), ("dc:title", "Both")]).utf8)
        try test.write("a.xmp", former)
        try await test.library.index()
        var edit = AssetEdit()
        edit.rating = 5
        try await test.library.edit([try await asset("a.jpg", in: test).id], edit)
        let (changed, other) = (try await asset("a.jpg", in: test), try await asset("a.jpeg", in: test))
        #expect(changed.rating == 5 && changed.title == "Both" && changed.sidecar == "a.jpg.xmp")
        #expect(other.rating == 2 && other.sidecar == "a.xmp")
        try await test.library.undo()
        #expect(try await asset("a.jpg", in: test).rating == 2)
        #expect(try Data(contentsOf: test.folder.url.appendingPathComponent("a.xmp")) == Data(former))
    }

    @Test("refuses what an asset does not allow, with a reason, and edits the others")
    func refusals() async throws {
        let test = try await library("a.jpg", "broken.jpg")
        try test.write("undated.jpg", TinyPhoto.jpeg(date: nil, salt: 9))
        try test.write("broken.jpg.xmp", Array("no XMP".utf8))
        try await test.library.index()
        var ids: [Asset.ID] = [4711]
        for path in ["a.jpg", "broken.jpg", "undated.jpg"] {
            ids.append(try await asset(path, in: test).id)
        }
        var edit = AssetEdit()
        edit.shift = -60
        let report = try await test.library.edit(ids, edit)
        #expect(report.changed == 1 && report.operation?.name == "edit 1 asset")
        let reasons = Dictionary(uniqueKeysWithValues: report.failures.map { ($0.path, $0.reason) })
        #expect(
            reasons == [
                "undated.jpg": "has no date to shift",
                "broken.jpg": "its sidecar broken.jpg.xmp is not XMP; repair or remove it",
                "asset 4711": "is no longer in the library",
            ])
        #expect(try await asset("a.jpg", in: test).date?.local == (try clock("2014-05-25T09:59:00")))
    }

    @Test("writes nothing where nothing changes, and leaves no operation")
    func unchanged() async throws {
        let test = try await library("a.jpg", "b.jpg")
        let ids = [try await asset("a.jpg", in: test).id, try await asset("b.jpg", in: test).id]
        var edit = AssetEdit()
        edit.title = "Title"
        try await test.library.edit([ids[0]], edit)
        let report = try await test.library.edit(ids, edit)
        #expect(report.changed == 1 && report.unchanged == 1 && report.operation?.name == "edit 1 asset")
        edit = AssetEdit()
        (edit.caption, edit.keywords, edit.removedKeywords) = ("", [], ["none"])
        let none = try await test.library.edit(ids, edit)
        #expect(none.changed == 0 && none.unchanged == 2 && none.operation == nil && none.failures.isEmpty)
        #expect(try await test.library.operations().count == 2)
    }

    @Test("of many assets counts those that were edited, batch for batch")
    func batches() async throws {
        let test = try await TestLibrary()
        let count = 2 * PhotoLibrary.editBatch + 3
        for number in 0..<count { try test.write("\(number).jpg", TinyPhoto.jpeg(salt: UInt64(number))) }
        for number in stride(from: 0, to: count, by: 3) { try test.write("\(number).jpg.xmp", []) }
        let index = try await test.library.index()
        let broken = (count + 2) / 3
        #expect(index.inserted == count && index.sidecarFaults.count == broken && index.failures.isEmpty)
        var edit = AssetEdit()
        edit.rating = 4
        let ids = Array(try await test.library.collection().snapshot().ids)
        let report = try await test.library.edit(ids, edit)
        #expect(report.changed == count - broken && report.failures.count == broken)
        #expect(report.operation?.name == "edit \(count - broken) assets")
        #expect(try await test.library.undo()?.changed == count - broken)
    }

    @Test("locks out other edits of the same library")
    func busy() async throws {
        let test = try await library("a.jpg")
        let lock = try test.library.lockEditing()
        var edit = AssetEdit()
        edit.rating = 1
        let id = try await asset("a.jpg", in: test).id
        await #expect(throws: LibraryError(.editing(catalog: test.library.catalogPath))) {
            try await test.library.edit([id], edit)
        }
        withExtendedLifetime(lock) {}
    }
}

import Files
import Foundation
import GRDB
import ImageMetadata
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import CatalogStorage
@testable import LibraryMaintenance

@Suite("Restoring from the trash of a library")
struct RestoringTests {
    private static func photo(_ salt: UInt64) -> [UInt8] {
        TinyPhoto.jpeg(date: "2014:05:25 10:00:00", salt: salt)
    }

    private static func library() async throws -> TestLibrary {
        let test = try await TestLibrary()
        for (number, name) in ["a.jpg", "sub/b.jpg", "c.jpg"].enumerated() {
            try test.write(name, photo(UInt64(number)))
        }
        try await test.library.index()
        return test
    }

    private static func id(_ path: String, _ test: TestLibrary) async throws -> Asset.ID {
        try #require(try await test.library.asset(path: path)).id
    }

    private static func isThere(_ path: String, _ test: TestLibrary) -> Bool {
        FileManager.default.fileExists(atPath: test.folder.path(path))
    }

    /// What is in the trash, by the former paths.
    private static func trashed(_ test: TestLibrary) async throws -> [String: TrashedAsset] {
        let all = try await test.library.trashedAssets(test.library.trashedIDs())
        return Dictionary(all.map { ($0.file.text, $0) }) { $1 }
    }

    @Test("restores one of several with its identifier, albums, words and sidecar, and leaves the others")
    func one() async throws {
        let test = try await Self.library()
        let ids = [try await Self.id("a.jpg", test), try await Self.id("sub/b.jpg", test)]
        var edit = AssetEdit()
        (edit.title, edit.rating) = ("The lake", 4)
        try await test.library.edit([ids[1]], edit)
        let album = try await test.library.createAlbum("Sea").id
        try await test.library.add(ids.reversed(), to: album)
        let before = try #require(try await test.library.asset(ids[1]))
        try await test.library.moveToTrash(ids)
        let all = try await Self.trashed(test)
        #expect(all.keys.sorted() == ["a.jpg", "sub/b.jpg"])
        let one = try #require(all["sub/b.jpg"])
        #expect(one.asset.title == "The lake" && one.asset.fileSize == Self.photo(1).count)
        #expect(test.library.fileInTrash(of: one)?.hasSuffix("sub/b.jpg") == true)
        let report = try await test.library.restoreFromTrash([one.id])
        #expect(report.changed == 1 && report.failures.isEmpty, "\(report.failures)")
        #expect(try await test.library.asset(ids[1]) == before)
        #expect(Self.isThere("sub/b.jpg.xmp", test) && !Self.isThere("a.jpg", test))
        #expect(try await test.library.albumAssets(album) == [ids[1]])
        #expect(try await Self.trashed(test).keys.sorted() == ["a.jpg"])
        #expect(try await test.library.trash().map(\.path) == ["a.jpg"])
        // What is left of the operation is undone as before.
        #expect(try await test.library.undo()?.failures == [])
        #expect(try await test.library.albumAssets(album) == [ids[1], ids[0]])
        #expect(try await test.library.trashedIDs().isEmpty)
        #expect(try await test.library.verifyCatalog().isEmpty)
    }

    @Test("restores photos of several operations, the last of which is listed first")
    func several() async throws {
        let test = try await Self.library()
        for path in ["a.jpg", "sub/b.jpg", "c.jpg"] {
            try await test.library.moveToTrash([try await Self.id(path, test)])
        }
        let ids = try await test.library.trashedIDs()
        let all = try await test.library.trashedAssets(ids)
        #expect(all.map(\.file.text) == ["c.jpg", "sub/b.jpg", "a.jpg"])
        let report = try await test.library.restoreFromTrash(ids + ids)
        #expect(report.changed == 3 && report.failures.isEmpty)
        #expect(try await test.library.trash().isEmpty)
        #expect(try await test.library.trashedIDs().isEmpty)
        #expect(try await test.library.operations().isEmpty)
        #expect(!Self.isThere(".viewport-library/trash", test))
        #expect(try await test.library.verifyCatalog().isEmpty)
        // Those that are gone are passed over.
        #expect(try await test.library.restoreFromTrash(ids).changed == 0)
    }

    @Test("leaves what another file has the name of in the trash, with its sidecar")
    func taken() async throws {
        let test = try await Self.library()
        let id = try await Self.id("a.jpg", test)
        var edit = AssetEdit()
        edit.title = "First"
        try await test.library.edit([id], edit)
        try await test.library.moveToTrash([id, try await Self.id("c.jpg", test)])
        try test.write("a.jpg", Self.photo(9))
        try await test.library.index()
        let ids = try await test.library.trashedIDs()
        let report = try await test.library.restoreFromTrash(ids)
        #expect(report.changed == 1 && report.failures.map(\.path) == ["a.jpg"])
        #expect(report.failures.first?.reason.contains("another file has its name") == true)
        #expect(Self.isThere("c.jpg", test) && !Self.isThere("a.jpg.xmp", test))
        #expect(try await test.library.asset(path: "a.jpg")?.title == nil)
        try test.remove("a.jpg")
        #expect(try await test.library.restoreFromTrash(ids).changed == 1)
        #expect(try await test.library.asset(id)?.title == "First")
        #expect(try await test.library.verifyCatalog().isEmpty)
    }

    @Test(
        "keeps the sidecar with its photo when undone, and restores both when no file or folder has its name",
        arguments: [false, true])
    func undone(_ isFolder: Bool) async throws {
        let test = try await Self.library()
        var edit = AssetEdit()
        edit.title = "The lake"
        let id = try await Self.id("sub/b.jpg", test)
        try await test.library.edit([id], edit)
        try await test.library.moveToTrash([id])
        let other = Self.photo(9)
        try test.write(isFolder ? "sub/b.jpg/c.jpg" : "sub/b.jpg", other)
        try await test.library.index()
        let first = try #require(try await test.library.undo())
        #expect(first.changed == 0 && first.failures.map(\.path).sorted() == ["sub/b.jpg", "sub/b.jpg.xmp"])
        #expect(!Self.isThere("sub/b.jpg.xmp", test))
        #expect(try await test.library.asset(path: "sub/b.jpg")?.title == nil)
        let kept = test.folder.path(isFolder ? "sub/b.jpg/c.jpg" : "sub/b.jpg")
        #expect(FileManager.default.contents(atPath: kept) == Data(other))
        try test.remove("sub/b.jpg")
        let second = try #require(try await test.library.undo())
        #expect(second.changed == 2 && second.failures.isEmpty, "\(second.failures)")
        #expect(try await test.library.asset(id)?.title == "The lake")
        #expect(try await test.library.verifyCatalog().isEmpty)
    }

    @Test("tells what is gone from the trash")
    func gone() async throws {
        let test = try await Self.library()
        try await test.library.moveToTrash([try await Self.id("a.jpg", test)])
        try test.remove(try #require(try await test.library.trash().first).trashPath)
        let ids = try await test.library.trashedIDs()
        let report = try await test.library.restoreFromTrash(ids)
        #expect(report.changed == 0 && report.failures.map(\.reason) == ["is no longer in the trash"])
        let one = try #require(try await test.library.trashedAssets(ids).first)
        #expect(test.library.fileInTrash(of: one) == nil)
    }

    @Test("does not follow a link out of the trash")
    func link() async throws {
        let test = try await Self.library()
        try await test.library.moveToTrash([try await Self.id("a.jpg", test)])
        let path = test.folder.path(try #require(try await test.library.trash().first).trashPath)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: test.folder.path("c.jpg"))
        let one = try #require(
            try await test.library.trashedAssets(test.library.trashedIDs()).first)
        #expect(test.library.fileInTrash(of: one) == nil)
    }

    @Test("repairs what was killed after some files were moved", arguments: [1, 2])
    func killed(_ moved: Int) async throws {
        let test = try await Self.library()
        try test.write("a.aae", Array("edits".utf8))
        try await test.library.index()
        let id = try await Self.id("a.jpg", test)
        let other = try await Self.id("c.jpg", test)
        try await test.library.moveToTrash([id, other])
        let ids = try await test.library.trashedIDs()
        // As if the process were killed: the operation is open, and some files are back without their asset.
        try await test.library.write { try $0.operations.set(.isBegun, of: ids[0].operation) }
        let trash = try await test.library.trash().filter { $0.path.hasPrefix("a.") }
        #expect(trash.map(\.path).sorted() == ["a.aae", "a.jpg"])
        for file in trash.prefix(moved) { try test.move(file.trashPath, to: file.path) }
        try await test.library.moveToTrash([])
        #expect(try await test.library.asset(path: "a.jpg")?.id == id)
        #expect(Self.isThere("a.jpg", test) && Self.isThere("a.aae", test))
        #expect(try await Self.trashed(test).keys.sorted() == ["c.jpg"])
        #expect(try await test.library.verifyCatalog().isEmpty)
    }

    @Test(
        "reads no other text as an identifier",
        arguments: ["", "1", "1-", "-1", "1-2-3", "01-2", "+1-2", "1-x"])
    func identifiers(_ text: String) {
        #expect(TrashedAsset.ID(text) == nil)
        #expect(TrashedAsset.ID("12-3").map(\.description) == "12-3")
    }
}

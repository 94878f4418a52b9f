import Foundation
import GRDB
import ImageMetadata
import PhotoCatalog
import TestHarness
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import CatalogStorage
@testable import LibraryMaintenance

@Suite("Resolving duplicates")
struct ResolvingTests {
    /// All that a library holds: files with their bytes, rows of assets, and albums in their order.
    private struct State: Equatable {
        var files: [String: Data] = [:]
        var rows: [String] = []
        var albums: [String: [Asset.ID]] = [:]
    }

    private func state(_ test: TestLibrary) async throws -> State {
        var state = State()
        let root = test.folder.url.path
        for path in try FileManager.default.subpathsOfDirectory(atPath: root)
        where !path.hasPrefix(".viewport-library/catalogue") && !test.isFolder(path) {
            state.files[path] = try Data(contentsOf: test.folder.url.appendingPathComponent(path))
        }
        state.rows = try await test.library.read { catalog in
            try Row.fetchAll(
                catalog.database,
                sql: """
                    SELECT asset.id, asset.path, folder.path, kinds, date, dateSource, instant, hour,
                        latitude, locationSource, place.name, title, keywords, rating, bytes, modified, inode, hex(sha256),
                        sidecar, livePartner, lens, reading
                    FROM asset JOIN folder ON folder.id = folder LEFT JOIN place ON place.id = place ORDER BY asset.id
                    """
            ).map { "\($0)" }
        }
        for group in try await test.library.groups() where group.kind == .album || group.kind == .picks {
            state.albums[group.name] = try await test.library.albumAssets(group.id)
        }
        return state
    }

    private func photo(_ salt: UInt64, date: String? = "2014:05:25 10:00:00") -> [UInt8] {
        TinyPhoto.jpeg(date: date, salt: salt)
    }

    private func id(_ path: String, _ test: TestLibrary) async throws -> Asset.ID {
        try #require(try await test.library.asset(path: path)).id
    }

    @Test("keeps the best, unites what is known of the others on it, and is undone exactly")
    func unites() async throws {
        let test = try await TestLibrary()
        for path in ["trip/IMG_1 copy.jpg", "IMG_1.jpg", "z/IMG_1.jpg", "other.jpg"] {
            try test.write(path, photo(path == "other.jpg" ? 2 : 1))
        }
        try test.write(
            "z/IMG_1.jpg.xmp",
            Array(
                XMPMaker.packet([("dc:title", "The lake"), ("xmp:Rating", "4"), ("dc:subject", "water")]).utf8
            ))
        try test.write("z/IMG_1.aae", Array("edits".utf8))
        try await test.library.index()
        let album = try await test.library.createAlbum("Sea").id
        let ids = [
            try await id("other.jpg", test), try await id("z/IMG_1.jpg", test),
            try await id("trip/IMG_1 copy.jpg", test),
        ]
        try await test.library.add(ids, to: album)
        try await test.library.add([ids[2]], to: .picks)
        try await test.library.setLocations([
            ids[2]: try #require(Location(latitude: 46.2, longitude: 6.14, source: .track))
        ])
        let before = try await state(test)
        let kept = try await id("IMG_1.jpg", test)

        let plan = try await test.library.planDuplicates(.bytes)
        #expect(
            plan.groups.map { $0.files.map(\.path) } == [["IMG_1.jpg", "z/IMG_1.jpg", "trip/IMG_1 copy.jpg"]])
        #expect(plan.groups[0].files.map(\.action) == [.keep, .trash, .trash])
        let report = try await test.library.resolve(try DuplicatePlan(parsing: plan.text, name: "plan"))
        #expect(report.trashed == 2 && report.groups == 1 && report.failures.isEmpty)
        let asset = try #require(try await test.library.asset(path: "IMG_1.jpg"))
        #expect(asset.id == kept && asset.title == "The lake" && asset.rating == 4)
        #expect(asset.keywords == ["water"] && asset.location?.latitude == 46.2)
        #expect(try await test.library.albumAssets(album) == [ids[0], kept])
        #expect(try await test.library.albumAssets(.picks) == [kept])
        #expect(try await test.paths().sorted() == ["IMG_1.jpg", "other.jpg"])
        #expect(
            try await test.library.trash().map(\.path).sorted() == [
                "trip/IMG_1 copy.jpg", "z/IMG_1.aae", "z/IMG_1.jpg", "z/IMG_1.jpg.xmp",
            ])
        // Nothing of the group is left; the second run finds the files in the trash.
        #expect(try await test.library.duplicates(.bytes).isEmpty)
        let again = try await test.library.resolve(plan)
        #expect(again.present == 2 && again.trashed == 0 && again.failures.isEmpty)

        #expect(try await test.library.undo()?.failures == [])
        #expect(try await state(test) == before)
        #expect(try await test.library.verifyCatalog().isEmpty)
        #expect(try await test.library.undo() == nil)
    }

    @Test("prefers pixels, then bytes, then the earliest date")
    func best() throws {
        func asset(_ path: String, _ width: Int, _ bytes: Int, _ date: String?) throws -> Asset {
            var asset = try Asset.made(path, date, bytes: bytes)
            asset.size = PixelSize(width: width, height: 10)
            return asset
        }
        let ranked = [
            try asset("zz/d.jpg", 200, 10, nil), try asset("zz/c.jpg", 100, 30, nil),
            try asset("zz/b.jpg", 100, 20, "2014-05-25T10:00:00.1"),
            try asset("a.jpg", 100, 20, "2014-05-25T10:00:00.2"), try asset("a2.jpg", 100, 20, nil),
            try asset("b2.jpg", 100, 20, nil),
        ]
        for (index, better) in ranked.enumerated() {
            for (other, worse) in ranked.enumerated() where index != other {
                #expect(better.isBetter(than: worse) == (index < other), "\(better.path) and \(worse.path)")
            }
        }
    }

    @Test("leaves what is not as planned, with a reason, and loses nothing")
    func refusals() async throws {
        let test = try await TestLibrary()
        let names = ["a", "written", "gone", "linked", "symbolic", "stealthy"]
        for name in names { try test.write("\(name).jpg", photo(1)) }
        try await test.library.index()
        let plan = try await test.library.planDuplicates(.bytes)
        #expect(plan.trashedCount == 5)
        let root = test.folder.url
        func path(_ name: String) -> String { root.appendingPathComponent(name).path }
        try test.write("written.jpg", photo(1) + [0])
        try test.remove("gone.jpg")
        try FileManager.default.linkItem(atPath: path("linked.jpg"), toPath: path("second.jpg"))
        try test.move("symbolic.jpg", to: "target.jpg")
        try FileManager.default.createSymbolicLink(
            atPath: path("symbolic.jpg"), withDestinationPath: path("target.jpg"))
        // Other bytes at the same size and time.
        let time = try FileManager.default.attributesOfItem(atPath: path("stealthy.jpg"))[.modificationDate]
        var bytes = photo(1)
        bytes[bytes.count - 3] ^= 1
        let handle = try FileHandle(forWritingTo: root.appendingPathComponent("stealthy.jpg"))
        try handle.write(contentsOf: bytes)
        try handle.close()
        try FileManager.default.setAttributes(
            [.modificationDate: try #require(time)], ofItemAtPath: path("stealthy.jpg"))
        let before = try await state(test)
        let report = try await test.library.resolve(plan)
        #expect(report.trashed == 0 && report.operation == nil)
        let reasons = Dictionary(uniqueKeysWithValues: report.failures.map { ($0.path, $0.reason) })
        #expect(reasons["written.jpg"] == "was changed since the plan was made; it stays")
        #expect(reasons["gone.jpg"] == "is gone; it stays")
        #expect(reasons["linked.jpg"]?.hasPrefix("has 2 names (hard links)") == true)
        #expect(reasons["symbolic.jpg"] == "is a symbolic link; it stays")
        // File times are set to the microsecond only, so the time may differ, too.
        #expect(reasons["stealthy.jpg"] != nil && reasons.count == 5)
        #expect(try await state(test) == before)
    }

    @Test("never moves copies of a kept file that is not whole")
    func keptIsBroken() async throws {
        let test = try await TestLibrary()
        for name in ["a.jpg", "bb.jpg", "ccc.jpg"] { try test.write(name, photo(1)) }
        try await test.library.index()
        let plan = try await test.library.planDuplicates(.bytes)
        try test.remove("a.jpg")
        let report = try await test.library.resolve(plan)
        #expect(report.failures == [.init(path: "a.jpg", reason: "is gone; its copies stay")])
        #expect(report.trashed == 0 && test.isThere("bb.jpg") && test.isThere("ccc.jpg"))
        // A new plan keeps another one.
        try await test.library.index()
        let new = try await test.library.planDuplicates(.bytes)
        #expect(try await test.library.resolve(new).trashed == 1 && test.isThere("bb.jpg"))
    }

    @Test("hard links of one file are no copies")
    func hardLinks() async throws {
        let test = try await TestLibrary()
        try test.write("a.jpg", photo(1))
        try FileManager.default.linkItem(
            atPath: test.folder.path("a.jpg"), toPath: test.folder.path("b.jpg"))
        try await test.library.index()
        #expect(try await test.library.planDuplicates(.bytes).groups.isEmpty)
        try test.write("c.jpg", photo(1))
        try await test.library.index()
        let plan = try await test.library.planDuplicates(.bytes)
        #expect(plan.groups.count == 1 && plan.groups[0].files.map(\.action) == [.keep, .leave, .trash])
        #expect(plan.groups[0].files[1].reason == "is the same file as a.jpg under another name")
    }

    @Test("moves films with their photos, and leaves a photo whose film the kept one lacks")
    func livePhotos() async throws {
        let test = try await TestLibrary()
        func film(_ salt: String) -> [UInt8] {
            FilmMaker.film(created: 2_082_844_800 + 1_401_012_000) + box("free", Array(salt.utf8))
        }
        let live = photo(1)
        for folder in ["a", "bb"] {
            try test.write("\(folder)/IMG.jpg", live)
            try test.write("\(folder)/IMG.mov", film("same"))
        }
        try test.write("c/IMG.jpg", live)
        try test.write("c/IMG.mov", film("other"))
        try test.write("d/IMG.jpg", live)
        try await test.library.index()
        let before = try await state(test)
        let plan = try await test.library.planDuplicates(.bytes)
        #expect(plan.groups.count == 1, "films go with their photos")
        let files = plan.groups[0].files
        #expect(files.map(\.path) == ["a/IMG.jpg", "c/IMG.jpg", "bb/IMG.jpg", "d/IMG.jpg"])
        #expect(files.map(\.action) == [.keep, .leave, .trash, .trash])
        let report = try await test.library.resolve(plan)
        #expect(report.trashed == 2 && report.failures.isEmpty)
        #expect(!test.isThere("bb/IMG.jpg") && !test.isThere("bb/IMG.mov") && !test.isThere("d/IMG.jpg"))
        #expect(test.isThere("a/IMG.mov") && test.isThere("c/IMG.mov") && test.isThere("c/IMG.jpg"))
        // A plan that was edited cannot take the film away either.
        var forced = plan
        forced.groups[0].files[1].action = .trash
        #expect(
            try await test.library.resolve(forced).failures.map(\.reason) == [
                "is a live photo whose film a/IMG.jpg has not; it stays"
            ])
        try await test.library.undo()
        #expect(try await state(test) == before)
    }

    @Test("moves nothing of a group whose sidecar cannot be written")
    func blockedSidecar() async throws {
        let test = try await TestLibrary()
        try test.write("a.jpg", photo(1))
        try test.write("bb.jpg", photo(1))
        try test.write("bb.jpg.xmp", Array(XMPMaker.packet([("xmp:Rating", "4")]).utf8))
        try await test.library.index()
        try await test.library.add([try await id("bb.jpg", test)], to: .picks)
        let plan = try await test.library.planDuplicates(.bytes)
        // A folder with the name of the new sidecar.
        try test.write("a.jpg.xmp/file", [1])
        let before = try await state(test)
        let report = try await test.library.resolve(plan)
        #expect(report.trashed == 0 && report.failures.map(\.path) == ["a.jpg.xmp"], "\(report.failures)")
        #expect(try await state(test) == before)
        #expect(try await test.library.operations().isEmpty)
    }

    @Test("restores by undo also after other files took the names; those in the trash stay recorded")
    func namesTaken() async throws {
        let test = try await TestLibrary()
        for name in ["a.jpg", "bb.jpg", "ccc.jpg"] { try test.write(name, photo(1)) }
        try await test.library.index()
        let before = try await state(test)
        try await test.library.resolve(try await test.library.planDuplicates(.bytes))
        try test.write("bb.jpg", photo(7))
        try await test.library.index()
        let report = try #require(try await test.library.undo())
        #expect(report.failures.map(\.path) == ["bb.jpg"] && test.isThere("ccc.jpg"))
        #expect(try await test.library.trash().map(\.path) == ["bb.jpg"])
        try test.remove("bb.jpg")
        #expect(try await test.library.undo()?.failures == [])
        #expect(try await state(test) == before)
    }

    @Test("repairs an operation that was killed between its steps", arguments: 0...4)
    func killed(_ step: Int) async throws {
        let test = try await TestLibrary()
        for name in ["a.jpg", "bb.jpg"] { try test.write(name, photo(1)) }
        try test.write("bb.aae", Array("edits".utf8))
        try await test.library.index()
        try await test.library.add([try await id("bb.jpg", test)], to: .picks)
        let before = try await state(test)
        let plan = try await test.library.planDuplicates(.bytes)
        try await test.library.resolve(plan)
        let after = try await state(test)
        // Back to the state after `step` renames, in which the log is not finished.
        try await test.library.write { try $0.database.execute(sql: "UPDATE operation SET finished = 0") }
        let trash = try await test.library.trash()
        let steps = [("bb.aae", trash[0].trashPath), ("bb.jpg", trash[1].trashPath)]
        for (path, other) in steps.dropFirst(min(step, 2)) { try test.move(other, to: path) }
        // A run of the index in between finds the files as new.
        if step == 3 { try test.move(steps[1].1, to: "bb.jpg") }
        if step == 3 || step == 0 { try await test.library.index() }
        if step == 4 {
            #expect(try await test.library.undo()?.failures == [])
            #expect(try await state(test) == before)
            return
        }
        let report = try await test.library.resolve(plan)
        #expect(report.failures.isEmpty && report.trashed + report.present == 1)
        let now = try await state(test)
        #expect(now.rows == after.rows && now.albums == after.albums)
        #expect(
            now.files.values.sorted { $0.count < $1.count }
                == after.files.values.sorted { $0.count < $1.count })
        while try await test.library.undo() != nil {}
        #expect(try await state(test) == before)
        #expect(try await test.library.verifyCatalog().isEmpty)
    }

    @Test("remembers groups of which all are kept, until there is a new member")
    func keepAll() async throws {
        let test = try await TestLibrary()
        for name in ["a.jpg", "b.jpg"] { try test.write(name, photo(1)) }
        try await test.library.index()
        var plan = try await test.library.planDuplicates(.bytes)
        plan.groups[0].action = .keepAll
        let report = try await test.library.resolve(plan)
        #expect(report.kept == 1 && report.trashed == 0)
        #expect(try await test.library.duplicates(.bytes).isEmpty)
        #expect(try await test.library.duplicates(.bytes, includesKept: true).count == 1)
        try test.move("a.jpg", to: "moved/a.jpg")
        try await test.library.index()
        #expect(try await test.library.duplicates(.bytes).isEmpty)
        try test.write("c.jpg", photo(1))
        try await test.library.index()
        #expect(try await test.library.duplicates(.bytes).map(\.count) == [3])
        try test.remove("c.jpg")
        try await test.library.index()
        #expect(try await test.library.duplicates(.bytes).isEmpty)
        #expect(try await test.library.undo()?.operation?.name == "keep all of 1 group of duplicates")
        #expect(try await test.library.duplicates(.bytes).count == 1)
    }

    @Test("is undone after the catalog was rebuilt, too, and kept groups stay remembered")
    func rebuilt() async throws {
        let test = try await TestLibrary()
        for name in ["a.jpg", "bb.jpg", "c1.jpg", "c2.jpg"] {
            try test.write(name, photo(name.hasPrefix("c") ? 2 : 1))
        }
        try await test.library.index()
        try await test.library.keepTogether([
            try await id("c1.jpg", test), try await id("c2.jpg", test),
        ])
        let before = try await state(test)
        try await test.library.resolve(try await test.library.planDuplicates(.bytes))
        let catalog = test.library.catalogPath
        try test.library.close()
        let (library, report) = try await PhotoLibrary.rebuild(test.folder.url.path)
        #expect(report.setAside?.hasPrefix(catalog) == true)
        #expect(try await library.duplicates(.bytes).isEmpty)
        #expect(try await library.undo()?.failures == [])
        let after = try await library.assets(library.collection().snapshot().ids).map(\.id).sorted()
        #expect(after.count == before.rows.count && test.isThere("bb.jpg"))
        #expect(try await library.trash().isEmpty)
    }

    @Test("empties the trash for good")
    func trash() async throws {
        let test = try await TestLibrary()
        for name in ["a.jpg", "sub/bb.jpg"] { try test.write(name, photo(1)) }
        try await test.library.index()
        try await test.library.resolve(try await test.library.planDuplicates(.bytes))
        try test.write(".viewport-library/trash/99/lost.jpg", [1, 2])
        #expect(try await test.library.trash().map { $0.date == nil } == [false, true])
        let (count, bytes) = try await test.library.emptyTrash()
        #expect(count == 2 && bytes == photo(1).count + 2)
        #expect(!test.isThere(".viewport-library/trash"))
        #expect(try await test.library.trash().isEmpty)
        #expect(try await test.library.undo() == nil && test.isThere("a.jpg"))
    }
}

extension TestLibrary {
    fileprivate func isThere(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.path(path))
    }

    fileprivate func isFolder(_ path: String) -> Bool {
        let url = folder.url.appendingPathComponent(path)
        return (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true
    }
}

import Files
import Foundation
import ImageMetadata
import PhotoCatalog
import TestHarness
import TestLibraries
import TestSupport
import Testing
import ViewportGeometry

@Suite("Indexing")
struct IndexingTests {
    private func photo(_ salt: UInt64, _ date: String? = "2014:05:25 10:00:00") -> [UInt8] {
        TinyPhoto.jpeg(date: date, salt: salt)
    }

    @Test("finds photos with their metadata, and ignores hidden files, links and other files")
    func finds() async throws {
        let test = try await TestLibrary()
        try test.write("a.jpg", photo(1))
        try test.write("x/y/b.JPG", photo(2, "1899:12:31 23:00:00"))
        try test.write(".hidden/c.jpg", photo(3))
        try test.write(".d.jpg", photo(4))
        try test.write("notes.txt", Array("words".utf8))
        let outside = try TemporaryFolder()
        try Data(photo(5)).write(to: outside.url.appendingPathComponent("e.jpg"))
        try FileManager.default.createSymbolicLink(
            atPath: test.folder.path("link"), withDestinationPath: outside.url.path)
        let report = try await test.library.index()
        var expected = IndexReport(inserted: 2, others: ["notes.txt"])
        expected.links = [.init(path: "link", reason: "is a link to a folder, and was not followed")]
        #expect(report == expected)
        #expect(try await test.paths() == ["x/y/b.JPG", "a.jpg"])
        let asset = try #require(try await test.library.asset(path: "a.jpg"))
        #expect(asset.date?.local.description == "2014-05-25T10:00:00" && asset.date?.offset == nil)
        #expect(asset.make == "Lens" && asset.size?.width == 40 && asset.size?.height == 30)
        #expect(
            asset.kinds.contains(.jpeg) && asset.isPhoto && !asset.isVideo && !asset.kinds.contains(.png)
                && !asset.isScreenshot)
        #expect(asset.bytes == photo(1).count && asset.sha256.count == 64)
        #expect(test.library.path(of: asset) == test.library.root + "/a.jpg")
        #expect(try await test.library.asset(path: "x/y/b.JPG")?.fileExtension == "jpg")
    }

    @Test("does not read unchanged files again")
    func unchanged() async throws {
        let test = try await TestLibrary()
        for number in 0..<20 { try test.write("\(number % 3)/\(number).jpg", photo(UInt64(number))) }
        #expect(try await test.library.index().inserted == 20)
        var notices = test.library.changes.makeAsyncIterator()
        _ = try await notices.next()
        #expect(try await test.library.index() == IndexReport(unchanged: 20))
        try test.write("1/1.jpg", photo(99, "2020:01:01 00:00:00"))
        #expect(try await test.library.index() == IndexReport(updated: 1, unchanged: 19))
        let asset = try #require(try await test.library.asset(path: "1/1.jpg"))
        #expect(asset.date?.local.year == 2020)
        // The first notice is for the groups, whose sizes changed. There are none for unchanged files.
        _ = try await notices.next()
        #expect(try await notices.next() == .assetsChanged(inserted: [], updated: [asset.id], removed: []))
    }

    @Test("keeps the assets of files that are moved, renamed, or take names of others")
    func moves() async throws {
        let test = try await TestLibrary()
        let library = test.library
        for name in ["a", "b", "c", "x/d"] {
            try test.write("\(name).jpg", photo(UInt64(name.utf8.last ?? 0)))
        }
        try await library.index()
        var ids: [String: Asset.ID] = [:]
        for name in ["a", "b", "c", "x/d"] { ids[name] = try await library.asset(path: "\(name).jpg")?.id }
        try await library.add(Array(ids.values), to: .picks)
        try test.move("x/d.jpg", to: "y/z/renamed.jpg")
        // b becomes c, and a becomes b; the old c is removed.
        try test.remove("c.jpg")
        try test.move("b.jpg", to: "c.jpg")
        try test.move("a.jpg", to: "b.jpg")
        let report = try await library.index()
        #expect(report.inserted == 0 && report.removed == 1)
        #expect(try await library.asset(path: "y/z/renamed.jpg")?.id == ids["x/d"])
        #expect(try await library.asset(path: "b.jpg")?.id == ids["a"])
        #expect(try await library.asset(path: "c.jpg")?.id == ids["b"])
        #expect(Set(try await library.albumAssets(.picks)) == Set(["a", "b", "x/d"].compactMap { ids[$0] }))
        #expect(try await library.groups().filter { $0.kind == .folder }.map(\.name) == ["", "y/z"])
        #expect(try await library.verifyCatalog().isEmpty)
    }

    @Test("inserts a separate asset for a copy")
    func copies() async throws {
        let test = try await TestLibrary()
        try test.write("a.jpg", photo(1))
        try await test.library.index()
        let id = try await test.library.asset(path: "a.jpg")?.id
        try test.write("b.jpg", photo(1))
        #expect(try await test.library.index().inserted == 1)
        #expect(try await test.library.asset(path: "a.jpg")?.id == id)
    }

    @Test("keeps the assets of moved files among many equal ones, and inserts the copies")
    func equals() async throws {
        let test = try await TestLibrary()
        for number in 0..<40 { try test.write("a/\(number).jpg", photo(1)) }
        #expect(try await test.library.index().inserted == 40)
        let ids = try await test.library.collection().snapshot().ids
        for number in stride(from: 0, to: 40, by: 4) {
            try test.move("a/\(number).jpg", to: "b/\(number).jpg")
        }
        for number in 0..<5 { try test.write("c/\(number).jpg", photo(1)) }
        let report = try await test.library.index()
        #expect(report.inserted == 5 && report.moved == 10 && report.removed == 0 && report.unchanged == 30)
        #expect(Set(try await test.library.collection().snapshot().ids).isSuperset(of: ids))
    }

    @Test("removes the assets of removed files and folders, and sends a notice")
    func removes() async throws {
        let test = try await TestLibrary()
        for name in ["a.jpg", "x/b.jpg", "x/y/c.jpg"] { try test.write(name, photo(UInt64(name.utf8.count))) }
        try await test.library.index()
        var notices = test.library.changes.makeAsyncIterator()
        _ = try await notices.next()
        let gone = try await test.library.assets([1, 2, 3]).filter { $0.path != "a.jpg" }.map(\.id)
        try test.remove("x")
        #expect(try await test.library.index(["x"]) == IndexReport(removed: 2, unchanged: 1))
        _ = try await notices.next()
        #expect(try await notices.next() == .assetsChanged(inserted: [], updated: [], removed: gone))
    }

    @Test(
        "removes an asset whose folders are gone, too, where its file is named",
        arguments: [("x/y/c.jpg", "x"), ("x/y/c.jpg", "x/y"), ("a.jpg", "a.jpg"), ("x/y", "x")])
    func removesNamed(_ named: String, _ gone: String) async throws {
        let test = try await TestLibrary()
        for name in ["a.jpg", "z/b.jpg", "x/y/c.jpg"] { try test.write(name, photo(UInt64(name.utf8.count))) }
        try await test.library.index()
        try test.remove(gone)
        #expect(try await test.library.index([named]).removed == 1)
        let left = try await test.library.assets([1, 2, 3]).map(\.path).sorted()
        #expect(left == (gone == "a.jpg" ? ["x/y/c.jpg", "z/b.jpg"] : ["a.jpg", "z/b.jpg"]))
    }

    @Test("reports damaged files with a reason on every run until they change")
    func failures() async throws {
        let test = try await TestLibrary()
        try test.write("empty.jpg", [])
        try test.write("cut.jpg", Array(photo(1).prefix(30)))
        try test.write("good.jpg", photo(2))
        for _ in 0..<2 {
            let report = try await test.library.index()
            #expect(Set(report.failures.map(\.path)) == ["cut.jpg", "empty.jpg"])
            #expect(report.failures.allSatisfy { !$0.reason.isEmpty })
        }
        try test.write("cut.jpg", photo(1))
        let report = try await test.library.index()
        #expect(report.inserted == 1 && report.failures.map(\.path) == ["empty.jpg"])
        try test.remove("empty.jpg")
        #expect(try await test.library.index().failures.isEmpty)
        // A file that becomes damaged keeps its asset, and so its albums.
        try test.write("good.jpg", [])
        #expect(try await test.library.index().failures.map(\.path) == ["good.jpg"])
        #expect(try await test.library.asset(path: "good.jpg") != nil)
    }

    @Test("reads only the given paths, and refuses paths outside of the library")
    func paths() async throws {
        let test = try await TestLibrary()
        for name in ["a/1.jpg", "a/b/2.jpg", "c/3.jpg"] {
            try test.write(name, photo(UInt64(name.utf8.count) + 40))
        }
        #expect(try await test.library.index(["a/b"]).inserted == 1)
        #expect(try await test.library.index([test.folder.path("c/3.jpg")]).inserted == 1)
        #expect(try await test.paths() == ["a/b/2.jpg", "c/3.jpg"])
        await #expect(throws: LibraryError(.outside(path: "/tmp", root: test.library.root))) {
            try await test.library.index(["/tmp"])
        }
        await #expect(throws: LibraryError(.outside(path: "a/../..", root: test.library.root))) {
            try await test.library.index(["a/../.."])
        }
    }

    @Test("records sidecars, and detects when they are added or removed")
    func sidecars() async throws {
        let test = try await TestLibrary()
        try test.write("a.jpg", photo(1))
        try await test.library.index()
        try test.write("a.jpg.xmp", Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"></x:xmpmeta>".utf8))
        #expect(try await test.library.index().updated == 1)
        #expect(try await test.library.asset(path: "a.jpg")?.sidecar == "a.jpg.xmp")
        #expect(try await test.library.index().unchanged == 1)
        try test.remove("a.jpg.xmp")
        #expect(try await test.library.index().updated == 1)
        #expect(try await test.library.asset(path: "a.jpg")?.sidecar == nil)
    }

    @Test("assumes a zone for dates without one, also of unchanged files")
    func zones() async throws {
        let test = try await TestLibrary()
        let library = test.library
        func zone(_ name: String) -> AssumedZone { AssumedZone(name: name) { _ in UTCOffset(name) } }
        func offset(_ path: String) async throws -> String? {
            try await library.asset(path: path)?.date?.offset?.description
        }
        try test.write("a.jpg", photo(1))
        try await library.index()
        try test.write("b.jpg", photo(2))
        #expect(try await library.index(assuming: zone("+02:00")) == IndexReport(inserted: 1, updated: 1))
        for path in ["a.jpg", "b.jpg"] { #expect(try await offset(path) == "+02:00") }
        #expect(try await library.index(assuming: zone("+02:00")) == IndexReport(unchanged: 2))
        // The zone stays when the file is written again, and another assumed zone replaces it.
        try test.write("a.jpg", photo(3))
        #expect(try await library.index().updated == 1)
        #expect(try await offset("a.jpg") == "+02:00")
        #expect(try await library.index(assuming: zone("-03:00")).updated == 2)
        #expect(try await offset("a.jpg") == "-03:00")
        try test.write("a.jpg", photo(3, "2020:01:01 00:00:00"))
        try await library.index()
        #expect(try await offset("a.jpg") == nil)
        #expect(try await library.verifyCatalog().isEmpty)
    }

    @Test("identifies the pictures of a burst by metadata or by name")
    func bursts() async throws {
        let test = try await TestLibrary()
        let apple = try #require(SampleFiles.all.first { $0.format == .jpeg }).bytes
        try test.write("a.jpg", apple)
        try test.write("b.jpg", apple + [0])
        for number in 1...2 {
            try test.write("IMG_20140525_100000_BURST00\(number).jpg", photo(UInt64(number)))
        }
        // Taken at the same time, but without metadata or a name of a burst.
        try test.write("c.jpg", photo(7))
        try await test.library.index()
        func burst(_ path: String) async throws -> String? { try await test.library.asset(path: path)?.burst }
        for path in ["a.jpg", "b.jpg"] { #expect(try await burst(path) == "BURST-0001-UUID") }
        for number in 1...2 {
            #expect(
                try await burst("IMG_20140525_100000_BURST00\(number).jpg") == "IMG_20140525_100000")
        }
        #expect(try await burst("c.jpg") == nil)
    }

    @Test("continues where a cancelled run stopped")
    func cancelled() async throws {
        let test = try await TestLibrary()
        for number in 0..<600 { try test.write("\(number / 100)/\(number).jpg", photo(UInt64(number))) }
        let library = test.library
        let task = Task { try await library.index() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let report = try await library.index()
        #expect(report.inserted + report.unchanged == 600)
        #expect(try await library.groups()[0].count == 600)
        #expect(try await library.verifyCatalog().isEmpty)
    }

    @Test("is exclusive")
    func once() async throws {
        let test = try await TestLibrary()
        let lock = try FileLock(test.library.catalogPath + ".lock", .alone)
        await #expect(throws: LibraryError(.indexing(catalog: test.library.catalogPath))) {
            try await test.library.index()
        }
        withExtendedLifetime(lock) {}
    }
}

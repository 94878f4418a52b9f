import Foundation
import ImageMetadata
import PhotoCatalog
import TestHarness
import TestLibraries
import TestSupport
import Testing

@Suite("Writing sidecars")
struct SidecarWritingTests {
    private func data(_ path: String, _ test: TestLibrary) -> Data? {
        try? Data(contentsOf: test.folder.url.appendingPathComponent(path))
    }

    @Test("states what the files do not state themselves, once, and is undone")
    func writes() async throws {
        let test = try await TestLibrary()
        for (number, name) in ["plain.jpg", "tracked.jpg", "described.jpg"].enumerated() {
            try test.write(name, TinyPhoto.jpeg(date: "2014:05:25 10:00:00", salt: UInt64(number)))
        }
        let foreign = XMPMaker.packet([("dc:title", "Mine"), ("darktable:xmp_version", "5")])
        try test.write("described.jpg.xmp", Array(foreign.utf8))
        try await test.library.index()
        let ids = Array(try await test.library.collection().snapshot().ids)
        let location = try #require(Location(latitude: 46.2, longitude: -6.14, altitude: 375, source: .track))
        for path in ["tracked.jpg", "described.jpg"] {
            let asset = try #require(try await test.library.asset(path: path))
            try await test.library.setLocations([asset.id: location])
        }
        let trial = try await test.library.writeSidecars(ids, isTrial: true)
        #expect(trial.paths.sorted() == ["described.jpg.xmp", "tracked.jpg.xmp"])
        #expect(data("tracked.jpg.xmp", test) == nil)

        let written = try await test.library.writeSidecars(ids)
        #expect(written.paths.sorted() == trial.paths.sorted() && written.report.failures.isEmpty)
        #expect(written.report.operation?.name == "write 2 sidecars")
        #expect(data("plain.jpg.xmp", test) == nil)
        let text = try #require(data("described.jpg.xmp", test).map { String(decoding: $0, as: UTF8.self) })
        #expect(text.contains("darktable:xmp_version=\"5\"") && text.contains("dc:title=\"Mine\""))
        // Another catalog reads the positions from the files.
        let other = try await PhotoLibrary.create(
            test.folder.url.path, catalog: test.folder.path(".other.sqlite"))
        try await other.index()
        let read = try #require(try await other.asset(path: "tracked.jpg")).location
        #expect(read?.latitude == 46.2 && read?.longitude == -6.14 && read?.altitude == 375)
        #expect(try await test.library.writeSidecars(ids).paths.isEmpty, "nothing is left to write")

        #expect(try await test.library.undo()?.failures == [])
        #expect(data("tracked.jpg.xmp", test) == nil && data("described.jpg.xmp", test) == Data(foreign.utf8))
        // The catalog still has the positions of the track, and can write them again.
        #expect(try await test.library.asset(path: "tracked.jpg")?.location == location)
        #expect(try await test.library.writeSidecars(ids).paths.count == 2)
    }

    @Test("writes all that the catalog knows for programs that read sidecars only, and no guesses")
    func all() async throws {
        let test = try await TestLibrary()
        try test.write("dated.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00", salt: 1))
        try test.write("IMG-20190704-WA0001.jpg", TinyPhoto.jpeg(salt: 2))
        try await test.library.index()
        let ids = Array(try await test.library.collection().snapshot().ids)
        let written = try await test.library.writeSidecars(ids, includesStated: true)
        #expect(written.paths == ["dated.jpg.xmp"])
        let text = try #require(data("dated.jpg.xmp", test).map { String(decoding: $0, as: UTF8.self) })
        #expect(text.contains("2014-05-25T10:00:00"))
        #expect(try await test.library.writeSidecars(ids, includesStated: true).paths.isEmpty)
    }

    @Test("keeps what other programs have written since the library was indexed", arguments: [false, true])
    func foreign(_ includesStated: Bool) async throws {
        let test = try await TestLibrary()
        for (number, name) in ["new.jpg", "changed.jpg", "shared.jpg", "shared.png"].enumerated() {
            try test.write(name, TinyPhoto.jpeg(date: "2014:05:25 10:00:00", salt: UInt64(number)))
        }
        func packet(_ word: String) -> [UInt8] {
            Array(XMPMaker.packet([("dc:title", "Title \(word)"), ("darktable:xmp_version", word)]).utf8)
        }
        try test.write("changed.jpg.xmp", packet("old"))
        try test.write("shared.xmp", packet("shared"))
        try await test.library.index()
        let ids = Array(try await test.library.collection().snapshot().ids)
        let location = try #require(Location(latitude: 46.2, longitude: -6.14, source: .track))
        try await test.library.setLocations(Dictionary(uniqueKeysWithValues: ids.map { ($0, location) }))
        // Other programs write sidecars that the catalog does not know.
        for path in ["new.jpg.xmp", "changed.jpg.xmp", "shared.jpg.xmp"] {
            try test.write(path, packet("of \(path)"))
        }
        let trial = try await test.library.writeSidecars(ids, includesStated: includesStated, isTrial: true)
        #expect(
            trial.report.failures.map(\.path).sorted() == ["changed.jpg", "new.jpg", "shared.jpg"]
                && trial.report.failures.allSatisfy(\.needsIndexing))
        let (_, report) = try await test.library.writeSidecars(ids, includesStated: includesStated)
        #expect(report.failures.isEmpty && report.changed == 4, "\(report)")
        for path in ["new.jpg.xmp", "changed.jpg.xmp", "shared.jpg.xmp"] {
            let text = try #require(data(path, test).map { String(decoding: $0, as: UTF8.self) })
            #expect(text.contains("darktable:xmp_version=\"of \(path)\""), "\(text)")
            #expect(text.contains("dc:title=\"Title of \(path)\"") && text.contains("GPSLatitude"), "\(text)")
        }
        #expect(try await test.library.undo()?.failures == [])
        #expect(data("new.jpg.xmp", test) == Data(packet("of new.jpg.xmp")))
        #expect(data("shared.xmp", test) == Data(packet("shared")))
    }

    @Test("adds keywords to those that another program has added since the library was indexed")
    func keywords() async throws {
        let test = try await TestLibrary()
        try test.write("a.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00"))
        try await test.library.index()
        let list = "<dc:subject><rdf:Bag><rdf:li>theirs</rdf:li></rdf:Bag></dc:subject>"
        try test.write("a.jpg.xmp", Array(XMPMaker.packet([], elements: list).utf8))
        var edit = AssetEdit()
        edit.addedKeywords = ["ours"]
        let ids = Array(try await test.library.collection().snapshot().ids)
        #expect(try await test.library.edit(ids, edit).failures.isEmpty)
        #expect(try await test.library.asset(path: "a.jpg")?.keywords == ["theirs", "ours"])
    }

    @Test("leaves sidecars that are no XMP, with a reason")
    func broken() async throws {
        let test = try await TestLibrary()
        try test.write("a.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00"))
        try test.write("a.jpg.xmp", Array("no XMP".utf8))
        try await test.library.index()
        let ids = Array(try await test.library.collection().snapshot().ids)
        let location = try #require(Location(latitude: 1, longitude: 2, source: .track))
        try await test.library.setLocations([ids[0]: location])
        let (paths, report) = try await test.library.writeSidecars(ids)
        #expect(paths.isEmpty && report.changed == 0)
        #expect(
            report.failures == [
                .init(path: "a.jpg", reason: "its sidecar a.jpg.xmp is not XMP; repair or remove it")
            ])
        #expect(data("a.jpg.xmp", test) == Data("no XMP".utf8))
    }
}

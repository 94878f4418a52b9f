import Files
import Foundation
import ImageMetadata
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import PhotoImport

@Suite("An import")
struct ImportTests {
    let library: TestLibrary
    let card: TemporaryFolder

    init() async throws {
        library = try await TestLibrary()
        card = try TemporaryFolder()
    }

    private func put(_ path: String, _ bytes: [UInt8]) throws {
        let url = card.url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    private func plan(moves: Bool = false) async throws -> ImportPlan {
        var options = ImportOptions(sources: [card.url.path])
        options.moves = moves
        return try await library.library.planImport(options)
    }

    @discardableResult
    private func run(moves: Bool = false) async throws -> ImportReport {
        try await library.library.performImport(plan(moves: moves))
    }

    private var there: [String] { library.folder.files(below: ".").filter { !$0.hasPrefix(".viewport") } }

    private static let photo = TinyPhoto.jpeg(date: "2014:05:25 10:00:00")
    private static let other = TinyPhoto.jpeg(date: "2014:05:25 11:00:00")
    private static let undated = TinyPhoto.jpeg(salt: 9)

    @Test("can be planned without changing anything")
    func dryRun() async throws {
        try put("a/IMG_1.JPG", Self.photo)
        try put("b/IMG_1.JPG", Self.other)
        try put("b/copy.jpg", Self.photo)
        try put("b/IMG_1.xmp", Array("<x:xmpmeta/>".utf8))
        try put("b/notes.txt", Array("no photo".utf8))
        try put("c/old.jpg", Self.undated)
        let root = card.url.resolvingSymlinksInPath().path
        let plan = try await plan()
        #expect(
            plan.description.replacingOccurrences(of: root, with: "CARD") == """
                leave      CARD/b/notes.txt: is no photo or film
                copy       CARD/a/IMG_1.JPG -> 2014/2014-05-25/IMG_1.JPG
                copy       CARD/b/IMG_1.JPG -> 2014/2014-05-25/IMG_1 (2).JPG
                copy       CARD/b/IMG_1.xmp -> 2014/2014-05-25/IMG_1 (2).xmp, sidecar of IMG_1.JPG
                duplicate  CARD/b/copy.jpg = 2014/2014-05-25/IMG_1.JPG (by bytes)
                copy       CARD/c/old.jpg -> undated/old.jpg
                6 files found: 4 to copy (\(plan.bytes) bytes), 0 present, 1 duplicates, 1 left, 0 unreadable
                """)
        #expect(there.isEmpty)
    }

    @Test("that stopped after moves removes the copies of moved files, also in a later batch")
    func stopped() async throws {
        for number in 0..<100 {
            let bytes = TinyPhoto.jpeg(date: "2014:05:25 10:00:00", salt: UInt64(number))
            try put("a/IMG_\(100 + number).JPG", bytes)
            if number < 10 { try put("b/IMG_\(100 + number).JPG", bytes) }
        }
        let first = try await plan(moves: true)
        let library = library.library
        let stopped = try await Task {
            try await library.performImport(first) { progress in
                if progress.done == 20 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            }
        }.value
        #expect(stopped.wasCancelled && stopped.stopped == nil && card.files(below: ".").count == 110)
        #expect(there.count == 20)
        let report = try await run(moves: true)
        #expect(report.failures.isEmpty, "\(report.failures.map(\.reason))")
        #expect(there.count == 100 && card.files(below: ".").isEmpty)
    }

    @Test("imports files and their sidecars once", arguments: [false, true])
    func files(_ moves: Bool) async throws {
        try put("IMG_1.JPG", Self.photo)
        try put("IMG_1.JPG.xmp", Array("<x:xmpmeta/>".utf8))
        try put("IMG_2.JPG", Self.undated)
        let report = try await run(moves: moves)
        #expect(report.imported == 3 && report.failures.isEmpty)
        let files = ["2014/2014-05-25/IMG_1.JPG", "2014/2014-05-25/IMG_1.JPG.xmp", "undated/IMG_2.JPG"]
        #expect(there == files)
        #expect(try Array(library.folder.data(files[0])) == Self.photo)
        #expect(try await library.library.asset(path: files[0])?.sidecar == files[1])
        #expect(card.files(below: ".").isEmpty == moves)
        // A second import has nothing to do.
        let again = try await run(moves: moves)
        #expect(again.imported == 0 && there == files)
    }

    @Test("recognizes files of the library under any name")
    func duplicates() async throws {
        try library.write("mine/holiday.jpg", Self.photo)
        try await library.library.index()
        try put("IMG_1.JPG", Self.photo)
        let report = try await run(moves: true)
        #expect(report.duplicates == 1 && report.imported == 0)
        #expect(card.names == ["IMG_1.JPG"])
    }

    @Test("never replaces an existing file")
    func collision() async throws {
        try library.write("2014/2014-05-25/IMG_1.JPG", Array("not indexed".utf8))
        try put("IMG_1.JPG", Self.photo)
        try await run()
        #expect(there == ["2014/2014-05-25/IMG_1 (2).JPG", "2014/2014-05-25/IMG_1.JPG"])
    }

    @Test("leaves damaged photos in the source, and reports them")
    func damaged() async throws {
        try put("IMG_1.JPG", Self.photo)
        try put("IMG_2.JPG", Array(Self.other.prefix(60)))
        let report = try await run(moves: true)
        #expect(report.imported == 1 && report.failures.count == 1)
        #expect(report.failures.first?.path.hasSuffix("IMG_2.JPG") == true)
        #expect(card.names == ["IMG_2.JPG"] && there == ["2014/2014-05-25/IMG_1.JPG"])
    }

    @Test("keeps names of the maximum length, and shortens them to add numbers")
    func longNames() async throws {
        let name = String(repeating: "é", count: 125) + "n.jpg"
        try put("a/\(name)", Self.photo)
        try put("b/\(name)", Self.other)
        let report = try await run()
        #expect(report.imported == 2 && report.failures.isEmpty)
        let numbered = String(repeating: "é", count: 123) + " (2).jpg"
        #expect(there == ["2014/2014-05-25/\(numbered)", "2014/2014-05-25/\(name)"])
        #expect(try await run().imported == 0)
    }

    @Test("stores the assumed zone, like indexing")
    func zones() async throws {
        try put("IMG_1.JPG", Self.photo)
        var options = ImportOptions(sources: [card.url.path])
        options.assumedZone = AssumedZone(name: "+02:00") { _ in UTCOffset("+02:00") }
        let plan = try await library.library.planImport(options)
        #expect(try await library.library.performImport(plan).imported == 1)
        let asset = try #require(try await library.library.asset(path: "2014/2014-05-25/IMG_1.JPG"))
        #expect(asset.date?.offset == UTCOffset("+02:00") && asset.date?.zoneSource == .assumed("+02:00"))
    }

    @Test("continues an import that was killed")
    func leftovers() async throws {
        try put("IMG_1.JPG", Self.photo)
        try put("IMG_2.JPG", Self.other)
        // One file was copied but not cataloged, the other copied in part.
        try library.write("2014/2014-05-25/IMG_1.JPG", Self.photo)
        try library.write("2014/2014-05-25/.viewport-import-IMG_2.JPG", Array(Self.other.prefix(20)))
        let report = try await run(moves: true)
        #expect(report.present == 1 && report.imported == 1)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: library.folder.path("2014/2014-05-25"))
        #expect(names.sorted() == ["IMG_1.JPG", "IMG_2.JPG"])
        #expect(card.names.isEmpty)
        #expect(try await library.paths().count == 2)
    }

    @Test("stores files with the same name in one folder under one new name")
    func together() async throws {
        try put("IMG_1.JPG", Self.photo)
        try put("IMG_1.jpeg", Self.undated)
        try put("b/IMG_1.JPG", Self.other)
        try await run()
        #expect(
            there.contains("2014/2014-05-25/IMG_1.jpeg") && there.contains("2014/2014-05-25/IMG_1 (2).JPG"))
    }

    @Test("refuses sources in the library")
    func inside() async throws {
        try library.write("a.jpg", Self.photo)
        let options = ImportOptions(sources: [library.folder.path("a.jpg")])
        await #expect(throws: LibraryError.self) { try await library.library.planImport(options) }
    }

    @Test("finds files present that another import has brought since the plan", arguments: [false, true])
    func arrived(_ moves: Bool) async throws {
        try put("IMG_1.JPG", Self.photo)
        try put("IMG_2.JPG", Self.other)
        let (first, second) = (try await plan(), try await plan(moves: moves))
        #expect(try await library.library.performImport(first).imported == 2)
        let report = try await library.library.performImport(second)
        #expect(report.failures.isEmpty && report.imported == 0 && report.present == 2, "\(report)")
        #expect(there == ["2014/2014-05-25/IMG_1.JPG", "2014/2014-05-25/IMG_2.JPG"])
        #expect(report.remaining.isEmpty == moves)
        // A file with other bytes is never taken for it.
        try put("IMG_3.JPG", Self.photo + [0])
        let third = try await plan()
        try library.write("2014/2014-05-25/IMG_3.JPG", Self.photo + [1])
        #expect(try await library.library.performImport(third).failures.count == 1)
    }

    @Test("that was planned while another one ran brings no file twice", arguments: [false, true])
    func overtaken(_ moves: Bool) async throws {
        try put("IMG_1.JPG", Self.photo)
        try put("IMG_2.JPG", Self.other)
        // The name is taken by a file that cannot be compared yet.
        try library.write("2014/2014-05-25/IMG_1.JPG", Array(Self.photo.dropLast()))
        let late = try await plan(moves: moves)
        #expect(late.items.first?.destination == "2014/2014-05-25/IMG_1 (2).JPG")
        try library.write("2014/2014-05-25/IMG_1.JPG", Self.photo)
        #expect(try await run().imported == 1)
        try put("IMG_3.JPG", Self.undated)
        try FileManager.default.removeItem(atPath: card.path("IMG_2.JPG"))
        let report = try await library.library.performImport(late)
        #expect(report.files.map(\.source).map(\.name) == ["IMG_1.JPG", "IMG_2.JPG"])
        #expect(report.present == 1 && report.failures.map(\.file.name) == ["IMG_2.JPG"], "\(report)")
        #expect(there == ["2014/2014-05-25/IMG_1.JPG", "2014/2014-05-25/IMG_2.JPG"])
        #expect(card.files(below: ".") == (moves ? ["IMG_3.JPG"] : ["IMG_1.JPG", "IMG_3.JPG"]))
        #expect(report.arrived.map(\.name) == (moves ? ["IMG_3.JPG"] : []))
    }

    @Test("continues with other files if one cannot be read")
    func unreadable() async throws {
        try put("IMG_1.JPG", Self.photo)
        try put("IMG_2.JPG", Self.other)
        let plan = try await plan()
        // The file is removed after planning.
        try FileManager.default.removeItem(atPath: card.path("IMG_1.JPG"))
        let report = try await library.library.performImport(plan)
        #expect(report.imported == 1 && report.failures.count == 1)
        #expect(there == ["2014/2014-05-25/IMG_2.JPG"])
    }
}

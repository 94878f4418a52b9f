import Files
import Foundation
import ImageMetadata
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import PhotoImport

@Suite("An import of a phone's files")
struct AppleImportTests {
    private let library: TestLibrary
    private let card: TemporaryFolder

    init() async throws {
        library = try await TestLibrary()
        card = try TemporaryFolder()
    }

    private func put(_ path: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: card.url.appendingPathComponent(path))
    }

    private func run(moves: Bool = false) async throws -> ImportReport {
        var options = ImportOptions(sources: [card.url.path])
        options.moves = moves
        return try await library.library.performImport(library.library.planImport(options))
    }

    private var there: [String] { library.folder.files(below: ".").filter { !$0.hasPrefix(".viewport") } }

    private static func photo(_ salt: UInt64, _ second: Int = 10) -> [UInt8] {
        TinyPhoto.jpeg(date: "2020:03:04 10:00:\(second)", salt: salt)
    }

    /// A picture of a live photo, with the identifier in Apple's maker note.
    private static func picture(_ identifier: String, date: String = "2020:03:04 10:00:10") -> [UInt8] {
        // Offsets count from the start of the note.
        let data = Array(identifier.utf8) + [0]
        let directory =
            big(1, 2) + big(0x0011, 2) + big(2, 2) + big(data.count, 4) + big(14 + 2 + 12 + 4, 4) + big(0, 4)
        let whole = text("Apple iOS\0") + [0, 1] + text("MM") + directory + data
        let exif = ExifBuilder(bigEndian: true).block([
            (0x8769, .directory([(0x9003, .text(date)), (0x927C, .bytes(whole))]))
        ])
        return PhotoMaker.jpeg(exif: exif)
    }

    private static func film(_ identifier: String, seconds: Int = 3) -> [UInt8] {
        FilmMaker.film(
            created: 3_000_000_000, seconds: seconds,
            keys: [("com.apple.quicktime.content.identifier", identifier)])
    }

    @Test("takes descriptions of edits and edited copies along, under one number", arguments: [false, true])
    func edits(_ moves: Bool) async throws {
        try library.write("2020/2020-03-04/IMG_1234.JPG", Self.photo(9))
        try await library.library.index()
        for (name, bytes) in [
            ("IMG_1234.JPG", Self.photo(1)), ("IMG_1234.AAE", text("<plist>1</plist>")),
            ("IMG_O1234.AAE", text("<plist>2</plist>")), ("IMG_E1234.JPG", Self.photo(2, 50)),
            ("IMG_E9.JPG", Self.photo(3)),
        ] { try put(name, bytes) }
        let report = try await run(moves: moves)
        #expect(report.failures.isEmpty && report.count(.imported) == 5)
        #expect(report.files.count { $0.sidecarOf != nil } == 2)
        let folder = "2020/2020-03-04/"
        #expect(
            there
                == [
                    "IMG_1234 (2).AAE", "IMG_1234 (2).JPG", "IMG_1234.JPG", "IMG_E1234 (2).JPG", "IMG_E9.JPG",
                    "IMG_O1234 (2).AAE",
                ].map { folder + $0 })
        #expect(card.names.isEmpty == moves)
        // They count as sidecars, not as other files.
        let index = try await library.library.index()
        #expect(index.others.isEmpty && index.sidecars == 2)
        let again = try await run(moves: moves)
        #expect(again.imported == 0 && there.count == 6)
    }

    @Test("counts an edit without its photo as another file")
    func lonely() async throws {
        try library.write("a/IMG_1.AAE", text("<plist/>"))
        try library.write("a/IMG_2.AAE", text("<plist/>"))
        try library.write("a/IMG_2.JPG", Self.photo(1))
        let index = try await library.library.index()
        #expect(index.others == ["a/IMG_1.AAE"] && index.sidecars == 1)
    }

    @Test("joins live photos by their identifiers, and names only where there is none")
    func live() async throws {
        try put("IMG_1.JPG", Self.picture("identifier-A"))
        try put("IMG_1.MOV", Self.film("identifier-B", seconds: 4))
        try put("IMG_7.MOV", Self.film("identifier-A", seconds: 5))
        let report = try await run()
        #expect(report.failures.isEmpty && report.count(.imported) == 3)
        let assets = try await library.library.assets(
            Array(try await library.library.collection().snapshot().ids(in: 0)))
        let photo = try #require(assets.first { $0.isPhoto })
        let partner = try #require(photo.livePartner)
        let film = try #require(assets.first { $0.id == partner })
        #expect(film.seconds == 5)
        #expect(film.path.hasSuffix("2020-03-04/IMG_1.MOV"), "\(film.path)")
        #expect(assets.filter { $0.livePartner != nil }.count == 2)
    }
}

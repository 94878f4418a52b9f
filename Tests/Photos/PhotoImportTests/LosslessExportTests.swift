import Files
import Foundation
import ImageMetadata
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing
import ViewportGeometry

@testable import AssetCatalog
@testable import CatalogStorage
@testable import ExportDocuments
@testable import PhotoImport

@Suite("A lossless export")
struct LosslessExportTests {
    private let first: TestLibrary
    private let place: TemporaryFolder

    init() async throws {
        first = try await TestLibrary()
        place = try TemporaryFolder()
    }

    /// A library with everything that neither files nor sidecars state.
    private func fill() async throws {
        for number in 0..<12 {
            let date = "2014:05:\(10 + number) 10:00:00"
            try first.write(
                "trips/\(number % 3)/IMG_\(number).jpg", TinyPhoto.jpeg(date: date, salt: UInt64(number)))
        }
        try first.write("undated.jpg", TinyPhoto.jpeg(salt: 90))
        try first.write("copies/a.jpg", TinyPhoto.jpeg(date: "2015:01:01 00:00:00", salt: 91))
        try first.write("copies/b.jpg", TinyPhoto.jpeg(date: "2015:01:01 00:00:00", salt: 91))
        // Names that differ in the form of their accents, and the film of a live photo with another name.
        try first.write("u\u{308}/\u{E9}.jpg", TinyPhoto.jpeg(salt: 92))
        try first.write("\u{FC}/e\u{301}.jpg", TinyPhoto.jpeg(salt: 93))
        for (format, name) in [(FileFormat.jpeg, "live/one.jpg"), (.mov, "live/other.mov")] {
            try first.write(name, try #require(SampleFiles.all.first { $0.format == format }).bytes)
        }
        // Stacks: one with a chosen cover, one over two folders.
        for (name, salt) in [("IMG_70.jpg", 94), ("IMG_E70.jpg", 95), ("other/IMG_70.jpg", 96)]
            as [(String, UInt64)]
        {
            try first.write("stacks/\(name)", TinyPhoto.jpeg(date: "2016:01:01 00:00:00", salt: salt))
        }
        // A sidecar that is named after the photo without its extension.
        let xmp = XMPMaker.packet([("xmp:Rating", "4"), ("xmp:Label", "Blue")])
        try first.write("trips/0/IMG_0.xmp", Array(xmp.utf8))
        let library = first.library
        try await library.index(
            assuming: AssumedZone(name: "Europe/Paris") { _ in UTCOffset(minutes: 120) }, undatedBy: .fileTime
        )
        func id(_ path: String) async throws -> Asset.ID {
            try #require(try await library.asset(path: path)).id
        }
        _ = try await library.edit(
            [try await id("trips/1/IMG_1.jpg")],
            AssetEdit(
                title: "Ü", caption: "two\nlines", keywords: ["a", "b, c"], rating: -1, label: "Red",
                quarterTurns: 1))
        let track = try #require(Location(latitude: 48.5, longitude: 2.25, source: .track))
        try await library.setLocations([try await id("trips/2/IMG_2.jpg"): track])
        for (name, numbers) in [("Zoo", [9, 3, 6]), ("Attic", [3]), ("Empty", [])] {
            let album = try await library.createAlbum(name)
            for number in numbers {
                try await library.add([try await id("trips/0/IMG_\(number).jpg")], to: album.id)
            }
        }
        try await library.add([try await id("live/one.jpg"), try await id("trips/0/IMG_0.jpg")], to: .picks)
        try await library.setStacksJoinFolders(true)
        try await library.chooseCover(try await id("stacks/other/IMG_70.jpg"))
        for path in ["trips/1/IMG_1.jpg", "copies/a.jpg"] {
            let asset = try #require(try await library.asset(path: path))
            let made = try await library.annotate(
                asset, PixelRect(x: 3, y: 4, width: 5, height: 6), name: "Tante \u{C4}nne")
            _ = try await library.changeAnnotation(made.id, of: asset, version: 1) { annotation in
                annotation.rect.x = 2
                return true
            }
        }
        try await library.keepTogether([try await id("copies/a.jpg"), try await id("copies/b.jpg")])
    }

    private func ids(_ library: PhotoLibrary) async throws -> [Asset.ID] {
        try await library.collection().snapshot().ids.map { $0 }
    }

    private func imported(_ library: PhotoLibrary, from folder: String = "out") async throws -> ImportReport {
        try await library.performImport(
            library.planImport(ImportOptions(sources: [place.path(folder)])))
    }

    /// All that a catalog has, with paths in the place of identifiers.
    private func contents(of library: PhotoLibrary) async throws -> [String] {
        let assets = try await library.assets(try await ids(library))
        let paths = Dictionary(uniqueKeysWithValues: assets.map { ($0.id, $0.path) })
        var lines: [String] = []
        for asset in assets {
            var plain = asset
            (plain.id, plain.livePartner, plain.stack) = (0, nil, nil)
            let coder = JSONEncoder()
            coder.outputFormatting = .sortedKeys
            let partner = asset.livePartner.flatMap { paths[$0] } ?? "-"
            let cover = asset.stack.flatMap { paths[$0] } ?? "-"
            lines.append("\(String(decoding: try coder.encode(plain), as: UTF8.self)) \(partner) \(cover)")
        }
        lines.sort()
        for group in try await library.groups() where group.kind == .album || group.kind == .picks {
            let members = try await library.albumAssets(group.id).map { paths[$0] ?? "?" }
            lines.append("\(group.name): \(members)")
        }
        let kept = try await library.read { try $0.keptGroups() }
        let covers = try await library.read { try $0.stacks.chosenCovers() }
        lines += covers.compactMap { paths[$0] }.sorted()
        lines.append("across folders: \(try await library.stacksJoinFolders())")
        for (asset, annotations) in try await library.annotations() {
            lines += annotations.map {
                "\(asset.path) \($0.name) \($0.rect) \($0.created) \($0.modified) \($0.version)"
            }
        }
        lines += paths.filter { !kept.numbers(of: $0.key).isEmpty }.map(\.value).sorted()
        return lines
    }

    @Test("makes the same library, field by field, when it is imported")
    func roundTrip() async throws {
        try await fill()
        let all = try await ids(first.library)
        #expect(try await first.library.exportLossless(all, to: place.path("out")).isEmpty)
        let second = try await TestLibrary()
        let report = try await imported(second.library)
        #expect(report.failures.isEmpty && report.imported == all.count + 2, "\(report)")
        let (was, now) = (try await contents(of: first.library), try await contents(of: second.library))
        #expect(was == now)
        // Two files have the same bytes, and so the same annotations.
        #expect(was.count == all.count + 4 + 1 + 1 + 3 + 2)
        #expect(was.count { $0.hasSuffix(" stacks/other/IMG_70.jpg") } == 3)
        // Exported again, the bytes of all files are equal.
        #expect(
            try await second.library.exportLossless(try await ids(second.library), to: place.path("again"))
                .isEmpty)
        let files = place.files(below: "out")
        #expect(files == place.files(below: "again") && files.count > all.count)
        for file in files where file != LosslessDocument.name {
            #expect(try place.data("out/\(file)") == place.data("again/\(file)"), "\(file)")
        }
    }

    @Test("that is imported again does not undo later changes, and may be of several parts")
    func repeated() async throws {
        try await fill()
        let all = try await ids(first.library)
        let folder = place.path("out")
        #expect(try await first.library.exportLossless(Array(all.prefix(7)), to: folder).isEmpty)
        #expect(try await first.library.exportLossless(Array(all.dropFirst(5)), to: folder).isEmpty)
        let second = try await TestLibrary()
        _ = try await imported(second.library)
        #expect(try await contents(of: first.library) == contents(of: second.library))
        let zoo = try #require(try await second.library.album(named: "Zoo"))
        let members = try await second.library.albumAssets(zoo.id)
        try await second.library.remove([members[0]], from: zoo.id)
        let report = try await imported(second.library)
        #expect(report.failures.isEmpty && report.imported == 0)
        #expect(try await second.library.albumAssets(zoo.id) == Array(members.dropFirst()))
    }

    @Test("in an archive makes the same library")
    func archive() async throws {
        try await fill()
        _ = try await first.library.exportLossless(try await ids(first.library), to: place.path("out"))
        let zip = ZipMaker(
            try place.files(below: "out").map {
                ZipMaker.Entry("out/\($0)", Array(try place.data("out/\($0)")))
            })
        try Data(zip.bytes()).write(to: place.url.appendingPathComponent("out.zip"))
        let second = try await TestLibrary()
        let report = try await imported(second.library, from: "out.zip")
        #expect(report.failures.isEmpty, "\(report.failures)")
        // The times of files in an archive are whole, or even, seconds.
        func plain(_ lines: [String]) -> [String] {
            lines.map { $0.replacing(/"modifiedNanoseconds":\d+/, with: "") }.filter {
                !$0.contains("FileTime")
            }
        }
        #expect(
            try await plain(contents(of: second.library)) == plain(contents(of: first.library)))
    }

    @Test("whose document is damaged gives the photos, and names the line")
    func damaged() async throws {
        try first.write("a/b.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00"))
        try await first.library.index()
        _ = try await first.library.exportLossless(try await ids(first.library), to: place.path("out"))
        let url = place.url.appendingPathComponent("out/\(LosslessDocument.name)")
        try (try Data(contentsOf: url) + Data("{\"path\": 1}\n".utf8)).write(to: url)
        let second = try await TestLibrary()
        let report = try await imported(second.library)
        #expect(try await second.paths() == ["a/b.jpg"])
        #expect(
            report.failures.count == 1
                && report.failures[0].reason.contains("line 3 is no JSON object with a path"))
        // An export to this folder says so, too, and keeps the file.
        await #expect(throws: LibraryError.self) {
            try await first.library.exportLossless(try await ids(first.library), to: place.path("out"))
        }
        #expect(try Data(contentsOf: url).count > 100)
    }

    @Test("is arranged anew by a layout")
    func layout() async throws {
        try first.write("a/b.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00"))
        try await first.library.index()
        _ = try await first.library.exportLossless(try await ids(first.library), to: place.path("out"))
        let second = try await TestLibrary()
        var options = ImportOptions(sources: [place.path("out")])
        options.layout = try ImportLayout("{year}/{name}")
        _ = try await second.library.performImport(second.library.planImport(options))
        #expect(try await second.paths() == ["2014/b.jpg"])
    }
}

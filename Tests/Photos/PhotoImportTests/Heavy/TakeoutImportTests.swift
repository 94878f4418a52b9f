import Files
import Foundation
import ImageMetadata
import PhotoCatalog
import TestHarness
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import PhotoImport

@Suite("An import of a Google Takeout")
struct TakeoutImportTests {
    private let library: TestLibrary
    private let place: TemporaryFolder

    init() async throws {
        library = try await TestLibrary()
        place = try TemporaryFolder()
    }

    private func run(_ sources: [String], moves: Bool = false, trash: Bool = false) async throws
        -> ImportReport
    {
        var options = ImportOptions(sources: sources)
        (options.moves, options.takesTrashed) = (moves, trash)
        return try await library.library.performImport(library.library.planImport(options))
    }

    private func write(_ path: String, _ bytes: Data) throws {
        let url = URL(fileURLWithPath: place.path(path))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: url)
    }

    /// Returns the path in the export of a source.
    private func inside(_ source: FilePath) -> String {
        source.text.range(of: "Takeout/").map { String(source.text[$0.lowerBound...]) } ?? source.text
    }

    /// Compares the library with what is true of each file.
    private func check(_ maker: TakeoutMaker, _ report: ImportReport, trash: Bool = false) async throws {
        #expect(report.failures.isEmpty && report.stopped == nil)
        // Every file of the export is in the report once.
        #expect(report.files.map { inside($0.source) }.sorted() == maker.files.keys.sorted())
        let takeout = try #require(report.summaries.first)
        #expect(takeout.files("withoutFile").map(inside).sorted() == maker.withoutFile.sorted())
        #expect(takeout.files("withoutSidecar").map(inside).sorted() == maker.withoutSidecar.sorted())
        #expect(
            takeout.files("trashed").map(inside).sorted()
                == maker.media.filter(\.value.isTrashed).keys.sorted())
        #expect(
            takeout.files("archived").map(inside).sorted()
                == maker.media.filter(\.value.isArchived).keys.sorted())
        #expect(takeout.texts("albums").sorted() == maker.albums.sorted())
        let outcomes = Dictionary(uniqueKeysWithValues: report.files.map { (inside($0.source), $0) })
        let picks = Set(try await library.library.albumAssets(.picks))
        for (path, truth) in maker.media {
            let outcome = try #require(outcomes[path])
            if truth.isTrashed, !trash {
                #expect(outcome.skipReason == .trashed, "\(path)")
                continue
            }
            let file = try #require(outcome.path?.text, "\(path)")
            #expect(try Array(library.folder.data(file)) == truth.bytes)
            let asset = try #require(try await library.library.asset(path: file), "\(path)")
            check(asset, path, truth)
            #expect(picks.contains(asset.id) == truth.isFavorite, "\(path)")
            if let album = truth.album {
                let group = try #require(try await library.library.album(named: album))
                #expect(try await library.library.albumAssets(group.id).contains(asset.id))
            }
            if let original = truth.original {
                let first = try #require(outcomes[original]?.path?.text)
                #expect(asset.folder == OutputFolderName.of(first), "\(path)")
            }
        }
    }

    private func check(_ asset: Asset, _ path: String, _ truth: TakeoutMaker.Truth) {
        if let exif = truth.exif {
            #expect(asset.date?.source == .dateTimeOriginal, "\(path)")
            let text = asset.date?.local.description.replacingOccurrences(of: "T", with: " ")
            #expect(text?.replacingOccurrences(of: "-", with: ":") == exif, "\(path)")
        } else if let taken = truth.taken {
            #expect(asset.date?.instant == taken, "\(path)")
            #expect(asset.date?.offset?.minutes == (asset.name.hasPrefix("IMG_") ? 120 : 0), "\(path)")
            #expect(asset.date?.source == .sidecarDateTimeOriginal, "\(path)")
        }
        #expect(asset.location?.latitude.roundedToMicro == truth.latitude, "\(path)")
        #expect(asset.caption == truth.caption, "\(path)")
        #expect(asset.keywords == truth.people, "\(path)")
    }

    @Test("takes every form of names, from folders", arguments: [1, 2])
    func folder(_ seed: UInt64) async throws {
        let maker = TakeoutMaker(
            count: 160, seed: seed, year: seed == 1 ? "Photos from YYYY" : "Fotos von YYYY")
        try maker.write(to: place.path("export"))
        let report = try await run([place.path("export")])
        try await check(maker, report)
        // The second run finds everything.
        let again = try await run([place.path("export")])
        #expect(again.imported == 0 && again.count(.described) == 0 && again.failures.isEmpty)
        #expect(again.files.count == report.files.count)
        try await check(maker, again)
        // The values are in sidecars: a new catalog reads them.
        let other = try await PhotoLibrary.create(
            library.library.root, catalog: library.folder.path(".other.sqlite"))
        try await other.index()
        for path in try await library.paths() {
            var asset = try #require(try await other.asset(path: path))
            let known = try #require(try await library.library.asset(path: path))
            (asset.id, asset.livePartner, asset.stack) = (known.id, known.livePartner, known.stack)
            #expect(asset == known)
        }
    }

    @Test(
        "makes an album of any document with a title, and names what it does not use",
        arguments: [
            "metadata.json", "métadonnées.json", "Metadaten.json", "metadatos.json", "metadata(1).json",
        ])
    func albums(_ name: String) async throws {
        let folder = "export/Takeout/Google Fotos/Vacances"
        func write(_ name: String, _ bytes: [UInt8]) throws {
            try self.write("\(folder)/\(name)", Data(bytes))
        }
        try write("a.jpg", TinyPhoto.jpeg(date: "2019:07:04 10:00:00", salt: 1))
        try write(
            "a.jpg.json", Array(#"{"title":"a.jpg","photoTakenTime":{"timestamp":"1562234400"}}"#.utf8))
        let place = #"{"latitude":46.1,"longitude":-1.3,"altitude":0.0}"#
        try write(
            name,
            Array(#"{"title":"Ré","description":"","date":{"timestamp":"1"},"geoData":\#(place)}"#.utf8))
        try write("cut.json", Array(#"{"title":"#.utf8))
        let report = try await run([self.place.path("export")])
        #expect(report.summaries.first?.texts("albums") == ["Ré"])
        #expect(report.summaries.first?.notes("unused").map(\.reason) == ["its geoData is not imported"])
        let album = try #require(try await library.library.album(named: "Ré"))
        #expect(try await library.library.albumAssets(album.id).count == 1)
        // What cannot be read may have been an album.
        #expect(report.failures.count == 1)
    }

    @Test("keeps the films of motion photos beside them, whatever their names and dates are")
    func motionFilms() async throws {
        let folder = "export/Takeout/Google Photos/Photos from 2021"
        for (index, name) in ["P.MP", "Q.MP~2", "MVIMG_20180722_120942"].enumerated() {
            let date = "2021:07:0\(index + 1) 10:00:00"
            try write("\(folder)/\(name).jpg", Data(TinyPhoto.jpeg(date: date, salt: UInt64(index))))
            try write(
                "\(folder)/\(name)", Data(FilmMaker.film(brand: "mp42", created: 0, seconds: 1 + index)))
            try write(
                "\(folder)/\(name).jpg.json",
                Data(
                    #"{"title":"a","photoTakenTime":{"timestamp":"\#(1_625_133_600 + index * 86_400)"}}"#.utf8
                ))
        }
        let report = try await run([place.path("export")])
        #expect(report.imported == 6 && report.summaries.first?.files("withoutSidecar") == [])
        for path in try await library.paths() {
            let asset = try #require(try await library.library.asset(path: path))
            #expect(asset.livePartner != nil, "\(path)")
        }
        let films = try await library.paths().filter { !$0.hasSuffix(".jpg") }.map { FilePath($0).name.text }
        #expect(Set(films) == ["P.MP", "Q.MP~2", "MVIMG_20180722_120942"])
    }

    @Test("takes archives, with photos and sidecars in different ones")
    func archives() async throws {
        let maker = TakeoutMaker(count: 120, seed: 5)
        let archives = try maker.writeArchives(3, to: place.path("zips"), seed: 8)
        let sums = try archives.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        let report = try await run(archives, trash: true)
        try await check(maker, report, trash: true)
        // Found in their folder they are the same; nothing is unpacked beside them, and they do not change.
        let again = try await run([place.path("zips")], trash: true)
        #expect(again.imported == 0 && again.count(.described) == 0)
        #expect(place.files(below: "zips").count == 3)
        #expect(try archives.map { try Data(contentsOf: URL(fileURLWithPath: $0)) } == sums)
        let error = await #expect(throws: LibraryError.self) { try await run(archives, moves: true) }
        #expect(
            error?.description
                == "\(archives[0]): files cannot be moved out of an archive, which is never changed")
    }

    @Test("moves photos only once their values are written, and leaves the sidecars")
    func moves() async throws {
        let maker = TakeoutMaker(count: 40, seed: 9)
        try maker.write(to: place.path("export"))
        let report = try await run([place.path("export")], moves: true)
        try await check(maker, report)
        let left = place.files(below: "export")
        #expect(
            Set(left.filter { $0.hasSuffix(".json") })
                == Set(maker.files.keys.filter { $0.hasSuffix(".json") }))
        let duplicates = report.files.filter { $0.status == .duplicate }.map { inside($0.source) }
        let stays = Set(duplicates + maker.media.filter(\.value.isTrashed).keys)
        #expect(
            Set(left.filter { $0.hasSuffix(".jpg") || $0.hasSuffix(".MP4") || $0.hasSuffix(".MP") }) == stays)
    }

    @Test("leaves JSON of other programs alone")
    func others() async throws {
        for (path, text) in [
            ("set/a.json", #"{"title":"My set","description":"of pictures","date":{}}"#),
            ("set/b.json", "[1]"),
            ("set/c.json", "{"), ("Photos from 2019/d.json", #"{"shapes":[]}"#),
        ] {
            let url = place.url.appendingPathComponent("export/\(path)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        try Data(TinyPhoto.jpeg(date: "2014:05:25 10:00:00")).write(
            to: place.url.appendingPathComponent("export/set/a.jpg"))
        let report = try await run([place.path("export")])
        #expect(report.imported == 1 && report.failures.isEmpty && report.summaries.isEmpty)
        #expect(report.files.filter { $0.skipReason == .other }.count == 4)
        #expect(try await library.library.groups().filter { $0.kind == .album }.isEmpty)
    }

    @Test("keeps what was edited in the library when it is repeated")
    func edited() async throws {
        let maker = TakeoutMaker(count: 6, seed: 3)
        try maker.write(to: place.path("export"))
        _ = try await run([place.path("export")])
        let id = try #require(try await library.library.collection().snapshot().ids(in: 0).first)
        var edit = AssetEdit()
        (edit.caption, edit.keywords) = ("Mine", ["own"])
        try await library.library.edit([id], edit)
        try await library.library.remove([id], from: .picks)
        let before = try #require(try await library.library.asset(id))
        _ = try await run([place.path("export")])
        #expect(try await library.library.asset(id) == before)
        #expect(try await !library.library.albumAssets(.picks).contains(id))
    }
}

private enum OutputFolderName {
    static func of(_ path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }
}

extension Double {
    fileprivate var roundedToMicro: Double {
        let scale = 1_000_000.0
        return (self * scale).rounded() / scale
    }
}

import Basics
import Files
import Foundation
import PhotoCatalog
import TestHarness
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import PhotoImport

@Suite("An export in the form of a Google Takeout")
struct TakeoutExportTests {
    private let first: TestLibrary
    private let place: TemporaryFolder

    init() async throws {
        first = try await TestLibrary()
        place = try TemporaryFolder()
    }

    private func export(_ library: PhotoLibrary, parts: Int = 1) async throws -> [ExportedFile] {
        let ids = Array(try await library.collection().snapshot().ids(in: 0))
        let export = TakeoutExport()
        var files: [ExportedFile] = []
        let length = max(1, (ids.count + parts - 1) / parts)
        for start in stride(from: 0, to: ids.count, by: length) {
            let assets = try await library.assets(Array(ids[start...].prefix(length)))
            try await export.export(assets, of: library, to: place.path("out")) { files.append($0) }
        }
        return files
    }

    /// The albums of an asset, by their names.
    private func albums(_ asset: Asset, _ library: PhotoLibrary) async throws -> [String] {
        try await library.albums(of: asset.id).map(\.name).sorted()
    }

    @Test("gives the same library when it is imported", arguments: [1, 4])
    func roundTrip(_ parts: Int) async throws {
        let maker = TakeoutMaker(count: 120, seed: 21)
        try maker.write(to: place.path("export"))
        let imported = try await first.library.performImport(
            first.library.planImport(ImportOptions(sources: [place.path("export")])))
        #expect(imported.failures.isEmpty)
        let files = try await export(first.library, parts: parts)
        #expect(files.allSatisfy { $0.outcome == .copied }, "\(files.compactMap(\.failure))")
        // The same again changes nothing.
        #expect(try await export(first.library, parts: parts).allSatisfy { $0.outcome == .present })

        let second = try await TestLibrary()
        let report = try await second.library.performImport(
            second.library.planImport(ImportOptions(sources: [place.path("out")])))
        #expect(report.failures.isEmpty && report.summaries.first?.files("withoutFile").isEmpty == true)
        #expect(
            report.summaries.first?.files("withoutSidecar").isEmpty == true, "\(report.summaries)")
        var copies: [String: Asset] = [:]
        for path in try await second.paths() {
            let asset = try #require(try await second.library.asset(path: path))
            copies[asset.sha256] = asset
        }
        let paths = try await first.paths()
        #expect(paths.count > 60 && copies.count == paths.count)
        for path in paths {
            let asset = try #require(try await first.library.asset(path: path))
            let copy = try #require(copies[asset.sha256], "\(path)")
            #expect(copy.date == asset.date, "\(path)")
            #expect(copy.caption == asset.caption && copy.keywords == asset.keywords, "\(path)")
            #expect(copy.location?.latitude == asset.location?.latitude, "\(path)")
            let (was, now) = (
                try await albums(asset, first.library), try await albums(copy, second.library)
            )
            #expect(was == now, "\(path)")
        }
    }

    @Test("has a folder for each album, whatever its name, and the JSON that Google writes")
    func albums() async throws {
        try first.write("a.jpg", TinyPhoto.jpeg(salt: 1))
        try await first.library.index()
        let asset = try #require(try await first.library.asset(path: "a.jpg"))
        // The names of folders that Takeout has for something else, a path, and two that differ by one character.
        let titles = ["2014-05-25", "Photos from 2014", "Trash", "undated", "../up", "a/b", "a_b"]
        for title in titles {
            let album = try await first.library.createAlbum(title)
            try await first.library.add([asset.id], to: album.id)
        }
        try await first.library.add([asset.id], to: .picks)
        #expect(try await export(first.library).allSatisfy { $0.outcome == .copied })
        let root = "out/Takeout/Google Photos"
        let files = place.files(below: root)
        #expect(
            Set(files.filter { $0.hasSuffix("metadata.json") && !$0.contains("supplemental") }).count
                == titles.count)
        for name in ["2014-05-25 (2)", "Photos from 2014 (2)", "Trash (2)", "undated (2)", "a_b", "a_b (2)"] {
            #expect(files.contains("\(name)/a.jpg") && files.contains("\(name)/metadata.json"), "\(name)")
        }
        #expect(place.files(below: "out").allSatisfy { $0.hasPrefix("Takeout/Google Photos/") })
        let json = try JSONValue(
            parsing: Array(place.data("\(root)/undated/a.jpg.supplemental-metadata.json")))
        #expect(json["title"] == .string("a.jpg") && json["favorited"] == .bool(true))
        #expect(json["photoTakenTime"]?["timestamp"] == .string("0"))
        #expect(json["geoData"]?["latitude"]?.double == 0)
        let second = try await TestLibrary()
        _ = try await second.library.performImport(
            second.library.planImport(ImportOptions(sources: [place.path("out")])))
        let names = try await second.library.groups().filter { $0.kind == .album && $0.count == 1 }.map(
            \.name)
        #expect(names.sorted() == titles.sorted())
    }

    @Test("replaces no JSON file that states something else, and names it")
    func kept() async throws {
        try first.write("a.jpg", TinyPhoto.jpeg(salt: 1))
        try await first.library.index()
        let path = "out/Takeout/Google Photos/undated/a.jpg.supplemental-metadata.json"
        let url = place.url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("{}".utf8).write(to: url)
        let failures = try await export(first.library).compactMap(\.failure)
        #expect(failures.map(\.path) == [String(path.dropFirst(4))])
        #expect(try place.data(path) == Data("{}".utf8))
    }
}

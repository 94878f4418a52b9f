import Files
import Foundation
import ImageMetadata
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@testable import PhotoImport

/// An export of Flickr as it is downloaded: documents in one archive, photos and films in others.
private struct FlickrMaker {
    static let documents = "72157724905358313_3ac1836c2225_part1.zip"

    let archives: [String: [String: [UInt8]]]

    init() {
        let titled = #"""
            {"id":"2634391576","name":"Killarney Lake","description":"By <a href=\"http://x/\">ShoZu</a> &amp; me\n",
            "count_views":"53","date_taken":"2008-07-01 13:04:18","date_imported":"2008-07-03 09:48:30",
            "photopage":"https://www.flickr.com/photos/boris/2634391576/","license":null,
            "geo":{"latitude":"49696401","longitude":"-123159753","accuracy":"15"},"tags":[{"tag":"lake"},{"tag":"québec"}],
            "groups":[],"albums":[],"comments":[{"user":"a","comment":"b"}]}
            """#
        let plain = #"""
            {"id":"81234567","name":"DSC_0026","description":"","date_taken":"2005-10-02 08:00:00",
            "date_imported":"2005-10-03 08:00:00","photopage":"","geo":[],"tags":[],"albums":[{"id":"7","title":"Sailing"}]}
            """#
        let uploaded = #"""
            {"id":"300","name":"","description":"","date_taken":"2011-01-01 00:00:00","date_imported":"2011-01-01 00:00:00",
            "photopage":"","geo":[{"latitude":"-33856784","longitude":"151215297","accuracy":"16"}]}
            """#
        let film = #"""
            {"id":"4001","name":"Waves","date_taken":"2012-05-06 07:08:09","date_imported":"2012-06-06 07:08:09","photopage":""}
            """#
        let gone =
            #"{"id":"999","name":"Gone","date_taken":"2012-05-06 07:08:09","date_imported":"","photopage":""}"#
        let albums = #"""
            {"albums":[{"id":"7","title":"Trip &amp; more","description":"Two weeks","photos":["2634391576","4001"]},
            {"id":"8","title":"Empty","description":"","photos":["0"]}]}
            """#
        archives = [
            Self.documents: [
                "photo_2634391576.json": Array(titled.utf8), "photo_81234567.json": Array(plain.utf8),
                "photo_300.json": Array(uploaded.utf8), "photo_4001.json": Array(film.utf8),
                "photo_999.json": Array(gone.utf8), "albums.json": Array(albums.utf8),
                "account_profile.json": Array(#"{"real_name":"x"}"#.utf8), "photo_5.json": Array("{".utf8),
            ],
            "data-download-1.zip": [
                "killarney-lake_2634391576_o.jpg": TinyPhoto.jpeg(salt: 1),
                "81234567_6ab6f1017f_o.jpg": TinyPhoto.jpeg(date: "2005:10:01 22:00:00", salt: 2),
            ],
            "data-download-2.zip": [
                "_300_o.jpg": TinyPhoto.jpeg(salt: 3), "stranger_o.jpg": TinyPhoto.jpeg(salt: 4),
                "waves_4001.mov": FilmMaker.film(created: 0, seconds: 2),
            ],
        ]
    }

    /// Writes the archives, or unpacks them side by side.
    func write(packed: Bool, to place: TemporaryFolder) throws {
        for (name, files) in archives {
            if packed {
                let zip = ZipMaker(files.sorted { $0.key < $1.key }.map { ZipMaker.Entry($0.key, $0.value) })
                try Data(zip.bytes()).write(to: place.url.appendingPathComponent(name))
                continue
            }
            let folder = place.url.appendingPathComponent(String(name.dropLast(4)))
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (path, bytes) in files { try Data(bytes).write(to: folder.appendingPathComponent(path)) }
        }
    }
}

@Suite("An import of an export of Flickr")
struct FlickrImportTests {
    private let library: TestLibrary
    private let place: TemporaryFolder

    init() async throws {
        library = try await TestLibrary()
        place = try TemporaryFolder()
    }

    private func run() async throws -> ImportReport {
        let options = ImportOptions(sources: [place.url.path])
        return try await library.library.performImport(library.library.planImport(options))
    }

    private func asset(_ report: ImportReport, _ ending: String) async throws -> Asset {
        let outcome = try #require(report.files.first { $0.source.text.hasSuffix(ending) })
        let path = try #require(outcome.path?.text, "\(outcome)")
        return try #require(try await library.library.asset(path: path))
    }

    private func names(_ album: String) async throws -> [String] {
        let group = try #require(try await library.library.album(named: album))
        var names: [String] = []
        for id in try await library.library.albumAssets(group.id) {
            if let name = try await library.library.asset(id)?.name { names.append(name) }
        }
        return names.sorted()
    }

    @Test("joins photos with their documents and albums, in archives or unpacked", arguments: [true, false])
    func whole(isPacked: Bool) async throws {
        let maker = FlickrMaker()
        try maker.write(packed: isPacked, to: place)
        let report = try await run()
        #expect(
            report.files.count == maker.archives.values.reduce(0) { $0 + $1.count } && report.stopped == nil)
        #expect(report.failures.map { FilePath($0.file.text).name } == ["photo_5.json"])
        #expect(report.imported == 5 && report.count(.described) == 4)
        let lake = try await asset(report, "/killarney-lake_2634391576_o.jpg")
        #expect(lake.title == "Killarney Lake" && lake.caption == "By ShoZu & me\n")
        #expect(lake.keywords == ["lake", "québec"])
        #expect(lake.date?.local.description == "2008-07-01T13:04:18" && lake.date?.offset == nil)
        #expect(lake.location?.latitude == 49.696401 && lake.location?.longitude == -123.159753)
        // The date of the camera stays, and its name is no title.
        let plain = try await asset(report, "/81234567_6ab6f1017f_o.jpg")
        #expect(plain.date?.local.description == "2005-10-01T22:00:00" && plain.title == nil)
        // The date of the upload is none of the photo.
        let uploaded = try await asset(report, "/_300_o.jpg")
        #expect(uploaded.date == nil && uploaded.location?.latitude == -33.856784)
        #expect(try await asset(report, "/waves_4001.mov").title == "Waves")
        #expect(try await names("Trip & more") == ["killarney-lake_2634391576_o.jpg", "waves_4001.mov"])
        #expect(try await names("Sailing") == ["81234567_6ab6f1017f_o.jpg"])
        let summary = try #require(report.summaries.first)
        #expect(summary.service == "flickr" && summary.count("described") == 4)
        #expect(summary.files("withoutFile").map(\.name) == ["photo_999.json"])
        #expect(summary.files("withoutDocument").map(\.name) == ["stranger_o.jpg"])
        #expect(
            summary.notes("unused").map(\.reason) == [
                "the description of the album Trip & more is not imported",
                "the comments of 1 photo are not imported",
            ])
        // Again, nothing changes, and later edits stay.
        let again = try await run()
        #expect(again.imported == 0 && again.count(.described) == 0 && again.count(.present) == 9)
    }

    @Test(
        "are recognized by the names of their archives",
        arguments: [
            ("data-download-12.zip", true), (FlickrMaker.documents, true),
            ("data_72157700000000000_3ac1836c2225_1.zip", true), ("photos.zip", false),
            ("2019_trip_part1.zip", false), ("data-download-1.tar", false),
        ])
    func archives(_ name: String, _ isOne: Bool) {
        #expect(PhotoExports.isArchive(name) == isOne)
    }

    @Test("leaves JSON of other programs alone")
    func others() async throws {
        try Data(#"{"id":"1","name":"x"}"#.utf8).write(to: place.url.appendingPathComponent("photo_1.json"))
        try Data(TinyPhoto.jpeg(salt: 9)).write(to: place.url.appendingPathComponent("x_1_o.jpg"))
        let report = try await run()
        #expect(report.summaries.isEmpty && report.imported == 1 && report.count(.left) == 1)
    }
}

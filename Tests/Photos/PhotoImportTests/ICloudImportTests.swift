import Files
import Foundation
import ImageMetadata
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import ExportDocuments
@testable import PhotoImport

/// An export of iCloud Photos in three parts, in a language, of published descriptions.
struct ICloudMaker {
    /// The names of folders and columns, and a date.
    struct Language: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var part: String
        var deleted = "Recently Deleted"
        var favorites = "Favorites"
        var hidden = "Hidden"
        var memories = "Memories"
        var header = "imgName,fileChecksum,favorite,hidden,deleted,originalCreationDate,viewCount,importDate"
        var list = "Images"
        var yes = "yes"
        /// 2016-06-04 12:11 UTC.
        var date = "Saturday June 4,2016 12:11 PM GMT"
    }

    static let languages = [
        Language(testDescription: "English", part: "iCloud Photos Part # of 3"),
        Language(testDescription: "Norwegian", part: "iCloud-bilder Del # av 3"),
        Language(
            testDescription: "German", part: "iCloud-Fotos Teil # von 3", deleted: "Zuletzt gelöscht",
            favorites: "Favoriten", hidden: "Ausgeblendet", memories: "Rückblicke",
            header: "Bildname,Prüfsumme,Favorit,Ausgeblendet,Gelöscht,Aufnahmedatum,Aufrufe,Importdatum",
            list: "Bilder", yes: "ja", date: "Samstag Juni 4,2016 2:11 PM GMT+2"),
        Language(
            testDescription: "Japanese", part: "iCloud写真 # of 3", deleted: "最近削除した項目", favorites: "お気に入り",
            hidden: "非表示", memories: "メモリー",
            header: "画像名,チェックサム,お気に入り,非表示,削除,作成日,表示回数,読み込み日", list: "画像", yes: "はい",
            date: "2016年6月4日 午後9:11 GMT+9"),
    ]

    var files: [String: [UInt8]] = [:]
    let language: Language

    init(_ language: Language) {
        self.language = language
        func part(_ number: Int) -> String { language.part.replacingOccurrences(of: "#", with: "\(number)") }
        var salt: UInt64 = 0
        func photo(_ path: String, date: String? = nil) {
            salt += 1
            files[path] = TinyPhoto.jpeg(date: date, salt: salt)
        }
        let (one, two, three) = (part(1), part(2), part(3))
        func row(_ name: String, _ favorite: Bool = false, _ hidden: Bool = false, _ deleted: Bool = false)
            -> String
        {
            let marks = [favorite, hidden, deleted].map { $0 ? language.yes : "no" }.joined(separator: ",")
            return
                "\(name),AfQj57ORF2JIumUCjO+PawZ9nqPg,\(marks),\"\(language.date)\",10,\"\(language.date)\"\r\n"
        }
        photo("\(one)/Photos/IMG_1.JPG")
        photo("\(one)/Photos/IMG_E1.JPG")
        photo("\(one)/Photos/IMG_2.JPG", date: "2016:06:04 14:11:09")
        photo("\(one)/Photos/IMG_9.JPG")
        photo("\(one)/Photos/LIVE.JPG")
        files["\(one)/Photos/LIVE.MOV"] = FilmMaker.film(created: 3_000_000_000, seconds: 3)
        files["\(one)/Photos/Photo Details.csv"] = text(
            "\u{FEFF}\(language.header)\r\n" + row("IMG_1.JPG", true) + row("IMG_2.JPG", false, true)
                + row("LIVE.JPG"))
        files["\(one)/Photos/Photo Details-1.csv"] = text(
            "\(language.header)\r\n" + row("IMG_9.JPG") + row("GONE.JPG")
                + row("ERASED.JPG", false, false, true))
        photo("\(two)/Photos/IMG_3.JPG")
        photo("\(two)/Photos/IMG_9.JPG")
        photo("\(two)/Photos/ALONE.JPG")
        photo("\(two)/Photos/OLD.JPG")
        // A date with commas that is not quoted, a name with one, and one whose zone is not known.
        files["\(two)/Photos/Photo Details.csv"] = text(
            "\(language.header)\n\(row("IMG_3.JPG"))\(row("IMG_9.JPG"))\"A, \"\"B\"\".JPG\",x,no,no,no,\(language.date),3,\n"
                + "OLD.JPG,x,no,no,\(language.yes),\"\(language.date)\",0,\n")
        photo("\(two)/Photos/A, \"B\".JPG")
        photo("\(two)/\(language.deleted)/IMG_8.JPG")
        files["\(two)/\(language.deleted)/IMG_8.AAE"] = text("<plist/>")
        photo("\(three)/Shared Albums/Family/IMG_5.JPG")
        files["\(one)/Albums/Trip, 1.csv"] = text(
            "\(language.list)\nIMG_3.JPG\nIMG_9.JPG\nMISSING.JPG\nIMG_1.JPG\n")
        files["\(one)/Albums/\(language.favorites).csv"] = text("imgName\nIMG_3.JPG\n")
        files["\(one)/Albums/\(language.hidden).csv"] = text("imgName\nIMG_2.JPG\n")
        files["\(one)/\(language.memories)/Summer.csv"] = text("imageName\nIMG_1.JPG\n")
        files["\(one)/Albums/Empty.csv"] = text("Images\n")
        files["\(one)/Albums/notes.csv"] = text("a,b\n1,2\n")
    }

    /// How the parts are stored.
    enum Form: CaseIterable, Sendable { case folders, archives, archivesInFolder }

    /// Writes the parts and returns the sources.
    func write(_ form: Form, to place: TemporaryFolder) throws -> [String] {
        let parts = Dictionary(grouping: files.keys) { String($0.split(separator: "/")[0]) }
        for (part, paths) in parts {
            if form == .folders {
                for path in paths {
                    let url = place.url.appendingPathComponent(path)
                    try FileManager.default.createDirectory(
                        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                    try Data(files[path] ?? []).write(to: url)
                }
            } else {
                let zip = ZipMaker(
                    paths.sorted().map {
                        ZipMaker.Entry(String($0.dropFirst(part.count + 1)), files[$0] ?? [])
                    })
                try Data(zip.bytes()).write(to: place.url.appendingPathComponent("\(part).zip"))
            }
        }
        return form == .archives ? parts.keys.sorted().map { place.path("\($0).zip") } : [place.url.path]
    }
}

@Suite("An import of an export of iCloud Photos")
struct ICloudImportTests {
    private let library: TestLibrary
    private let place: TemporaryFolder

    init() async throws {
        library = try await TestLibrary()
        place = try TemporaryFolder()
    }

    private func run(_ sources: [String], trash: Bool = false) async throws -> ImportReport {
        var options = ImportOptions(sources: sources)
        options.takesTrashed = trash
        return try await library.library.performImport(library.library.planImport(options))
    }

    private func names(_ paths: [FilePath]) -> [String] { paths.map(\.name.text).sorted() }

    private func asset(_ report: ImportReport, _ ending: String) async throws -> Asset {
        let outcome = try #require(report.files.first { $0.source.text.hasSuffix(ending) })
        let path = try #require(outcome.path?.text, "\(outcome)")
        return try #require(try await library.library.asset(path: path))
    }

    @Test(
        "gives all files their dates, albums and marks, in any language and form",
        arguments: ICloudMaker.languages, ICloudMaker.Form.allCases)
    func whole(_ language: ICloudMaker.Language, _ form: ICloudMaker.Form) async throws {
        let maker = ICloudMaker(language)
        let report = try await run(try maker.write(form, to: place))
        #expect(report.failures.isEmpty && report.stopped == nil, "\(report.failures)")
        // Discovered = imported + present + attached + refused.
        #expect(report.files.count == maker.files.count)
        #expect(
            report.imported == maker.files.keys.count { $0.hasSuffix(".JPG") || $0.hasSuffix(".MOV") } - 2)
        let cloud = try #require(report.summaries.first)
        #expect(names(cloud.files("withoutFile")) == ["GONE.JPG", "IMG_9.JPG", "MISSING.JPG"])
        #expect(
            names(cloud.files("withoutDetails")) == ["ALONE.JPG"] && cloud.files("withUnreadDate").isEmpty)
        #expect(names(cloud.files("hidden")) == ["IMG_2.JPG"])
        #expect(names(cloud.files("trashed")) == ["IMG_8.JPG", "OLD.JPG"])
        #expect(cloud.texts("albums").sorted() == ["Empty", "Family", "Trip, 1"])
        let taken = 1_465_042_260
        for name in ["/IMG_1.JPG", "/IMG_E1.JPG", "/IMG_3.JPG", "/LIVE.JPG", "/A, \"B\".JPG"] {
            let date = try await asset(report, name).date
            #expect(date?.instant == taken && date?.source == .sidecarDateTimeOriginal, "\(name)")
        }
        // A camera's date stays, with its seconds.
        #expect(try await asset(report, "/IMG_2.JPG").date?.local.description == "2016-06-04T14:11:09")
        let album = try #require(try await library.library.album(named: "Trip, 1"))
        #expect(try await paths(album.id) == ["IMG_1.JPG", "IMG_3.JPG", "IMG_E1.JPG"])
        #expect(try await paths(.picks) == ["IMG_1.JPG", "IMG_3.JPG", "IMG_E1.JPG"])
        let family = try #require(try await library.library.album(named: "Family"))
        #expect(try await paths(family.id) == ["IMG_5.JPG"])
        // Again, nothing changes.
        let again = try await run(form == .archives ? maker.write(form, to: place) : [place.url.path])
        #expect(again.failures.isEmpty && again.imported == 0 && again.files.count == maker.files.count)
        let all = try await library.paths().count
        // With those that were deleted.
        let more = try await run([place.url.path], trash: true)
        #expect(more.failures.isEmpty && more.imported == 3)
        #expect(try await library.paths().count == all + 2)
    }

    private func paths(_ group: AssetGroup.ID) async throws -> [String] {
        try await library.library.assets(try await library.library.albumAssets(group)).map(\.name).sorted()
    }

    @Test("reports archives in archives, and takes no lists of other programs")
    func others() async throws {
        var zip = ZipMaker([ZipMaker.Entry("Photos/a.jpg", TinyPhoto.jpeg(salt: 1))])
        zip.entries.append(ZipMaker.Entry("iCloud Shared Albums.zip", text("PK")))
        try Data(zip.bytes()).write(to: place.url.appendingPathComponent("iCloud Photos Part 1 of 1.zip"))
        try Data(text("Images\na.jpg\n")).write(to: place.url.appendingPathComponent("list.csv"))
        let report = try await run([place.url.path])
        #expect(report.summaries.isEmpty && report.imported == 1)
        #expect(report.failures.count == 1 && report.failures[0].reason.contains("unpack it"))
        #expect(report.files.first { $0.source.name == "list.csv" }?.skipReason == .other)
    }

    @Test(
        "reads dates of many languages and zones",
        arguments: [
            ("Saturday June 4,2016 12:11 PM GMT", 1_465_042_260),
            ("Saturday June 4,2016 12:11 AM GMT", 1_464_999_060),
            ("Saturday June 4, 2016 12:11 GMT", 1_465_042_260),
            ("Saturday June 18,2022 14:00 PM GMT", 1_655_560_800),
            ("samedi juin 4,2016 2:11 PM GMT+2", 1_465_042_260),
            ("sábado junio 4,2016 12:11 PM UTC", 1_465_042_260),
            ("суббота июня 4,2016 12:11 GMT", 1_465_042_260),
            ("Saturday June 4,2016 5:11 AM PDT", 1_465_042_260),
            ("Saturday June 4,2016 5:41 PM GMT+05:30", 1_465_042_260),
            ("2016년 6월 4일 오후 9:11 GMT+9", 1_465_042_260),
            ("Thursday January 1,1970 12:00 AM GMT", 0), ("Saturday June 4,2016 12:11 PM", nil),
            ("Saturday June 31,2016 12:11 PM GMT", nil), ("", nil), ("12:11", nil), ("June", nil),
            ("Saturday Foo 4,2016 12:11 PM GMT", nil), ("Saturday June 4,2016 25:11 PM GMT", nil),
            ("Saturday June 4,2016 12:11 PM GMT+99", nil),
        ] as [(String, Int?)])
    func dates(_ text: String, _ seconds: Int?) { #expect(ICloudDate.seconds(text) == seconds) }

    @Test("reads no list of bytes at random")
    func hostile() {
        var random = SplitMix64(seed: 4)
        let letters = Array("imgName,\"\r\n\u{0}é;x".utf8) + [0xFF]
        for _ in 0..<2000 {
            let bytes = (0..<Int(random.next() % 80)).map { _ in
                letters[Int(random.next() % UInt64(letters.count))]
            }
            if case .details? = ICloudList(bytes) { Issue.record("\(bytes)") }
        }
    }
}

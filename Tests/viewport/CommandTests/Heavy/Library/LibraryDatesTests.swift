import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("viewport library with incomplete metadata")
struct LibraryDatesTests {
    private let folder: TemporaryFolder

    /// The modification time of every file.
    private static let fileTime = "2015-06-07T08:09:10"

    init() throws {
        folder = try TemporaryFolder()
    }

    private func run(_ arguments: String...) async throws -> BuiltProgram.Result {
        try await BuiltProgram("viewport").run(
            ["library"] + arguments, in: folder.url,
            environment: ["XDG_DATA_HOME": folder.path("data"), "XDG_CACHE_HOME": folder.path("cache")])
    }

    private func write(_ path: String, _ bytes: [UInt8]) throws {
        let url = folder.url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
        let time = try Date("\(Self.fileTime)Z", strategy: .iso8601)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: url.path)
    }

    /// Writes photos, two of which have a date neither in their metadata nor in their names.
    private func writePhotos(into folder: String) throws {
        let names = [
            "DSC_2019.jpg", "IMG_20191399.jpg", "IMG-20190704-WA0001.jpg", "2019-07-04 12.30.00.jpg",
            "Screenshot_20190704-123001.jpg",
        ]
        for (salt, name) in names.enumerated() {
            try write("\(folder)/\(name)", TinyPhoto.jpeg(salt: UInt64(salt)))
        }
        // The camera's date takes precedence over the name.
        try write("\(folder)/IMG_20200101.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00", salt: 9))
    }

    private func makeLibrary() async throws {
        try writePhotos(into: "photos")
        #expect(try await run("init", "photos").code == 0)
        #expect(try await run("index", "photos").code == 0)
    }

    private static let undated = ["DSC_2019.jpg", "IMG_20191399.jpg"]

    @Test("dates photos by their metadata and names, never by modification times")
    func list() async throws {
        try await makeLibrary()
        let lines = try await run("list", "photos", "--json").lines
        let told = lines.map { line in
            ["path", "date", "dateSource"].map { line[$0] as? String ?? "null" }.joined(separator: " ")
        }
        #expect(
            told == [
                "IMG_20200101.jpg 2014-05-25T10:00:00 DateTimeOriginal",
                "IMG-20190704-WA0001.jpg 2019-07-04 FileName",
                "2019-07-04 12.30.00.jpg 2019-07-04T12:30:00 FileName",
                "Screenshot_20190704-123001.jpg 2019-07-04T12:30:01 FileName",
                "DSC_2019.jpg null null", "IMG_20191399.jpg null null",
            ])
        #expect(try await run("stats", "photos", "--json").json["undated"] as? Int == 2)
        #expect(try await run("show", "photos", "DSC_2019.jpg").text.contains("date       Undated\n"))
        let named = try await run("show", "photos", "IMG-20190704-WA0001.jpg").text
        #expect(named.contains("date from  FileName, a guess\n"))
    }

    @Test("lists undated photos last in either order, labeled as undated")
    func order() async throws {
        try await makeLibrary()
        for sort in ["asc", "desc"] {
            for unit in ["year", "month", "week", "day", "hour"] {
                let table = try await run("list", "photos", "--group-by", unit, "--sort", sort, "--entries")
                #expect(table.text.hasSuffix("2  Undated\n"), "\(unit) \(sort)")
                let entries = try await run(
                    "list", "photos", "--group-by", unit, "--sort", sort, "--entries", "--json"
                ).lines
                #expect(entries.map { $0["group"] is NSNull }.lastIndex(of: false) == entries.count - 2)
            }
            let paths = try await run("list", "photos", "--sort", sort, "--json").lines.map {
                $0["path"] as? String
            }
            #expect(Set(paths.suffix(2)) == Set(Self.undated), "\(sort)")
            #expect(paths.first == (sort == "asc" ? "IMG_20200101.jpg" : "Screenshot_20190704-123001.jpg"))
        }
        let rows = try await run("list", "photos", "--group-by", "day").text.split(separator: "\n")
        #expect(rows.suffix(2).allSatisfy { $0.matches(of: /Undated/).count == 2 })
    }

    @Test(
        "excludes undated photos from every range of dates",
        arguments: [
            (["--from", "2015", "--to", "2015"], 0), (["--to", "9999"], 4), (["--from", "1000"], 4),
            (["--from", "2019-07-04", "--to", "2019-07-04"], 3),
        ])
    func spans(_ span: [String], _ count: Int) async throws {
        try await makeLibrary()
        for sort in ["asc", "desc"] {
            let result = try await BuiltProgram("viewport").run(
                ["library", "list", folder.path("photos"), "--json", "--sort", sort] + span)
            #expect(result.code == 0 && result.lines.count == count)
        }
    }

    @Test("dates photos by modification times on request, until that is reverted")
    func fileTimes() async throws {
        try await makeLibrary()
        func dates() async throws -> Set<String> {
            let lines = try await run("list", "photos", "--json").lines
            return Set(
                lines.filter { Self.undated.contains($0["path"] as? String ?? "") }.map {
                    "\($0["date"] as? String ?? "null") \($0["dateSource"] as? String ?? "null")"
                })
        }
        #expect(try await dates() == ["null null"])
        let dated = try await run("index", "photos", "--undated-by", "file-time", "--json")
        #expect((dated.json["index"] as? [String: Any])?["updated"] as? Int == 2)
        #expect(try await dates() == ["\(Self.fileTime) FileTime"])
        #expect(try await run("stats", "photos", "--json").json["undated"] as? Int == 0)
        #expect(
            try await run("list", "photos", "--from", "2015", "--to", "2015", "--json").lines.count == 2)
        // Without another request, photos that are moved or edited keep their dates, and new ones are undated.
        try FileManager.default.moveItem(
            atPath: folder.path("photos/DSC_2019.jpg"), toPath: folder.path("photos/x.jpg"))
        try write("photos/IMG_20191399.jpg", TinyPhoto.jpeg(salt: 77))
        try write("photos/new.jpg", TinyPhoto.jpeg(salt: 78))
        #expect(try await run("index", "photos").code == 0)
        #expect(try await dates() == ["\(Self.fileTime) FileTime"])
        #expect(
            try await run("show", "photos", "x.jpg", "--json").json["dateSource"] as? String == "FileTime")
        #expect(try await run("stats", "photos", "--json").json["undated"] as? Int == 1)
        #expect(try await run("index", "photos", "--undated-by", "nothing").code == 0)
        #expect(try await dates() == ["null null"])
        #expect(try await run("stats", "photos", "--json").json["undated"] as? Int == 3)
        #expect(try await run("verify", "photos").code == 0)
    }

    @Test("imports undated photos into a separate folder, unless modification times are requested")
    func layouts() async throws {
        try writePhotos(into: "card")
        #expect(try await run("init", "photos").code == 0)
        func plan(_ options: String...) async throws -> Set<String> {
            let result = try await BuiltProgram("viewport").run(
                ["library", "import", "photos", "card", "--dry-run", "--json"] + options, in: folder.url)
            return Set(result.lines.compactMap { $0["path"] as? String })
        }
        let dated: Set = [
            "2014/2014-05-25/IMG_20200101.jpg", "2019/2019-07-04/IMG-20190704-WA0001.jpg",
            "2019/2019-07-04/2019-07-04 12.30.00.jpg", "2019/2019-07-04/Screenshot_20190704-123001.jpg",
        ]
        #expect(try await plan() == dated.union(["undated/DSC_2019.jpg", "undated/IMG_20191399.jpg"]))
        #expect(try await plan("--layout", "{original}.{ext}").contains("DSC_2019.jpg"))
        #expect(
            try await plan("--undated-by", "file-time")
                == dated.union(["2015/2015-06-07/DSC_2019.jpg", "2015/2015-06-07/IMG_20191399.jpg"]))
        #expect(try await run("import", "photos", "card", "--undated-by", "file-time").code == 0)
        let asset = try await run("show", "photos", "2015/2015-06-07/DSC_2019.jpg", "--json").json
        #expect(
            asset["date"] as? String == Self.fileTime && asset["dateSource"] as? String == "FileTime")
        #expect(try await run("import", "photos", "card", "--json").json["taken"] as? Int == 0)
    }

    @Test(
        "refuses invalid dates",
        arguments: ["2014-13", "2023-02-29", "2014-00", "2014-05-32", "2014-05-25T24", "x", "", "20"])
    func noDate(_ text: String) async throws {
        #expect(try await run("init", "photos").code == 0)
        for option in ["--from", "--to"] {
            let result = try await run("list", "photos", "\(option)=\(text)")
            #expect(result.code == 64 && result.errors.contains(option) && result.output.isEmpty)
        }
        #expect(try await run("list", "photos", "--from", "2024-02-29").code == 0)
    }

    @Test("names places once a list of towns is installed, and explains how to install one")
    func places() async throws {
        try write(
            "a.gpx",
            Array(
                """
                <gpx><trk><trkseg><trkpt lat="47.05" lon="8.3"><time>2014-05-25T08:00:00Z</time></trkpt>
                <trkpt lat="47.05" lon="8.31"><time>2014-05-25T08:01:00Z</time></trkpt></trkseg></trk></gpx>
                """.utf8))
        try write(
            "towns.csv",
            Array(
                "lat,lon,name,admin1,admin2,cc\n47.05048,8.30635,Luzern,Lucerne,,CH\n-33,18,Che,,,ZA\n".utf8))
        for library in ["one", "two"] {
            try write("\(library)/a.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:30"))
            try write("\(library)/b.jpg", TinyPhoto.jpeg(salt: 1))
            #expect(try await run("init", library).code == 0)
            let index = try await run(
                "index", library, "--gpx", "a.gpx", "--assume-zone", "Europe/Zurich", "--json")
            #expect((index.json["geotag"] as? [String: Any])?["located"] as? Int == 1)
            let bare = try await run("list", library, "--group-by", "place", "--json")
            #expect(
                bare.code == 0 && bare.lines.allSatisfy { $0["place"] is NSNull && $0["group"] is NSNull })
            #expect(bare.errors.contains("viewport library places install"))
            #expect(bare.errors.split(separator: "\n").count == 1)
            #expect(try await run("find", library, "switzerland", "--json").lines.isEmpty)
        }
        #expect(try await run("places", "install", "towns.csv").code == 0)
        let named = try await run("list", "one", "--group-by", "place")
        #expect(named.errors.isEmpty && named.text.contains("Luzern, Lucerne, CH"))
        #expect(try await run("list", "one", "--group-by", "place", "--entries").text.contains("1  No place"))
        // The other library was not listed before it is searched.
        for words in ["switzerland", "Switz", "ch", "switzerland luzern"] {
            let found = try await run("find", "two", words, "--json").lines
            #expect(found.map { $0["path"] as? String } == ["a.jpg"], "\(words)")
        }
        #expect(try await run("find", "two", "south africa", "--json").lines.isEmpty)
        #expect(try await run("list", "two", "--place", "SWITZER", "--json").lines.count == 1)
        #expect(try await run("verify", "two").code == 0)
        // A photo that is located later gets a place name, too. Another list of towns replaces the names.
        try write("two/c.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:40", salt: 2))
        #expect(
            try await run("index", "two", "--gpx", "a.gpx", "--assume-zone", "Europe/Zurich").code == 0)
        #expect(try await run("find", "two", "switzerland", "--json").lines.count == 2)
        try write(
            "towns.csv", Array("lat,lon,name,admin1,admin2,cc\n47.05048,8.30635,Lucerna,,,IT\n".utf8))
        #expect(try await run("places", "install", "towns.csv").code == 0)
        #expect(try await run("find", "two", "italy lucerna", "--json").lines.count == 2)
        #expect(try await run("find", "two", "switzerland", "--json").lines.isEmpty)
    }
}

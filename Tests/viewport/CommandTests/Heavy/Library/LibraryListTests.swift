import Foundation
import TestHarness
import TestSupport
import Testing
import Vips

@Suite("viewport library")
struct LibraryListTests {
    let library: LibraryProgram

    init() async throws {
        library = try LibraryProgram()
        try library.write("library/b/IMG_2.jpg", TinyPhoto.jpeg(date: "2014:05:26 10:00:00", salt: 2))
        try library.write(
            "library/IMG_1.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00", make: "Nikon", salt: 1))
        try library.write(
            "library/Screenshot.png",
            try TestImages.photo(width: 8, height: 6).saved(with: "pngsave_buffer", [:]))
        #expect(try await library.run("init").code == 0)
        let index = try await library.run("index", "--json")
        #expect(index.code == 0)
        #expect((index.json["index"] as? [String: Any])?["inserted"] as? Int == 3)
    }

    @Test("lists assets with exactly the documented fields")
    func fields() async throws {
        let result = try await library.run("list", "--json", "--group-by", "day", "--filter", "jpeg")
        #expect(result.lines.map { $0["path"] as? String } == ["IMG_1.jpg", "b/IMG_2.jpg"])
        let first = try #require(result.text.split(separator: "\n").first)
        let sha256 = try #require(result.lines[0]["sha256"] as? String)
        let bytes = try library.folder.data("library/IMG_1.jpg").count
        let id = try #require(result.lines[0]["id"] as? Int)
        #expect(
            first == """
                {"id":\(id),"path":"IMG_1.jpg","kind":"photo","width":40,"height":30,\
                "date":"2014-05-25T10:00:00","offset":null,"dateSource":"DateTimeOriginal","location":null,\
                "place":null,"make":"Nikon","model":null,"lens":null,"title":null,"caption":null,\
                "keywords":[],"rating":null,"label":null,"burst":null,"stack":null,"sha256":"\(sha256)","bytes":\(bytes),\
                "group":20140525,"indexPath":[0,0]}
                """)
        let assumed = try await library.run("list", "--json", "--assume-zone", "Europe/Paris")
        #expect(assumed.lines[0]["offset"] as? String == "+02:00")
    }

    @Test(
        "lists only the selected assets",
        arguments: [
            (["--sort", "date:desc", "--filter", "jpeg"], ["b/IMG_2.jpg", "IMG_1.jpg"]),
            (["--from", "2014-05-26", "--to", "2014"], ["b/IMG_2.jpg"]),
            (["--filter", "png"], ["Screenshot.png"]),
            (["--filter", "screenshot,video"], ["Screenshot.png"]), (["--to", "2014-05-25"], ["IMG_1.jpg"]),
            (["--limit", "1"], ["IMG_1.jpg"]), (["--near", "47,8,10"], []), (["--album", "Picks"], []),
        ])
    func selection(_ arguments: [String], _ paths: [String]) async throws {
        let result = try await library.run(all: ["library", "list", library.root, "--json"] + arguments)
        #expect(result.code == 0)
        #expect(result.lines.compactMap { $0["path"] as? String } == paths)
    }

    @Test("keeps albums and picks")
    func albums() async throws {
        #expect(try await library.run(all: ["library", "albums", "create", library.root, "Best"]).code == 0)
        #expect(try await library.run(all: ["library", "albums", "create", library.root, "Best"]).code == 64)
        #expect(
            try await library.run(all: ["library", "albums", "add", library.root, "Best", "IMG_1.jpg"]).code
                == 0)
        #expect(try await library.run("list", "--album", "Best", "--json").lines.count == 1)
        let albums = try await library.run("albums", "--json").lines
        #expect(albums.map { $0["name"] as? String } == ["Picks", "Best"])
        #expect(albums.map { $0["count"] as? Int } == [0, 1])
        #expect(
            try await library.run(all: ["library", "albums", "remove", library.root, "Best", "IMG_1.jpg"])
                .code == 0
        )
        #expect(try await library.run("list", "--album", "Best", "--json").lines.isEmpty)
        #expect(try await library.run("list", "--album", "None").code == 64)
    }

    @Test("finds words, shows an asset, counts and groups")
    func reports() async throws {
        #expect(
            try await library.run("find", "nik", "--json").lines.map { $0["path"] as? String } == [
                "IMG_1.jpg"
            ])
        #expect(
            try await library.run("show", "b/IMG_2.jpg", "--json").json["path"] as? String == "b/IMG_2.jpg")
        #expect(try await library.run("show", "none.jpg").code == 64)
        #expect(try await library.run("stats", "--json").json["assets"] as? Int == 3)
        let groups = try await library.run("groups", "--json").lines
        #expect(groups.map { $0["name"] as? String } == ["", "Picks", "", "b"])
        let table = try await library.run("list").text.split(separator: "\n")
        #expect(table.count == 4 && table[0].contains("PATH"))
    }

    @Test("finds identical and similar pictures, and names files that cannot be decoded")
    func duplicates() async throws {
        try library.write(
            "library/copy.jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00", make: "Nikon", salt: 1))
        let photo = try TestImages.photo(width: 64, height: 48, seed: 5)
        try photo.save(library.folder.path("library/large.png"), with: "pngsave")
        try photo.scaled(by: 0.5).save(library.folder.path("library/small.png"), with: "pngsave")
        try photo.save(library.folder.path("library/same.tif"), with: "tiffsave")
        try await library.run("index")
        func paths(_ by: String) async throws -> [[String]] {
            let result = try await library.run("duplicates", "--by", by, "--json")
            #expect(result.code == (by == "bytes" ? 0 : 3))
            return result.lines.map { group in
                (group["assets"] as? [[String: Any]] ?? []).compactMap { $0["path"] as? String }
            }
        }
        #expect(try await paths("bytes") == [["IMG_1.jpg", "copy.jpg"]])
        #expect(try await paths("pixels") == [["large.png", "same.tif"]])
        #expect(try await paths("looks") == [["large.png", "same.tif", "small.png"]])
    }

    @Test("verifies files and catalog")
    func verify() async throws {
        #expect(try await library.run("verify").code == 0)
        // Other bytes with the same size and time, like on a failing disk.
        let path = library.folder.path("library/IMG_1.jpg")
        let time = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        var bytes = try library.folder.data("library/IMG_1.jpg")
        bytes[bytes.count - 3] ^= 1
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.write(contentsOf: bytes)
        try handle.close()
        try FileManager.default.setAttributes([.modificationDate: try #require(time)], ofItemAtPath: path)
        let damaged = try await library.run("verify", "--json")
        // File times are set only to the microsecond, so the catalog may find a different time.
        #expect(damaged.code == 3 && (damaged.json["failures"] as? [[String: Any]])?.count == 1)
        let catalog = library.folder.path("library/.viewport-library/catalogue.sqlite")
        try Data(repeating: 7, count: 50_000).write(to: URL(fileURLWithPath: catalog))
        #expect(try await library.run("list").code == 65)
        #expect(try await library.run("verify", "--repair").code == 0)
        #expect(try await library.run("list", "--json").lines.count == 3)
    }

    @Test("exports copies and replaces nothing")
    func export() async throws {
        let out = library.folder.path("out")
        #expect(
            try await library.run("export", "-o", out, "--layout", "{original}", "--filter", "jpeg").code == 0
        )
        #expect(library.folder.files(below: "out") == ["IMG_1.jpg", "IMG_2.jpg"])
        try library.write("out/IMG_2.jpg", [1, 2, 3])
        #expect(
            try await library.run("export", "-o", out, "--layout", "{original}", "--filter", "jpeg").code == 0
        )
        #expect(library.folder.files(below: "out") == ["IMG_1.jpg", "IMG_2 (2).jpg", "IMG_2.jpg"])
    }

    @Test("makes a contact sheet")
    func sheet() async throws {
        let sheet = library.folder.path("sheet.png")
        let result = try await library.run(
            "sheet", "-o", sheet, "--filter", "png", "--columns", "2", "--side", "64")
        #expect(result.code == 0)
        #expect(
            try await library.run(all: ["info", sheet, "--json"]).json["width"] as? Int == 12 + 2 * (64 + 12))
    }

    @Test("names files that cannot be shown on a contact sheet, and shows the others")
    func sheetWithoutVideos() async throws {
        try library.write("library/film.mp4", [0, 0, 0, 24] + Array("ftypisom".utf8) + [0, 0, 0, 0])
        try await library.run("index")
        let sheet = library.folder.path("sheet.png")
        let arguments = ["library", "sheet", library.root, "-o", sheet, "--filter", "png,video"]
        // The program that decodes videos is not found.
        let result = try await library.run(all: arguments, in: ["PATH": "/nonexistent"])
        #expect(result.code == 3)
        #expect(result.errors.contains("film.mp4") && result.errors.contains("ffmpeg"), "\(result.errors)")
        #expect(try await library.run(all: ["info", sheet]).code == 0)
    }

    @Test(
        "reports errors in one sentence",
        arguments: [
            (["list", "/none"], 66), (["index", "/none"], 66), (["list", "ROOT", "--near", "1,2"], 64),
            (["import", "ROOT", "/none"], 66), (["import", "ROOT", "ROOT"], 64), (["init", "ROOT"], 64),
            (["import", "ROOT", "/tmp", "--layout", "{nope}"], 64),
            (["index", "ROOT", "--gpx", "/none"], 66),
            (["places", "install", "/none"], 66), (["index", "ROOT", "/elsewhere"], 64),
        ])
    func errors(_ arguments: [String], _ code: Int) async throws {
        let result = try await library.run(
            all: ["library"] + arguments.map { $0 == "ROOT" ? library.root : $0 })
        #expect(Int(result.code) == code)
        #expect(result.errors.hasPrefix("viewport: ") || code == 64)
    }
}

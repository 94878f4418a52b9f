import Foundation
import TestSupport
import Testing
import Vips

@Suite("viewport library export")
struct LibraryExportTests {
    private let scene: ImportScene
    private let photo = ImportScene.photo(1)

    init() throws { scene = try ImportScene() }

    private func export(_ arguments: String...) async throws -> BuiltProgram.Result {
        try await scene.program.run(
            ["library", "export", scene.library, "-o", scene.folder.path("out"), "--layout", "{name}"]
                + arguments,
            environment: scene.environment)
    }

    private func index() async throws {
        _ = try await scene.run("init")
        #expect(try await scene.run("index").code == 0)
    }

    @Test("copies XMP and AAE files under the new name of the photo")
    func sidecars() async throws {
        try scene.put("library/a/A.JPG", photo)
        try scene.put("library/a/A.AAE", Array("edits".utf8))
        let sidecar = XMPMaker.packet([("xmp:Rating", "1")])
        try scene.put("library/a/A.JPG.xmp", Array(sidecar.utf8))
        try scene.put("library/a/B.AAE", Array("of another".utf8))
        try scene.put("out/A.JPG", Array("a user's".utf8))
        try await index()
        let result = try await export("--json")
        #expect(result.code == 0)
        #expect(result.lines.map { $0["sidecar"] as? Bool } == [false, true, true])
        let names = ["A (2).AAE", "A (2).JPG", "A (2).JPG.xmp", "A.JPG"]
        #expect(scene.folder.names.contains("out") && scene.folder.files(below: "out") == names)
        #expect(try scene.folder.data("out/A.JPG") == Data("a user's".utf8))
        #expect(try scene.folder.data("out/A (2).AAE") == Data("edits".utf8))
        // Nothing is copied twice.
        #expect(try await export().code == 0)
        #expect(scene.folder.files(below: "out") == names)
    }

    @Test("makes folders with the permissions that the umask leaves, as imports do; catalogs are private")
    func permissions() async throws {
        try scene.put("card/A.JPG", photo)
        let shell = try #require(BuiltProgram(installed: "bash"))
        let commands = """
            umask 027
            "$0" library init library && "$0" library import library card --layout sub/{name} &&
                "$0" library export library -o out --layout sub/{name}
            """
        let run = try await shell.run(
            ["-c", commands, scene.program.url.path], in: scene.folder.url, environment: scene.environment)
        #expect(run.code == 0, "\(run.errors)")
        let folders = ["library", "library/sub", "out", "out/sub"]
        for name in folders + ["library/.viewport-library"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: scene.folder.path(name))
            let isPrivate = name.hasSuffix(".viewport-library")
            #expect(attributes[.posixPermissions] as? Int == (isPrivate ? 0o700 : 0o750), "\(name)")
        }
    }

    /// Bytes that no file without positions may hold.
    private static let positions =
        ["GPS", "geo:", "46.2", "46,12", "6,8.4", "WGS-84", "g\0e\0o\0"].map { Data($0.utf8) } + [
            // The latitude as EXIF's rationals.
            Data([46, 0, 0, 0, 1, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0])
        ]

    /// A photo with its position wherever programs write one.
    private func locatedPhoto() throws -> [UInt8] {
        let place: [(Int, ExifBuilder.Value)] = [
            (1, .text("N")), (2, .rationals([(46, 1), (12, 1), (0, 1)])), (3, .text("E")),
            (4, .rationals([(6, 1), (84, 10), (0, 1)])), (0x0012, .text("WGS-84")),
        ]
        let builder = ExifBuilder(bigEndian: false)
        let words: [UInt8] = "geo:lat=46.2;lake".utf8.flatMap { [$0, 0] }
        let exif = builder.block([
            (0x010F, .text("Maker")), (0x9C9E, .bytes(words)),
            (
                0x8769,
                .directory([(0x9003, .text("2014:05:25 10:00:00")), (0x927C, .bytes(Array("GPS 46.2".utf8)))])
            ),
            (0x8825, .directory(place)),
        ])
        let tags = ["lake", "geo:lat=46.2", "GEO:lon=6.14", "geo:46.2,6.14", "geotagged"]
        func bag(_ name: String, _ words: [String]) -> String {
            "<\(name)><rdf:Bag>\(words.map { "<rdf:li>\($0)</rdf:li>" }.joined())</rdf:Bag></\(name)>"
        }
        let xmp = XMPMaker.packet(
            [
                ("exif:GPSLatitude", "46,12.0N"), ("exif:GPSLongitude", "6,8.4E"),
                ("exif:GPSMapDatum", "WGS-84"),
            ],
            elements: bag("dc:subject", tags)
                + bag("lr:hierarchicalSubject", ["geo|lat=46.2", "nature|lake"]))
        let iptc = PhotoMaker.iptc(tags.map { (25, $0) })
        // The preview is a JPEG with metadata of its own.
        let preview = PhotoMaker.jpeg(width: 16, height: 12, exif: exif, xmp: xmp)
        let pixels = try TestImages.photo(width: 240, height: 160).saved(
            with: "jpegsave_buffer", ["strip": .bool(true)])
        let head = PhotoMaker.jpeg(
            exif: exif, xmp: xmp, iptc: iptc,
            more: [(0xE2, Array("MPF\0".utf8) + preview), (0xFE, Array("geo:46.2,6.14".utf8))])
        // The segments before the frame header, then the picture, then a picture behind its end.
        let frames = head.indices.dropLast().filter { head[$0] == 0xFF && head[$0 + 1] == 0xC0 }
        let frame = try #require(frames.last)
        return [UInt8](head[..<frame]) + pixels.dropFirst(2) + preview
    }

    @Test(
        "leaves out positions in EXIF, XMP, IPTC, previews, sidecars and machine tags",
        arguments: [
            [], ["--size", "100"], ["--format", "png"], ["--format", "webp"],
            ["--format", "jpeg", "--size", "100"],
            ["--keep-metadata", "none"],
        ])
    func positions(_ way: [String]) async throws {
        let bytes = try locatedPhoto()
        try scene.put("library/A.JPG", bytes)
        try scene.put("library/B.JPG", bytes + [0])
        let tags =
            "<dc:subject><rdf:Bag><rdf:li>GEO:LAT=46.2</rdf:li><rdf:li>boat</rdf:li></rdf:Bag></dc:subject>"
        let sidecar = XMPMaker.packet(
            [("exif:GPSLatitude", "46,12.0N"), ("exif:GPSLongitude", "6,8.4E")], elements: tags)
        try scene.put("library/B.JPG.xmp", Array(sidecar.utf8))
        try scene.put("library/B.THM", bytes)
        try scene.put("library/B.AAE", Array("geo:46.2,6.14".utf8))
        try await index()
        let listed = try await scene.run("list", "--json").lines
        #expect(listed.count == 2 && listed.allSatisfy { $0["location"] is [String: Any] })
        // Without the option all of this is copied, so the bytes below can be found.
        #expect(try await export().code == 0)
        let copies = try scene.contents("out")
        #expect(copies.count == 5)
        for text in Self.positions {
            #expect(copies.values.contains { $0.range(of: text) != nil }, "\(text)")
        }
        try FileManager.default.removeItem(atPath: scene.folder.path("out"))
        let result = try await scene.program.run(
            ["library", "export", scene.library, "-o", scene.folder.path("out"), "--layout", "{name}"]
                + ["--strip-location"] + way, environment: scene.environment)
        #expect(result.code == 0, "\(result.errors)")
        let files = try scene.contents("out")
        #expect(files.count == 2, "\(files.keys.sorted())")
        for (name, file) in files {
            for text in Self.positions {
                #expect(file.range(of: text) == nil, "\(name) holds \(text)")
            }
        }
        // Other words stay.
        let out = scene.folder.path("out")
        for arguments in [["init", out], ["index", out]] {
            #expect(
                try await scene.program.run(["library"] + arguments, environment: scene.environment).code == 0
            )
        }
        let list = ["library", "list", out, "--json"]
        let found = try await scene.program.run(list, environment: scene.environment).lines
        #expect(found.allSatisfy { $0["location"] is NSNull })
        let words = found.map { $0["keywords"] as? [String] ?? [] }.sorted { $0.count > $1.count }
        #expect(words == (way.contains("none") ? [[], []] : [["lake", "geotagged"], ["boat"]]))
    }

    @Test("does not copy a file whose bytes were lost since it was indexed")
    func damaged() async throws {
        try scene.put("library/A.JPG", photo, modified: 1_400_000_000)
        try await index()
        try scene.put("library/A.JPG", [UInt8](repeating: 0, count: photo.count), modified: 1_400_000_000)
        let result = try await export()
        #expect(result.code == 3 && result.errors.contains("other bytes than when it was indexed"))
        #expect(scene.folder.files(below: "out").isEmpty)
    }

    @Test("replaces no files of the library, no link targets and no folders")
    func attacked() async throws {
        try scene.put("library/A.JPG", photo)
        try scene.put("precious", Array("words".utf8))
        try await index()
        try FileManager.default.createDirectory(
            atPath: scene.folder.path("out/A (2).JPG"), withIntermediateDirectories: true)
        try scene.link("out/A.JPG", to: "precious")
        #expect(try await export().code == 0)
        #expect(try scene.folder.data("precious") == Data("words".utf8))
        #expect(try scene.folder.data("out/A (3).JPG") == Data(photo))
        // An export into the library itself finds every file present.
        let itself = try await scene.run("export", "-o", scene.library, "--layout", "{name}")
        #expect(itself.code == 0)
        #expect(try scene.contents("library").keys.sorted() == ["A.JPG"])
    }
}

@Suite("viewport library index")
struct LibraryIndexTests {
    @Test(
        "counts other files by extension, names them on request, and fails for photo extensions")
    func others() async throws {
        let scene = try ImportScene()
        try scene.put("library/A.JPG", ImportScene.photo(1))
        for name in ["a.txt", "b.TXT", "c.pdf", "README"] {
            try scene.put("library/x/\(name)", Array("words".utf8))
        }
        _ = try await scene.run("init")
        let first = try await scene.run("index")
        #expect(first.code == 0 && first.text.contains("4 others (2 txt, 1 without ending, 1 pdf)"))
        try scene.put("library/C.CR2", Array("no raw file".utf8))
        for _ in 0..<2 {
            // The second run knows the file from the first.
            let result = try await scene.run("index", "--show-others", "--json")
            #expect(result.code == 3 && result.errors.contains("C.CR2: has the ending of a photo"))
            #expect(
                (result.json["others"] as? [String])?.sorted() == [
                    "x/README", "x/a.txt", "x/b.TXT", "x/c.pdf",
                ])
        }
        #expect(try await scene.run("index", "--show-others").text.contains("\nother x/a.txt"))
    }
}

import Foundation
import TestSupport
import Testing

@Suite("viewport library has")
struct LibraryHasTests {
    private let scene: ImportScene

    init() throws { scene = try ImportScene() }

    private func has(_ options: String..., sources: [String] = []) async throws -> BuiltProgram.Result {
        try await scene.program.run(
            ["library", "has", scene.library] + (sources.isEmpty ? [scene.card] : sources) + options,
            environment: scene.environment)
    }

    /// Imports the card.
    private func fill(_ options: String...) async throws {
        let result = try await scene.program.run(
            ["library", "import", scene.library, scene.card] + options, environment: scene.environment)
        try #require(result.code == 0 || result.code == 3, "\(result.errors)")
    }

    /// The states of the files by their names.
    private func states(_ result: BuiltProgram.Result) -> [String: String] {
        result.lines.reduce(into: [:]) { states, line in
            guard let source = line["source"] as? String else { return }
            states[source.split(separator: "/").last.map(String.init) ?? ""] =
                (line["state"] as? String ?? "") + ((line["by"] as? String).map { " \($0)" } ?? "")
        }
    }

    @Test("finds all files, and says in one sentence that the source can be deleted")
    func complete() async throws {
        try scene.put("card/A.JPG", ImportScene.photo(1))
        try scene.put("card/A.xmp", Array("<x:xmpmeta/>".utf8))
        try scene.put("card/B.JPG", ImportScene.photo(2))
        try scene.put("card/B.AAE", Array("<plist/>".utf8))
        try scene.put("card/copy of B.JPG", ImportScene.photo(2))
        try scene.put("card/sub/C.JPG", [])
        try await fill("--unreadable", "copy")
        let result = try await has()
        #expect(result.code == 0, "\(result.text)\(result.errors)")
        #expect(result.text == "All 6 files are in the library: the source can be deleted.\n")
        let json = try await has("--json")
        #expect(json.lines.count == 7 && json.lines.last?["complete"] as? Bool == true)
        #expect(json.lines.last?["trusted"] as? Bool == false)
        let paths = json.lines.compactMap { $0["path"] as? String }
        #expect(paths.count == 6 && paths.filter { $0 == "2014/2014-05-25/B.JPG" }.count == 2, "\(paths)")
        let trusting = try await has("--trust-catalog")
        #expect(trusting.code == 0 && trusting.text.contains("the library's files were not read again."))
        // The files named one by one, and nothing at all.
        let one = try await has(sources: [scene.card + "/A.JPG"])
        #expect(one.text == "The file is in the library: the source can be deleted.\n")
        try FileManager.default.createDirectory(
            atPath: scene.folder.path("empty"), withIntermediateDirectories: true)
        let none = try await has(sources: [scene.folder.path("empty")])
        #expect(none.code == 0 && none.text == "The source has no files.\n")
    }

    @Test("names what is missing, also hidden files, links and files that are no photos")
    func missing() async throws {
        try scene.put("card/A.JPG", ImportScene.photo(1))
        try await fill()
        try scene.put("card/new.JPG", ImportScene.photo(9, day: 24))
        try scene.put("card/notes.txt", Array("words".utf8))
        try scene.put("card/.hidden/H.JPG", ImportScene.photo(3, day: 23))
        try scene.put("card/.hidden/A again.JPG", ImportScene.photo(1))
        try scene.link("card/L.JPG", to: "card/A.JPG")
        try scene.link("card/folder", to: "card/.hidden")
        try scene.link("card/nothing.JPG", to: "nowhere")
        let before = try scene.contents("library")
        let result = try await has("--json")
        #expect(result.code == 3, "\(result.errors)")
        #expect(
            states(result) == [
                "A.JPG": "present", "new.JPG": "missing", "notes.txt": "missing", "H.JPG": "missing",
                "A again.JPG": "present", "L.JPG": "present", "folder": "missing", "nothing.JPG": "missing",
            ])
        let text = try await has("--all").text
        #expect(text.contains("there    \(scene.card)/A.JPG = 2014/2014-05-25/A.JPG\n"))
        #expect(text.contains("missing  \(scene.card)/notes.txt: is not in the library\n"))
        #expect(
            text.hasSuffix(
                "5 of 8 files are not in the library: 5 missing, 3 of these photos or videos.\n"))
        #expect(try scene.contents("library") == before)
    }

    /// Files of cards beside photos, by the makers of their cameras.
    static let sideFiles = [
        ".hidden.thm", "MISC/AUTPRINT.MRK", "DCIM/CANONMSC/M0100.CTG", "DCIM/100NIKON/NC_FLLST.DAT",
        "AVF_INFO/AVIN0001.BNP", "PRIVATE/SONY/SONYCARD.IND", "PRIVATE/M4ROOT/MEDIAPRO.XML",
        "PRIVATE/M4ROOT/CLIP/C0001M01.XML", "PRIVATE/M4ROOT/GENERAL/STATUS.BIN",
        "PRIVATE/AVCHD/BDMV/INDEX.BDM", "PRIVATE/AVCHD/BDMV/CLIPINF/00000.CPI", "DCIM/DJI_001/DJI_0001.SRT",
        "DCIM/DJI_001/DJI_0001.LRF", "DCIM/DJI_001/Timestamp.MRK", "DCIM/100GOPRO/GX010001.THM",
        "PRIVATE/AVCHD/AVCHDTN/THUMB.TDT",
    ]

    @Test("knows what cameras keep for themselves, and answers for photos and films", arguments: sideFiles)
    func camera(_ path: String) async throws {
        try scene.put("card/DCIM/A.JPG", ImportScene.photo(1))
        try await fill()
        try scene.put("card/\(path)", Array("of the camera".utf8))
        let name = path.split(separator: "/").last ?? ""
        let result = try await has()
        #expect(result.code == 0, "\(result.errors)")
        let sentence = "All photos and films are in the library; 1 other file is not: \(name).\n"
        #expect(
            result.text == "camera   \(scene.card)/\(path): is not in the library\n\(sentence)")
        #expect(try await has("--all-files").code == 3)
        let json = try await has("--json")
        #expect(json.lines.contains { $0["kind"] as? String == "camera" }, "\(json.text)")
        #expect(json.lines.last?["mediaComplete"] as? Bool == true)
        #expect(json.lines.last?["complete"] as? Bool == false)
    }

    @Test("takes a photo for one whatever its name says, and what macOS keeps beside one for none")
    func kinds() async throws {
        try scene.put("card/A.JPG", ImportScene.photo(1))
        try await fill()
        try scene.put("card/._A.JPG", [0, 5, 0x16, 7])
        try scene.put("card/notes.txt", Array("words".utf8))
        let others = try await has()
        #expect(others.code == 0)
        #expect(
            others.text.hasSuffix(
                "All photos and films are in the library; 1 other file is not: notes.txt. One file or folder that "
                    + "systems keep beside photos was not looked at; --all-files compares them.\n"),
            "\(others.text)")
        for name in ["B", "B.jpg.bak", "B.old"] {
            try scene.put("card/\(name)", ImportScene.photo(2))
            #expect(try await has().code == 3, "\(name)")
            try FileManager.default.removeItem(atPath: scene.folder.path("card/\(name)"))
        }
        try scene.link("card/folder", to: "library")
        #expect(try await has().code == 3)
    }

    @Test(
        "names the other form of a picture: same time, camera and name; edited copies; changed since the import"
    )
    func otherForms() async throws {
        try scene.put("card/IMG_1.JPG", ImportScene.photo(1))
        try scene.put("card/IMG_2.JPG", ImportScene.photo(2))
        try await fill()
        try scene.put("card/IMG_1-edited.JPG", ImportScene.photo(11))
        try scene.put("card/IMG_E1.JPG", ImportScene.photo(12))
        try scene.put("card/sub/IMG_1(3).jpg", ImportScene.photo(13))
        // Another camera, another second, another name.
        try scene.put(
            "card/sub/IMG_2.JPG", TinyPhoto.jpeg(date: "2014:05:25 10:00:00", make: "Other", salt: 14))
        try scene.put("card/b/IMG_2.JPG", TinyPhoto.jpeg(date: "2014:05:25 10:00:01", salt: 15))
        try scene.put("card/b/IMG_3.JPG", ImportScene.photo(16))
        try scene.put("library/2014/2014-05-25/IMG_2.JPG", ImportScene.photo(17))
        #expect(try await scene.run("index").code == 0)
        let result = try await has("--json")
        let states = result.lines.reduce(into: [String: String]()) { states, line in
            guard let source = line["source"] as? String else { return }
            states[String(source.dropFirst(scene.card.count + 1))] =
                [line["by"] as? String ?? line["state"] as? String, line["path"] as? String].compactMap(
                    \.self
                )
                .joined(separator: " ")
        }
        let one = "2014/2014-05-25/IMG_1.JPG"
        #expect(
            states == [
                "IMG_1.JPG": "present \(one)", "IMG_2.JPG": "changed 2014/2014-05-25/IMG_2.JPG",
                "IMG_1-edited.JPG": "capture \(one)", "IMG_E1.JPG": "capture \(one)",
                "sub/IMG_1(3).jpg": "capture \(one)", "sub/IMG_2.JPG": "missing", "b/IMG_2.JPG": "missing",
                "b/IMG_3.JPG": "missing",
            ])
        #expect(result.code == 3)
        #expect((result.lines.last?["otherForms"] as? Int, result.lines.last?["missing"] as? Int) == (4, 3))
    }

    @Test("does not trust the catalog: the library's file is damaged, gone, or a link to the source")
    func distrust() async throws {
        for name in ["A", "B", "C", "D"] {
            let salt = UInt64(name.unicodeScalars.first?.value ?? 0)
            try scene.put("card/\(name).JPG", ImportScene.photo(salt), modified: 1_400_000_000)
        }
        try await fill()
        let folder = "library/2014/2014-05-25"
        // The same size and time, and other bytes.
        var bytes = ImportScene.photo(65)
        bytes[bytes.count - 5] ^= 1
        try scene.put("\(folder)/A.JPG", bytes, modified: 1_400_000_000)
        try FileManager.default.removeItem(atPath: scene.folder.path("\(folder)/B.JPG"))
        try FileManager.default.removeItem(atPath: scene.folder.path("\(folder)/C.JPG"))
        try scene.link("\(folder)/C.JPG", to: "card/C.JPG")
        let result = try await has()
        #expect(result.code == 3)
        #expect(result.text.contains("/A.JPG has other bytes than the catalog says"), "\(result.text)")
        #expect(result.text.contains("/B.JPG is gone"), "\(result.text)")
        #expect(result.text.contains("/C.JPG is a link to \(scene.card)/C.JPG"), "\(result.text)")
        #expect(result.text.contains("3 of 4 files are not in the library"))
        // Trusted, the damage is not seen; the others are.
        let trusting = try await has("--trust-catalog", "--json")
        #expect(trusting.code == 3 && trusting.lines.last?["missing"] as? Int == 2, "\(trusting.text)")
    }

    @Test("finds sidecars whose photo is gone, and none that are links to the source")
    func sidecars() async throws {
        try scene.put("card/A.JPG", ImportScene.photo(1))
        for name in ["A.AAE", "A.xmp"] { try scene.put("card/\(name)", Array("<x:xmpmeta>\(name)".utf8)) }
        try await fill()
        let folder = scene.folder.path("library/2014/2014-05-25")
        try FileManager.default.removeItem(atPath: "\(folder)/A.JPG")
        #expect(
            states(try await has("--json")) == ["A.JPG": "missing", "A.AAE": "present", "A.xmp": "present"])
        try FileManager.default.removeItem(atPath: "\(folder)/A.AAE")
        try scene.link("library/2014/2014-05-25/A.AAE", to: "card/A.AAE")
        #expect(states(try await has("--json"))["A.AAE"] == "missing")
    }

    @Test("remembers the checksums of unchanged sources, and reads those whose size and time were restored")
    func remembered() async throws {
        try scene.put("card/A.JPG", ImportScene.photo(1), modified: 1_000_000_000)
        try await fill()
        #expect(try await has().code == 0)
        var bytes = ImportScene.photo(1)
        bytes[bytes.count - 5] ^= 1
        try scene.put("card/A.JPG", bytes, modified: 1_000_000_000)
        #expect(try await has().code == 3)
        try scene.put("card/A.JPG", ImportScene.photo(1), modified: 1_000_000_000)
        #expect(try await has().code == 0)
        let inside = try await has(sources: [scene.library + "/2014"])
        #expect(inside.code == 64, "\(inside.errors)")
        #expect(try await has(sources: [scene.folder.path("nowhere")]).code == 66)
    }

    @Test("reads entries of archives; values of Takeout sidecars are another form, hidden entries are files")
    func archives() async throws {
        let sidecar = #"{"title":"a.jpg","description":"words","photoTakenTime":{"timestamp":"1401012000"}}"#
        let folder = "Takeout/Google Photos/Photos from 2014"
        var entries = [
            ZipMaker.Entry("\(folder)/a.jpg", ImportScene.photo(1)),
            ZipMaker.Entry("\(folder)/a.jpg.json", Array(sidecar.utf8)),
            ZipMaker.Entry("\(folder)/b.jpg", ImportScene.photo(2)),
        ]
        try scene.put("card/takeout-1.zip", ZipMaker(entries).bytes())
        try await fill()
        entries.append(ZipMaker.Entry("\(folder)/a-edited.jpg", TinyPhoto.jpeg(salt: 5)))
        entries.append(ZipMaker.Entry("\(folder)/.c.jpg", ImportScene.photo(3, day: 11)))
        for round in 0..<2 {
            let result = try await has("--json")
            let expected = ["a.jpg": "present", "a.jpg.json": "otherForm values", "b.jpg": "present"]
            let all = expected.merging(
                round == 0 ? [:] : ["a-edited.jpg": "otherForm edited", ".c.jpg": "missing"]
            ) { $1 }
            #expect(result.code == (round == 0 ? 0 : 3) && states(result) == all, "\(result.text)")
            try scene.put("card/takeout-1.zip", ZipMaker(entries).bytes())
        }
        // Without the sidecar, everything is there.
        try scene.put("card/takeout-1.zip", ZipMaker([entries[0], entries[2]]).bytes())
        #expect(try await has(sources: [scene.card + "/takeout-1.zip"]).code == 0)
        try scene.put("card/takeout-1.zip", Array(ZipMaker(entries).bytes().dropLast(30)))
        let cut = try await has()
        #expect(cut.code == 3 && cut.text.contains("takeout-1.zip: "), "\(cut.text)")
    }
}

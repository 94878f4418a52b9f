import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("viewport library and the sidecars of other programs")
struct LibrarySidecarsTests {
    let scene: ImportScene

    init() throws { scene = try ImportScene() }

    /// Makes a library of photos with these sidecars.
    private func make(_ sidecars: [String: [UInt8]], _ code: Int32 = 0) async throws {
        for (number, name) in sidecars.keys.sorted().enumerated() {
            try scene.put("library/\(name).jpg", ImportScene.photo(UInt64(number)))
            try scene.put("library/\(name).jpg.xmp", sidecars[name] ?? [])
        }
        #expect(try await scene.run("init").code == 0)
        let index = try await scene.run("index")
        #expect(index.code == code, "\(index.errors)")
    }

    /// Runs an edit of all photos, or of some.
    private func edit(_ arguments: [String], _ paths: [String] = []) async throws -> BuiltProgram.Result {
        let all = paths.isEmpty ? ["--where", "from:1900"] : paths
        return try await scene.program.run(
            ["library", "edit", scene.library] + all + arguments, environment: scene.environment)
    }

    @Test("keeps the form of each through edits, and all bytes through undoing them")
    func layouts() async throws {
        var sidecars: [String: [UInt8]] = [:]
        for (number, layout) in SidecarMaker.layouts.enumerated() {
            for form in SidecarMaker.Form.allCases { sidecars["\(number)-\(form)"] = form.bytes(layout.text) }
        }
        try await make(sidecars)
        let edits = [
            ["--title", "New", "--add-keyword", "lake"], ["--caption", "", "--rating", "-1"],
            ["--remove-keyword", "boat", "--label", "Red"], ["--keywords", "a,b", "--location", "46.2,6.14"],
        ]
        var states = [try scene.contents("library")]
        for arguments in edits {
            let result = try await edit(arguments)
            #expect(
                result.code == 0 && result.text.hasPrefix("\(sidecars.count) of \(sidecars.count) "),
                "\(result)")
            states.append(try scene.contents("library"))
        }
        for (name, bytes) in states[4] where name.hasSuffix("xmp") {
            let isWide = name.contains("utf16")
            let text = try #require(
                isWide
                    ? String(data: bytes, encoding: bytes.first == 0x3C ? .utf16LittleEndian : .utf16)
                    : String(data: bytes, encoding: .utf8), "\(name)")
            #expect(text.contains("New") && !text.contains("The lake") && text.contains("Der See"), "\(name)")
            if name.contains("windows") {
                #expect(bytes.count { $0 == 0x0A } == bytes.count { $0 == 0x0D }, "\(name)")
            }
        }
        let shown = try await scene.run("list", "--json").lines
        #expect(
            shown.allSatisfy { $0["title"] as? String == "New" && $0["keywords"] as? [String] == ["a", "b"] })
        #expect(shown.allSatisfy { $0["rating"] as? Int == -1 && $0["label"] as? String == "Red" })
        for former in states.dropLast().reversed() {
            #expect(try await scene.run("undo").code == 0)
            let files = try scene.contents("library")
            for (name, bytes) in former { #expect(files[name] == bytes, "\(name)") }
        }
    }

    @Test("names broken ones with their photos, in each run, until they are repaired")
    func broken() async throws {
        let whole = Array(SidecarMaker.layouts[0].text.utf8)
        try await make(
            [
                "cut": Array(whole.prefix(900)), "empty": [], "good": whole, "text": Array("no XMP".utf8),
                "bomb": Array("<!DOCTYPE x [<!ENTITY a \"aaaa\">]>".utf8) + whole,
            ], 3)
        let faults = [
            "bomb": "is not valid XML at byte 1", "cut": "is cut off", "empty": "is empty",
            "text": "is not XMP",
        ]
        let sentences = faults.map { "its sidecar \($0.key).jpg.xmp \($0.value); repair or remove it" }
        for isFirst in [true, false] {
            if isFirst { try scene.put("library/good.jpg.xmp", whole, modified: 1_400_000_000) }
            let text = try await scene.run("index")
            #expect(text.code == 3 && text.text.contains(", 4 with a broken sidecar"), "\(text)")
            for (name, fault) in faults {
                #expect(
                    text.errors.contains(
                        "viewport: \(name).jpg: its sidecar \(name).jpg.xmp \(fault); repair or remove it\n"),
                    "\(text.errors)")
            }
            let json = try await scene.run("index", "--json")
            let index = json.json["index"] as? [String: Any]
            let listed = index?["brokenSidecars"] as? [[String: Any]] ?? []
            #expect(
                json.code == 3
                    && Set(listed.compactMap { $0["path"] as? String })
                        == Set(faults.keys.map { "\($0).jpg" })
            )
            #expect(Set(listed.compactMap { $0["reason"] as? String }) == Set(sentences))
            #expect((index?["failures"] as? [Any])?.isEmpty == true && index?["unchanged"] as? Int == 5)
        }
        // The photos are there, with what they state themselves.
        let photos = try await scene.run("list", "--json").lines
        #expect(
            photos.count == 5
                && photos.allSatisfy { ($0["date"] as? String)?.hasPrefix("2014-05-25") == true })
        #expect(photos.compactMap { $0["rating"] as? Int } == [4])

        let doctor = try await scene.run("doctor", "--json")
        let finding = doctor.lines.first { $0["kind"] as? String == "brokenSidecars" }
        #expect(doctor.code == 3 && finding?["count"] as? Int == 4)
        #expect(Set(finding?["reasons"] as? [String] ?? []) == Set(sentences))
        #expect(
            try await scene.run("doctor").text.contains("4 sidecars cannot be read; repair or remove them"))

        let before = try scene.contents("library")
        let edited = try await edit(["--rating", "2"])
        #expect(edited.code == 3 && edited.text == "1 of 5 assets edited\n", "\(edited.text)")
        for (name, fault) in faults {
            #expect(
                edited.errors.contains("viewport: \(name).jpg: its sidecar \(name).jpg.xmp \(fault)"),
                "\(edited.errors)")
            #expect(try scene.contents("library")["\(name).jpg.xmp"] == before["\(name).jpg.xmp"])
        }
        let written = try await scene.program.run(
            ["library", "sidecars", "write", scene.library], environment: scene.environment)
        #expect(
            written.code == 3 && written.errors.contains("its sidecar cut.jpg.xmp is cut off"), "\(written)")

        for name in faults.keys { try scene.put("library/\(name).jpg.xmp", whole) }
        let repaired = try await scene.run("index", "--json")
        #expect(repaired.code == 0)
        let examined = try await scene.run("doctor").text
        #expect(!examined.contains("cannot be read"))
        #expect(try await scene.run("list", "--json").lines.count { $0["rating"] as? Int == 4 } == 4)
    }

    @Test("counts in messages what was edited, and what undoing has restored")
    func counts() async throws {
        let whole = Array(SidecarMaker.layouts[0].text.utf8)
        var sidecars = Dictionary(uniqueKeysWithValues: (1...4).map { ("good\($0)", whole) })
        for name in ["broken1", "broken2"] { sidecars[name] = [] }
        for name in ["same1", "same2"] {
            sidecars[name] = Array(
                SidecarMaker.layouts[0].text.replacing("Rating=\"4\"", with: "Rating=\"3\"").utf8)
        }
        try await make(sidecars, 3)
        let edited = try await edit(["--rating", "3"])
        #expect(edited.code == 3 && edited.text == "4 of 8 assets edited, 2 unchanged\n", "\(edited.text)")
        let list = try await scene.run("undo", "--list")
        #expect(list.text.hasSuffix("  edit 4 assets\n"), "\(list.text)")
        try scene.put("library/good2.jpg.xmp", Array(SidecarMaker.layouts[1].text.utf8))
        let undone = try await scene.run("undo")
        #expect(
            undone.code == 3 && undone.text == "undone: edit 4 assets; 3 of 4 files restored\n",
            "\(undone.text)")
        #expect(undone.errors.contains("good2.jpg.xmp: was changed since, and is kept"), "\(undone.errors)")
        // Nothing changes: no operation is in the log.
        let same = try await edit(["--rating", "3", "--title", "The lake"], ["same1.jpg"])
        #expect(same.code == 0 && same.text == "0 of 1 assets edited, 1 unchanged\n", "\(same.text)")
        let json = try await edit(["--rating", "3", "--json"], ["same1.jpg"])
        #expect(json.text == "{\"operation\":null,\"changed\":0,\"unchanged\":1,\"failures\":[]}\n")
        #expect(try await scene.run("undo").text == "nothing to undo\n")
        let bare = try await edit(["--title", "", "--remove-keyword", "none"], ["good1.jpg"])
        #expect(bare.text == "1 of 1 assets edited\n")
        #expect(try await scene.run("undo").text == "undone: edit 1 asset\n")
    }

    @Test("keeps links and permissions, and refuses what it may not change")
    func files() async throws {
        let whole = Array(SidecarMaker.layouts[0].text.utf8)
        try await make(["hard": whole, "locked": whole, "private": whole, "soft": whole, "stray": whole])
        let manager = FileManager.default
        let path = { (name: String) in scene.folder.path("library/\(name)") }
        try manager.linkItem(atPath: path("hard.jpg.xmp"), toPath: scene.folder.path("backup.xmp"))
        try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path("locked.jpg.xmp"))
        try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path("private.jpg.xmp"))
        for (name, target) in [("soft", "target.xmp"), ("stray", "nowhere.xmp")] {
            try manager.moveItem(atPath: path("\(name).jpg.xmp"), toPath: scene.folder.path(target))
            try scene.link("library/\(name).jpg.xmp", to: target)
        }
        try manager.removeItem(atPath: scene.folder.path("nowhere.xmp"))
        #expect(try await scene.run("index").code == 0)
        let edited = try await edit(["--rating", "1"])
        #expect(edited.code == 3 && edited.text == "2 of 5 assets edited\n", "\(edited)")
        for (name, reason) in [
            ("locked", "is read-only"),
            ("soft", "is a symbolic link, which is not written to; replace it with a file"),
            ("stray", "is a symbolic link, which is not written to; replace it with a file"),
        ] {
            #expect(
                edited.errors.contains("viewport: \(name).jpg: its sidecar \(name).jpg.xmp \(reason)\n"),
                "\(edited.errors)")
        }
        #expect(try scene.folder.data("library/locked.jpg.xmp") == Data(whole))
        #expect(try scene.folder.data("target.xmp") == Data(whole))
        // A copy by a hard link is no part of the library.
        #expect(try scene.folder.data("backup.xmp") == Data(whole))
        #expect(try scene.folder.data("library/hard.jpg.xmp") != Data(whole))
        let mode = try manager.attributesOfItem(atPath: path("private.jpg.xmp"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try await scene.run("undo").code == 0)
        #expect(try scene.folder.data("library/hard.jpg.xmp") == Data(whole))
    }

    @Test("compares keywords as they look, and takes none that is empty")
    func keywords() async throws {
        try await make([
            "a": Array(SidecarMaker.layouts[0].text.replacing("Geneva", with: "cafe\u{301}").utf8)
        ])
        let before = try scene.contents("library")
        let same = try await edit(["--add-keyword", "caf\u{E9}", "--add-keyword", " boat\n"])
        #expect(same.text == "0 of 1 assets edited, 1 unchanged\n" && same.code == 0, "\(same)")
        #expect(try scene.contents("library") == before)
        let added = try await edit(
            [
                "--add-keyword", "<Zoë> & \u{5E9}", "--add-keyword", "<Zoe\u{308}> & \u{5E9}",
                "--remove-keyword", "caf\u{E9}",
            ])
        #expect(added.code == 0, "\(added.errors)")
        let text = String(decoding: try scene.folder.data("library/a.jpg.xmp"), as: UTF8.self)
        #expect(!text.contains("cafe"), "\(text)")
        #expect(
            text.components(separatedBy: "<rdf:li>&lt;Zoë&gt; &amp; \u{5E9}</rdf:li>").count == 3, "\(text)")
        let shown = try await scene.run("list", "--json").lines[0]["keywords"] as? [String]
        #expect(shown == ["places", "boat", "<Zoë> & \u{5E9}"])
        for empty in ["", " ", "\u{1}"] {
            let refused = try await edit(["--add-keyword", empty])
            #expect(refused.code == 64 && refused.errors.contains("a keyword is empty"), "\(refused.errors)")
        }
    }
}

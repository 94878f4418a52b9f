import Foundation
import TestSupport
import Testing

/// Names that are equal as text, and are two files: "é" in one scalar, and "e" with a combining accent.
enum Twins {
    static let names = ["caf\u{E9}", "cafe\u{301}"]
    static let folders = ["d\u{E9}", "de\u{301}"]

    static func photo(_ salt: Int) -> [UInt8] {
        TinyPhoto.jpeg(date: "2014:05:25 10:00:0\(salt)", salt: UInt64(salt))
    }
}

@Suite("Photos whose names are equal as text")
struct TwinImportTests {
    let scene: ImportScene

    init() throws { scene = try ImportScene() }

    struct Card: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The sources below the folder.
        var sources: [String]
        var files: [(path: String, bytes: [UInt8])]
        /// The number of files that are left or described, not imported.
        var others = 0
        var zip: [ZipMaker.Entry] = []
        var photos: [[UInt8]] { (0..<2).map { Twins.photo($0) } }
    }

    static let cards = [
        Card(
            testDescription: "in one folder", sources: ["card"],
            files: [0, 1].map { ("card/\(Twins.names[$0]).jpg", Twins.photo($0)) }),
        Card(
            testDescription: "in folders of equal names", sources: ["card"],
            files: [0, 1].map { ("card/\(Twins.folders[$0])/a.jpg", Twins.photo($0)) }),
        Card(
            testDescription: "in folders that are two arguments",
            sources: Twins.folders.map { "card/\($0)" },
            files: [0, 1].map { ("card/\(Twins.folders[$0])/a.jpg", Twins.photo($0)) }),
        Card(
            testDescription: "that are two arguments", sources: Twins.names.map { "card/\($0).jpg" },
            files: [0, 1].map { ("card/\(Twins.names[$0]).jpg", Twins.photo($0)) }),
        Card(
            testDescription: "with a note each", sources: ["card"],
            files: [0, 1].flatMap {
                [
                    ("card/\(Twins.names[$0]).jpg", Twins.photo($0)),
                    ("card/\(Twins.names[$0]).txt", Array("note \($0)".utf8)),
                ]
            }, others: 2),
        Card(
            testDescription: "in an archive", sources: ["card/photos.zip"], files: [],
            zip: [0, 1].map { ZipMaker.Entry("\(Twins.names[$0]).jpg", Twins.photo($0)) }),
        Card(
            testDescription: "in folders of an archive", sources: ["card/photos.zip"], files: [],
            zip: [0, 1].map { ZipMaker.Entry("\(Twins.folders[$0])/a.jpg", Twins.photo($0)) }),
        Card(
            testDescription: "in a Takeout", sources: ["card"],
            files: [0, 1].flatMap { twin in
                let path = "card/Takeout/Google Photos/Trip/\(Twins.names[twin]).jpg"
                return [(path, Twins.photo(twin)), (path + ".json", takeout(twin))]
            }, others: 2),
        Card(
            testDescription: "in folders of a Takeout", sources: ["card"],
            files: [0, 1].flatMap { twin in
                let path = "card/Takeout/Google Photos/\(Twins.folders[twin])/a.jpg"
                return [(path, Twins.photo(twin)), (path + ".json", takeout(twin))]
            }, others: 2),
    ]

    private static func takeout(_ twin: Int) -> [UInt8] {
        Array(
            """
            {"title": "a.jpg", "description": "caption \(twin)", "photoTakenTime": {"timestamp": "1401012000"}}
            """.utf8)
    }

    private func make(_ card: Card) throws {
        for (path, bytes) in card.files { try scene.write(path, bytes) }
        guard !card.zip.isEmpty else { return }
        try scene.write("card/photos.zip", ZipMaker(card.zip).bytes())
    }

    private func `import`(_ card: Card, _ options: [String]) async throws -> BuiltProgram.Result {
        let sources = card.sources.map { "\(scene.folder.url.path)/\($0)" }
        return try await scene.program.run(
            ["library", "import", scene.library] + sources + options, environment: scene.environment)
    }

    /// The photos below a folder, sorted.
    private func photos(_ name: String) -> [[UInt8]] {
        scene.files(name).values.filter { $0.starts(with: [0xFF, 0xD8]) }
            .sorted { $0.lexicographicallyPrecedes($1) }
    }

    @Test("are imported both, and counted", arguments: cards, [false, true])
    func imported(_ card: Card, _ moves: Bool) async throws {
        guard card.zip.isEmpty || !moves else { return }
        try make(card)
        let before = scene.files("card")
        let all = card.photos.sorted { $0.lexicographicallyPrecedes($1) }
        let options = moves ? ["--move"] : []
        let plan = try await `import`(card, options + ["--dry-run"])
        #expect(plan.code == 0 && plan.text.contains("2 to \(moves ? "move" : "copy") "), "\(plan.text)")
        #expect(plan.text.contains("\n\(2 + card.others) files found: "), "\(plan.text)")
        #expect(scene.files("card") == before && scene.files("library").isEmpty)
        let result = try await `import`(card, options + ["--json"])
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.json["discovered"] as? Int == 2 + card.others && result.json["taken"] as? Int == 2)
        #expect(photos("library") == all)
        #expect(scene.files("card").count == (moves ? card.others : before.count))
        let list = try await scene.run("list", "--json")
        #expect(Set(list.lines.compactMap { $0["sha256"] as? String }).count == 2, "\(list.text)")
        if card.others > 0, card.files[1].path.hasSuffix(".json") {
            #expect(Set(list.lines.compactMap { $0["caption"] as? String }) == ["caption 0", "caption 1"])
        }
        // A second import has nothing to do, and counts both.
        let again = try await `import`(card, options)
        if !moves {
            #expect(again.text.contains("\(2 + card.others) files found: 0 copied"), "\(again.text)")
        }
        #expect(photos("library") == all)
        #expect(try await scene.run("verify").code == 0)
    }

    @Test("are found when the second one comes later", arguments: [[], ["--move"], ["--compare"]])
    func later(_ options: [String]) async throws {
        var card = Self.cards[0]
        for (path, bytes) in card.files {
            try scene.write(path, bytes)
            card.sources = [path]
            let result = try await `import`(card, options + ["--json"])
            #expect(result.json["taken"] as? Int == 1, "\(result.text)")
        }
        #expect(photos("library").count == 2)
    }

    @Test("keep their own sidecars, and one sidecar in another form is taken for its photo")
    func sidecars() async throws {
        func xmp(_ title: String) -> [UInt8] { Array("<x:xmpmeta>\(title)</x:xmpmeta>".utf8) }
        for twin in 0..<2 {
            try scene.write("card/a/\(Twins.names[twin]).jpg", Twins.photo(twin))
            try scene.write("card/a/\(Twins.names[twin]).xmp", xmp("\(twin)"))
        }
        try scene.write("card/b/\(Twins.folders[0]).jpg", Twins.photo(2))
        try scene.write("card/b/\(Twins.folders[1]).xmp", xmp("2"))
        let result = try await scene.run("import", scene.card, "--json")
        #expect(result.json["taken"] as? Int == 6, "\(result.text)")
        let files = scene.files("library")
        for (path, bytes) in files where bytes.starts(with: [0xFF, 0xD8]) {
            let salt = try #require((0..<3).first { Twins.photo($0) == bytes })
            #expect(files[Array(path.dropLast(4)) + Array(".xmp".utf8)] == xmp("\(salt)"))
        }
    }
}

import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("viewport library import of a Google Takeout", .ownThread)
struct TakeoutCommandTests {
    private let library: LibraryProgram

    init() throws { library = try LibraryProgram() }

    private func inside(_ source: String) -> String {
        source.range(of: "Takeout/").map { String(source[$0.lowerBound...]) } ?? source
    }

    @Test(
        "accounts for every one of 2,000 files, from a folder and from archives",
        arguments: ["folder", "archives"])
    func all(_ way: String) async throws {
        let maker = TakeoutMaker(count: 2_000, seed: 20)
        var sources = [library.card]
        if way == "folder" {
            try maker.write(to: library.card)
        } else {
            sources = try maker.writeArchives(3, to: library.card, seed: 21)
        }
        let result = try await library.run(all: ["library", "import", library.root] + sources + ["--json"])
        #expect(result.code == 0, "\(result.errors)")
        let report = try #require(result.lines.first)
        let files = try #require(report["files"] as? [[String: Any]])
        #expect(files.map { inside($0["source"] as? String ?? "") }.sorted() == maker.files.keys.sorted())
        let trashed = maker.media.count(where: \.value.isTrashed)
        let different = Set(maker.media.values.filter { !$0.isTrashed }.map(\.bytes)).count
        #expect(report["taken"] as? Int == different)
        #expect(report["duplicates"] as? Int == maker.media.count - trashed - different)
        let takeout = try #require(report["takeout"] as? [String: Any])
        #expect((takeout["withoutFile"] as? [String])?.count == maker.withoutFile.count)
        #expect((takeout["withoutSidecar"] as? [String])?.count == maker.withoutSidecar.count)
        #expect((takeout["trashed"] as? [String])?.count == trashed)
        let outcomes = Dictionary(grouping: files) { $0["outcome"] as? String ?? "" }.mapValues(\.count)
        let sidecars = maker.files.keys.count {
            $0.hasSuffix(".json") && !$0.contains("/Trash/") && !maker.withoutFile.contains($0)
                && !$0.hasSuffix("/metadata.json") && !$0.hasSuffix("/Metadaten.json")
                && !$0.hasSuffix("ons.json")
        }
        #expect(outcomes["described"] == sidecars)
        // A second run finds everything there.
        let again = try await library.run(all: ["library", "import", library.root] + sources + ["--json"])
        #expect(again.lines.first?["taken"] as? Int == 0 && again.lines.first?["described"] as? Int == 0)
        let text = try await library.run(all: ["library", "import", library.root] + sources)
        #expect(text.errors.contains("\nTakeout: ") || text.text.contains("\nTakeout: "))
    }

    @Test(
        "that is killed at any moment is finished by the same command",
        arguments: ["folder", "archives", "moved"])
    func killed(_ way: String) async throws {
        let maker = TakeoutMaker(count: 200, seed: 30)
        var arguments = ["library", "import", library.root, library.card]
        if way == "archives" {
            arguments = arguments.dropLast() + (try maker.writeArchives(2, to: library.card, seed: 31))
        } else {
            try maker.write(to: library.card)
        }
        if way == "moved" { arguments.append("--move") }
        var random = SplitMix64(seed: 32)
        for _ in 0..<TestLength.repetitions(20, short: 4) {
            let process = library.process(all: arguments)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            let ended = AsyncStream.makeStream(of: Void.self)
            process.terminationHandler = { _ in ended.continuation.finish() }
            try process.start()
            try await Task.sleep(for: .milliseconds(Int.random(in: 5...400, using: &random)))
            kill(process.processIdentifier, SIGKILL)
            for await _ in ended.stream {}
        }
        let result = try await library.run(all: arguments)
        #expect(result.code == 0, "\(result.errors)")
        let assets = try await library.run("list", "--stack", "none", "--json").lines
        let truth = Dictionary(maker.media.values.filter { !$0.isTrashed }.map { ($0.bytes, $0) }) {
            first, _ in first
        }
        #expect(assets.count == truth.count)
        for asset in assets {
            let path = try #require(asset["path"] as? String)
            let own = try #require(truth[Array(try library.folder.data("library/\(path)"))])
            #expect(asset["caption"] as? String == own.caption, "\(path)")
            #expect(asset["keywords"] as? [String] == own.people, "\(path)")
            #expect((asset["date"] is NSNull) == (own.taken == nil && own.exif == nil), "\(path)")
        }
        let picks = try await library.run(
            "list", "--album", "Picks", "--stack", "none", "--json"
        ).lines
        #expect(picks.count == truth.values.count(where: \.isFavorite))
    }

    @Test("refuses archives that are cut or encrypted, by name")
    func refusals() async throws {
        let maker = TakeoutMaker(count: 3, seed: 1)
        let path = try maker.writeArchives(1, to: library.card, seed: 1)[0]
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: path))
        let cut = try await library.run("import", path)
        #expect(cut.code == 65)
        #expect(cut.errors.contains("\(path): is no ZIP archive, or is cut: its directory is missing"))
        var entry = ZipMaker.Entry("Takeout/Google Photos/Photos from 2020/a.jpg", TinyPhoto.jpeg())
        entry.flags = 0x801
        try Data(ZipMaker([entry]).bytes()).write(to: URL(fileURLWithPath: path))
        let encrypted = try await library.run("import", path)
        #expect(encrypted.code == 3)
        #expect(encrypted.errors.contains("a.jpg: is encrypted"))
        let moved = try await library.run("import", path, "--move")
        #expect(moved.code == 64)
        #expect(moved.errors.contains("files cannot be moved out of an archive, which is never changed"))
    }

    @Test("names a broken sidecar, and imports its photo without it")
    func broken() async throws {
        let folder = "card/Takeout/Google Photos/Photos from 2020"
        try library.write("\(folder)/a.jpg", TinyPhoto.jpeg(salt: 1))
        try library.write("\(folder)/a.jpg.json", Array(#"{"title":"a.jpg","url":"u"}"#.utf8))
        try library.write("\(folder)/b.jpg", TinyPhoto.jpeg(salt: 2))
        try library.write(
            "\(folder)/b.jpg.json",
            Array(#"{"title":"b.jpg","photoTakenTime":{"timestamp":"1580000000"}}"#.utf8))
        let result = try await library.run("import", library.card)
        #expect(result.code == 3)
        #expect(result.errors.contains(#"a.jpg.json: is no Takeout sidecar: "photoTakenTime" is missing"#))
        #expect(
            library.folder.files(below: "library") == [
                "2020/2020-01-26/b.jpg", "2020/2020-01-26/b.jpg.xmp", "undated/a.jpg",
            ])
    }
}

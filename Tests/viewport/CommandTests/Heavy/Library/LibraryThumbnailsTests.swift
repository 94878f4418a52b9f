import Foundation
import TestHarness
import TestSupport
import Testing
import ViewportGeometry
import Vips

@Suite("viewport library index --thumbnails")
struct LibraryThumbnailsTests {
    private let program: LibraryProgram

    init() async throws {
        program = try LibraryProgram()
        try await program.run("init")
    }

    /// Runs `index --thumbnails` and returns the counts.
    @discardableResult
    private func index(_ arguments: String..., code: Int32 = 0) async throws -> [String: Int] {
        let result = try await program.run(
            all: ["library", "index", program.root, "--thumbnails", "--json"] + arguments)
        #expect(result.code == code, "\(result.errors)")
        let members = result.lines.first?["thumbnails"] as? [String: Any] ?? [:]
        return members.compactMapValues { $0 as? Int }
    }

    private func save(_ name: String, seed: UInt64) throws {
        try TestImages.photo(width: 900, height: 600, seed: seed).save(
            program.folder.path("library/\(name)"), oriented: .up)
        try date(name)
    }

    /// Sets a time without a fraction, which can be set again.
    private func date(_ name: String) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_400_000_000)],
            ofItemAtPath: program.folder.path("library/\(name)"))
    }

    /// Overwrites a file with zeros, unnoticed by size, time and inode.
    private func destroy(_ name: String) throws {
        let path = program.folder.path("library/\(name)")
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        let count = Int(try file.seekToEnd())
        try file.seek(toOffset: 0)
        try file.write(contentsOf: Data(count: count))
        try file.close()
        try date(name)
    }

    @Test("makes what is missing, keeps the rest, and removes those of no photo")
    func repeated() async throws {
        for number in 0..<5 { try save("\(number).jpg", seed: UInt64(number)) }
        try save("copy.jpg", seed: 0)
        // Photos that were indexed before.
        #expect(try await program.run("index", program.root + "/0.jpg").code == 0)
        try FileManager.default.createDirectory(
            atPath: program.folder.path("library/trip"), withIntermediateDirectories: true)
        let first = try await index()
        #expect(first["kept"] == 0 || first["kept"] == 1, "a copy shares the thumbnails of its photo")
        #expect((first["made"] ?? 0) + (first["kept"] ?? 0) == 6)
        #expect(try await index() == ["made": 0, "kept": 6, "removed": 0, "undecodedFilms": 0])

        // A moved file keeps its thumbnails, a turned photo gets others, and a removed file loses them.
        try FileManager.default.moveItem(
            atPath: program.folder.path("library/1.jpg"), toPath: program.folder.path("library/trip/b.jpg"))
        #expect(
            try await program.run(all: ["library", "edit", program.root, "2.jpg", "--rotate", "left"]).code
                == 0)
        try FileManager.default.removeItem(atPath: program.folder.path("library/3.jpg"))
        #expect(try await index() == ["made": 1, "kept": 4, "removed": 2, "undecodedFilms": 0])
    }

    @Test("reports the photos that cannot be decoded, and makes the others")
    func damaged() async throws {
        for number in 0..<3 { try save("\(number).jpg", seed: UInt64(number)) }
        // A header without pixels.
        try program.write("library/broken.png", Array(PhotoMaker.png(width: 64, height: 48).prefix(60)))
        for made in [3, 0] {
            let result = try await program.run("index", "--thumbnails")
            #expect(result.code == 3 && result.errors.contains("broken.png"), "\(result.errors)")
            #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
            #expect(
                result.text.contains("thumbnails: \(made) made, \(3 - made) kept, 0 removed, 1 failed"),
                "\(result.text)")
        }
    }

    @Test("lets sheets be drawn without decoding the photos")
    func sheet() async throws {
        try save("a.jpg", seed: 1)
        try await index()
        let sheet = program.folder.path("sheet.png")
        let sheets = try await [0, 1].asyncMap { number in
            if number == 1 { try destroy("a.jpg") }
            let result = try await program.run("sheet", "-o", sheet, "--overwrite")
            #expect(result.code == 0, "\(result.errors)")
            return try program.folder.data("sheet.png")
        }
        #expect(sheets[0] == sheets[1])
        // Without thumbnails, the photo would have been missed.
        try FileManager.default.removeItem(
            atPath: program.folder.path("library/.viewport-library/catalogue.sqlite.thumbnails"))
        #expect(try await program.run("sheet", "-o", sheet, "--overwrite").code == 3)
    }

    @Test("replaces a database that is damaged")
    func damagedDatabase() async throws {
        try save("a.jpg", seed: 1)
        try await index()
        try program.write(
            "library/.viewport-library/catalogue.sqlite.thumbnails", [UInt8](repeating: 7, count: 100_000))
        let sheet = program.folder.path("sheet.png")
        #expect(try await program.run("sheet", "-o", sheet).code == 0)
        #expect(try await index()["made"] == 1)
        #expect(try await index()["kept"] == 1)
    }

    @Test("ends with one sentence when the disk is full, and continues with more space")
    func fullDisk() async throws {
        for number in 0..<20 { try save("\(number).jpg", seed: UInt64(number)) }
        #expect(try await program.run("index").code == 0)
        let shell = try #require(BuiltProgram(installed: "sh"))
        // Writes beyond a size fail like those on a full disk: 800 blocks are 400 or 800 KB.
        let result = try await shell.run(
            [
                "-c", "ulimit -f 800; exec \"$0\" \"$@\"", BuiltProgram("viewport").url.path, "library",
                "index", program.root, "--thumbnails",
            ], environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(result.code == 73, "\(result.code) \(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
        #expect(result.errors.contains(".thumbnails"), "\(result.errors)")
        let counts = try await index()
        #expect((counts["made"] ?? 0) > 0 && (counts["made"] ?? 0) + (counts["kept"] ?? 0) == 20)
    }
}

@Suite("viewport library index --thumbnails that is killed", .ownThread, .heavy)
struct KilledThumbnailsTests {
    @Test("keeps what was made, and the next run makes the rest")
    func killed() async throws {
        let program = try LibraryProgram()
        try await program.run("init")
        var random = SplitMix64(seed: 5)
        for number in 0..<200 {
            try TestImages.photo(width: 600, height: 400, seed: UInt64(number)).save(
                program.folder.path("library/\(number).jpg"), oriented: .up)
        }
        var kills = 0
        var longest = 2_000_000
        while kills < 6, longest > 1000 {
            let process = program.process("index", "--thumbnails")
            process.standardOutput = FileHandle.nullDevice
            try process.start()
            try await Task.sleep(for: .microseconds(Int(random.next() % UInt64(longest))))
            kill(process.processIdentifier, SIGKILL)
            await process.end()
            if process.terminationReason == .uncaughtSignal {
                kills += 1
            } else {
                longest /= 2
            }
        }
        #expect(kills > 0)
        let result = try await program.run("index", "--thumbnails", "--json")
        #expect(result.code == 0, "\(result.errors)")
        let counts = try #require(result.lines.first?["thumbnails"] as? [String: Any])
        let (made, kept) = (counts["made"] as? Int ?? 0, counts["kept"] as? Int ?? 0)
        #expect(made + kept == 200, "\(made) \(kept)")
        #expect(try await program.run("verify").code == 0)
        #expect(try await program.run("doctor").code == 0)
    }
}

extension Sequence {
    fileprivate func asyncMap<R>(_ transform: (Element) async throws -> R) async rethrows -> [R] {
        var results: [R] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}

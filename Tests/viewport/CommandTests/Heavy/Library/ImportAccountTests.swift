import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("viewport library import of a mixed tree", .ownThread)
struct ImportAccountTests {
    private let scene: ImportScene

    init() throws { scene = try ImportScene() }

    /// Makes entries of all kinds, with the same names in several folders, and returns their paths.
    private func fill(folders: Int) throws -> Set<[UInt8]> {
        // Texts are equal in any form of accents.
        var paths: Set<[UInt8]> = []
        func add(_ path: String) { paths.insert(Array(scene.folder.path(path).utf8)) }
        func put(_ path: String, _ bytes: [UInt8]) throws {
            try scene.write(path, bytes)
            add(path)
        }
        func link(_ path: String, to target: String) throws {
            try scene.link(path, to: target)
            add(path)
        }
        for number in 0..<folders {
            let (folder, salt) = ("card/\(number % 3)/\(100 + number)MEDIA", UInt64(100 * number))
            func photo(_ offset: UInt64) -> [UInt8] {
                ImportScene.photo(salt + offset, day: 10 + (number + Int(offset)) % 18)
            }
            for offset in 1...5 { try put("\(folder)/IMG_\(offset).JPG", photo(UInt64(offset))) }
            try put("\(folder)/IMG_1.JPG.xmp", Array("<x:xmpmeta>\(number)".utf8))
            try put("\(folder)/IMG_2.AAE", Array("<plist>\(number)".utf8))
            try put("\(folder)/IMG_3-edited.JPG", photo(6))
            try put("\(folder)/copy.jpg", photo(4))
            try put("\(folder)/of the first.jpg", ImportScene.photo(1, day: 11))
            try put("\(folder)/u\u{308}.jpg", photo(7))
            try put("\(folder)/\u{FC}.jpg", photo(8))
            try put("\(folder)/broken.JPG", [0xFF, 0xD8, UInt8(number % 256)])
            for name in ["empty.JPG", "empty.txt", "empty.xmp"] { try put("\(folder)/\(name)", []) }
            try put("\(folder)/notes.txt", Array("words".utf8))
            try put("\(folder)/alone.xmp", Array("<x:xmpmeta>alone \(number)".utf8))
            try put("\(folder)/.hidden.JPG", photo(9))
            try FileManager.default.linkItem(
                atPath: scene.folder.path("\(folder)/IMG_5.JPG"),
                toPath: scene.folder.path("\(folder)/IMG_5 again.JPG"))
            add("\(folder)/IMG_5 again.JPG")
            try link("\(folder)/L.JPG", to: "\(folder)/IMG_1.JPG")
            try link("\(folder)/nothing.JPG", to: "nowhere")
            try link("\(folder)/folder", to: "card/0")
        }
        return paths
    }

    @Test(
        "has one outcome for each entry, which the ledger has, too: at once, and after kills",
        arguments: [0, TestLength.repetitions(40, short: 5)])
    func account(kills: Int) async throws {
        let paths = try fill(folders: 12)
        let sources = Set(scene.files("card").values)
        let words = ["import", scene.library, scene.card]
        var runs = KilledRuns(scene, seed: 5)
        for _ in 0..<kills {
            try await runs.run(words)
            #expect(Set(scene.files("library").values).isSubset(of: sources))
        }
        for round in 0..<2 {
            let result = try await scene.program.run(
                ["library"] + words + ["--json"], environment: scene.environment)
            #expect(result.code == 3, "\(result.errors)")
            let report = result.json
            let files = try #require(report["files"] as? [[String: Any]])
            #expect(report["discovered"] as? Int == paths.count)
            let found = files.compactMap { ($0["source"] as? String).map { Array($0.utf8) } }
            #expect(found.count == paths.count && Set(found) == paths)
            let counts = ["imported", "present", "duplicates", "described", "left", "failed"].map {
                report[$0] as? Int ?? 0
            }
            #expect(counts.reduce(0, +) == paths.count, "\(counts)")
            if round == 1 { #expect(counts[0] == 0) }
            for file in files {
                guard let path = file["path"] as? String, let source = file["source"] as? String else {
                    #expect(["left", "failed"].contains(file["outcome"] as? String), "\(file)")
                    continue
                }
                let there = FileManager.default.contents(atPath: scene.library + "/" + path)
                #expect(there != nil && there == FileManager.default.contents(atPath: source), "\(file)")
            }
            let ledger = try await scene.run("imports", "\(report["import"] as? Int ?? 0)", "--json").lines
            func rows(_ files: [[String: Any]]) -> [[String?]] {
                files.map { file in ["source", "outcome", "path"].map { file[$0] as? String } }
            }
            #expect(rows(ledger) == rows(files))
        }
        #expect(runs.kills > 0 || kills == 0)
    }
}

import Foundation
import TestHarness
import TestSupport
import Testing

@Suite("A copy of a library")
struct CopiedLibraryTests {
    private let scene: ImportScene

    init() throws { scene = try ImportScene() }

    private func make() async throws {
        for number in 0..<20 {
            try scene.put(
                "library/\(number % 3)/\(number).jpg", ImportScene.photo(UInt64(100 + number)),
                modified: 1_400_000_000 + number)
        }
        try scene.put("library/notes.txt", Array("words".utf8))
        for arguments in [["init"], ["index"], ["edit", "0/0.jpg", "--rating", "5"]] {
            let all = ["library", arguments[0], scene.library] + arguments.dropFirst()
            try #require(try await scene.program.run(all, environment: scene.environment).code == 0)
        }
    }

    /// Copies the library with `cp -a`; every file gets another inode.
    private func copy() async throws {
        let cp = try #require(BuiltProgram(installed: "cp"))
        #expect(try await cp.run(["-a", "library", "copy"], in: scene.folder.url).code == 0)
    }

    private func run(_ command: String, _ arguments: String...) async throws -> BuiltProgram.Result {
        try await scene.program.run(
            ["library", command, scene.folder.path("copy")] + arguments, environment: scene.environment)
    }

    private func index() async throws -> [String: Any] {
        let result = try await run("index", "--json")
        #expect(result.code == 0, "\(result.errors)")
        return result.json["index"] as? [String: Any] ?? [:]
    }

    @Test("has no findings, is whole, and its files are not read again")
    func exact() async throws {
        try await make()
        try await copy()
        let doctor = try await run("doctor", "--json")
        #expect(doctor.code == 0 && !doctor.text.contains("written since"), "\(doctor.text)")
        // A file that is read again would be found damaged: the time is that of the record, the bytes are not.
        let path = scene.folder.path("copy/1/1.jpg")
        let modified = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
        try scene.put("copy/1/1.jpg", ImportScene.photo(191))
        try FileManager.default.setAttributes([.modificationDate: modified as Any], ofItemAtPath: path)
        #expect(try await index()["unchanged"] as? Int == 20)
        #expect(try await run("verify").errors.contains("1/1.jpg"))
        // The inodes of the copy are in its catalog now.
        #expect(try await index()["unchanged"] as? Int == 20)
        #expect(try await run("list", "--json", "--where", "rating:5").lines.count == 1)
    }

    @Test("is whole if only the times of its files are others")
    func otherTimes() async throws {
        try await make()
        let cp = try #require(BuiltProgram(installed: "cp"))
        #expect(try await cp.run(["-r", "library", "copy"], in: scene.folder.url).code == 0)
        let verify = try await run("verify", "--json")
        #expect(verify.code == 0 && (verify.json["failures"] as? [Any])?.isEmpty == true, "\(verify.text)")
    }

    @Test("finds single files that were replaced by others of the same size and time")
    func replaced() async throws {
        try await make()
        try await copy()
        #expect(try await index()["unchanged"] as? Int == 20)
        // The new file has another inode, those beside it keep theirs.
        func replace() throws {
            try scene.put("new.jpg", ImportScene.photo(192), modified: 1_400_000_001)
            try FileManager.default.removeItem(atPath: scene.folder.path("copy/1/1.jpg"))
            try FileManager.default.moveItem(
                atPath: scene.folder.path("new.jpg"), toPath: scene.folder.path("copy/1/1.jpg"))
        }
        try replace()
        let doctor = try await run("doctor")
        #expect(doctor.code == 3 && doctor.text.contains("1/1.jpg"), "\(doctor.text)")
        let report = try await index()
        #expect(report["updated"] as? Int == 1 && report["unchanged"] as? Int == 19)
        // A backup of the same bytes is no change.
        try replace()
        #expect(try await run("doctor").code == 0)
    }

    @Test("finds photos of one size and time that have exchanged their names")
    func exchanged() async throws {
        for name in ["a", "b"] {
            try scene.put(
                "library/\(name).jpg", ImportScene.photo(name == "a" ? 1 : 2), modified: 1_400_000_000)
        }
        for command in ["init", "index"] { #expect(try await scene.run(command).code == 0) }
        try await copy()
        let before = try await run("list", "--json").lines
        for (name, other) in [("a", "c"), ("b", "a"), ("c", "b")] {
            try FileManager.default.moveItem(
                atPath: scene.folder.path("copy/\(name).jpg"), toPath: scene.folder.path("copy/\(other).jpg"))
        }
        let report = try await index()
        #expect(report["unchanged"] as? Int == 0, "\(report)")
        let after = try await run("list", "--json").lines
        func sums(_ lines: [[String: Any]]) -> [String: String] {
            Dictionary(lines.map { ($0["path"] as? String ?? "", $0["sha256"] as? String ?? "") }) { $1 }
        }
        #expect(sums(after)["a.jpg"] == sums(before)["b.jpg"])
        #expect(sums(after)["b.jpg"] == sums(before)["a.jpg"])
        #expect(try await run("verify").code == 0)
    }
}

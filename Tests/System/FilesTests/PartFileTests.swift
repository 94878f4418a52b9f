import Files
import Foundation
import TestSupport
import Testing

@Suite("A file under a hidden name")
struct PartFileTests {
    @Test("appears complete, with the given time")
    func whole() throws {
        let folder = try TemporaryFolder()
        let time = 1_234_567_890_123_456_000
        try PartFile.write([1, 2, 3], to: folder.path("a"), modified: time, mode: 0o600)
        #expect(folder.names == ["a"])
        #expect(FileStatus(folder.path("a"))?.modified == time)
        #expect(try folder.data("a") == Data([1, 2, 3]))
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path("a"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        try PartFile.write([4], to: folder.path("a"), modified: -1_500_000_000)
        #expect(FileStatus(folder.path("a"))?.modified == -1_500_000_000)
    }

    @Test("is not removed while it is written")
    func sweeping() throws {
        let folder = try TemporaryFolder()
        let part = try PartFile(in: folder.url.path)
        try part.append([1])
        let names = folder.names
        #expect(names.count == 1 && names[0].hasPrefix("."))
        TemporaryName.sweep(folder.url.path)
        #expect(folder.names == names)
        part.discard()
    }

    @Test("replaces only the contents that are known")
    func replacing() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a")
        #expect(try PartFile.replace([1], with: [2], at: path) == false)
        #expect(folder.names.isEmpty)
        #expect(try PartFile.replace(nil, with: [1], at: path))
        #expect(try PartFile.replace(nil, with: [3], at: path) == false)
        #expect(try PartFile.replace([2], with: [3], at: path) == false)
        #expect(try folder.data("a") == Data([1]))
        #expect(try PartFile.replace([1], with: [3], at: path))
        #expect(try folder.data("a") == Data([3]) && folder.names == ["a"])
    }

    @Test("leaves nothing behind if it cannot be renamed")
    func failing() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path("a/b"), withIntermediateDirectories: true)
        #expect(throws: FileError.self) { try PartFile.write([1], to: folder.path("a")) }
        #expect(folder.names == ["a"])
        #expect(throws: FileError.noFolder(folder.path("none"))) {
            try PartFile.write([1], to: folder.path("none/a"))
        }
    }
}

@Suite("A file of lines")
struct LineFileTests {
    @Test("replaces the file with its name, and has one writer")
    func replacing() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("lines")
        try Data("{}\n".utf8).write(to: URL(fileURLWithPath: path))
        let output = Output(
            path, kind: "lines", recognizing: { _ in "lines" }, overwrites: false, isOwn: { _ in true },
            isInput: { _ in false })
        let file = try #require(try LineFile(replacing: output))
        try file.append("{\"first\":1}")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "{}\n")
        #expect(try LineFile(replacing: output) == nil)
        try file.publish()
        try file.append("second")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "{\"first\":1}\nsecond\n")
        #expect(try LineFile(replacing: output) == nil)
        #expect(folder.names == ["lines"])
    }
}

@Suite("A file left by a killed process")
struct LeftoverTests {
    /// The part of a hidden name between the file's name and the process ID: ".viewport-HOST-".
    static func mark(_ folder: TemporaryFolder) throws -> String {
        let made = try OutputFolder(beside: folder.path("x"))
        defer { made.discard() }
        let name = URL(fileURLWithPath: made.path).lastPathComponent
        #expect(name.hasPrefix(".x.viewport-") && name.hasSuffix("-\(getpid()).part"))
        return String(name.dropFirst(2).dropLast("\(getpid()).part".count))
    }

    /// The ID of a process that has ended.
    static func deadProcess() async throws -> Int32 {
        let process = BuiltProgram(path: "/bin/sh").process(["-c", "exit 0"])
        try process.start()
        await process.end()
        return process.processIdentifier
    }

    @Test("is removed by the next process in the same folder, and no other file is")
    func swept() async throws {
        let folder = try TemporaryFolder()
        let mark = try Self.mark(folder)
        let dead = try await Self.deadProcess()
        let ours = [".a.dzi\(mark)\(dead).part", ".b.png\(mark)\(dead).part"]
        let others = [
            // Of a running process, of another host, of other programs, and a name that is not hidden.
            ".c.png\(mark)\(getppid()).part", ".d.png.viewport-other_host-\(dead).part",
            ".e.png.\(dead).part",
            "f.png\(mark)\(dead).part", ".g.png\(mark)x.part", ".h.png\(mark)0.part", ".i\(mark)-1.part",
        ]
        try FileManager.default.createDirectory(
            atPath: folder.path("\(ours[0])/tiles/0"), withIntermediateDirectories: true)
        try Data("x".utf8).write(to: folder.url.appendingPathComponent("\(ours[0])/tiles/0/0_0.jpg"))
        for name in ours.dropFirst() + others {
            try Data("x".utf8).write(to: folder.url.appendingPathComponent(name))
        }
        try OutputFile.check(folder.path("next.png"))
        #expect(folder.names == others.sorted())
    }

    @Test("is recognized by its lock and age if its process ID was reused")
    func reused() throws {
        let folder = try TemporaryFolder()
        let mark = try Self.mark(folder)
        let (old, new) = (".a\(mark)\(getppid()).part", ".b\(mark)\(getppid()).part")
        for name in [old, new] {
            try Data("x".utf8).write(to: folder.url.appendingPathComponent(name))
        }
        let held = try OutputFolder(beside: folder.path("c"))
        let twoDaysAgo: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSinceNow: -172_800)]
        for path in [folder.path(old), held.path] {
            try FileManager.default.setAttributes(twoDaysAgo, ofItemAtPath: path)
        }
        try OutputFile.check(folder.path("next.png"))
        #expect(folder.names == [new, URL(fileURLWithPath: held.path).lastPathComponent].sorted())
        held.discard()
    }
}

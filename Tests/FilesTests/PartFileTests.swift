import Files
import Foundation
import TestSupport
import Testing

@Suite("A file under a hidden name")
struct PartFileTests {
    @Test("appears whole, with the time it is given")
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

    @Test("is left alone while it is written")
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

    @Test("leaves nothing behind where it cannot have its name")
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
    @Test("replaces what has its name, and belongs to one writer")
    func replacing() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("lines")
        try Data("{}\n".utf8).write(to: URL(fileURLWithPath: path))
        let output = Output(path, .lines, inputs: [], overwrites: false) { _ in true }
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

import Files
import Foundation
import TestSupport
import Testing

@Suite("A file that is written")
struct OutputFileTests {
    @Test("has all bytes and leaves nothing beside it")
    func whole() throws {
        let folder = try TemporaryFolder()
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        try OutputFile.write(bytes, to: folder.path("a.bin"))
        #expect(try InputFile.contents(folder.path("a.bin")) == bytes)
        #expect(folder.names == ["a.bin"])
    }

    @Test("replaces what stood there")
    func replaced() throws {
        let folder = try TemporaryFolder()
        try OutputFile.write([1, 2, 3], to: folder.path("a.bin"))
        try OutputFile.write([4], to: folder.path("a.bin"))
        #expect(try InputFile.contents(folder.path("a.bin")) == [4])
    }

    @Test("goes nowhere where there is no folder, and says which is missing")
    func noFolder() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("no/such/a.bin")
        #expect(throws: FileError.noFolder(folder.path("no/such"))) { try OutputFile.check(path) }
        #expect(throws: FileError.noFolder(folder.path("no/such"))) { try OutputFile.write([1], to: path) }
    }

    @Test("on a full disk is an error and leaves nothing")
    func full() {
        #expect(throws: FileError.self) { try OutputFile.write([1, 2, 3], to: "/dev/full") }
    }
}

@Suite("A file that is read")
struct InputFileTests {
    @Test("is there, a file and not empty")
    func checks() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.path("empty")))
        #expect(throws: FileError.missing) { try InputFile.check(folder.path("nosuch")) }
        #expect(throws: FileError.missing) { try InputFile.check(folder.path("empty/below")) }
        #expect(throws: FileError.folder) { try InputFile.check(folder.url.path) }
        #expect(throws: FileError.empty) { try InputFile.check(folder.path("empty")) }
        #expect(throws: FileError.unreadable("it is no regular file")) { try InputFile.check("/dev/null") }
    }
}

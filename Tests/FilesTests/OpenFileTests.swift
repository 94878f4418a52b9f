import Files
import Foundation
import TestSupport
import Testing

@Suite("An open file")
struct OpenFileTests {
    private static func file(_ folder: TemporaryFolder, _ bytes: [UInt8]) throws -> OpenFile {
        try Data(bytes).write(to: folder.url.appendingPathComponent("a"))
        return try OpenFile(folder.path("a"))
    }

    @Test("is what was opened, though another file gets its name or it loses it")
    func replaced() throws {
        let folder = try TemporaryFolder()
        let bytes = [UInt8](repeating: 1, count: 100_000)
        let file = try Self.file(folder, bytes)
        try Data(repeating: 2, count: 50).write(to: folder.url.appendingPathComponent("a"), options: .atomic)
        #expect(try file.contents() == bytes)
        #expect(file.isUnchanged)
        try FileManager.default.removeItem(atPath: folder.path("a"))
        #expect(try file.bytes(99_990..<100_000) == [UInt8](repeating: 1, count: 10))
        try file.check()
        #if os(Linux)
            #expect(try Data(contentsOf: URL(fileURLWithPath: file.descriptorPath)).count == 100_000)
        #endif
    }

    @Test("tells that it was cut, and goes on telling it when the bytes are back")
    func cut() throws {
        let folder = try TemporaryFolder()
        let file = try Self.file(folder, [UInt8](repeating: 1, count: 100_000))
        let handle = try FileHandle(forWritingTo: folder.url.appendingPathComponent("a"))
        try handle.truncate(atOffset: 10)
        #expect(throws: FileError.changed) { try file.contents() }
        #expect(try file.bytes(0..<10).count == 10)
        try handle.truncate(atOffset: 100_000)
        #expect(try file.contents().count == 100_000)
        #expect(throws: FileError.changed) { try file.check() }
    }

    @Test("tells that it was written, though its size is the same")
    func written() throws {
        for _ in 0..<100 {
            let folder = try TemporaryFolder()
            let file = try Self.file(folder, [UInt8](repeating: 1, count: 1000))
            let handle = try FileHandle(forWritingTo: folder.url.appendingPathComponent("a"))
            try handle.write(contentsOf: Data([2]))
            #expect(throws: FileError.changed) { try file.check() }
        }
    }

    @Test("is none where no regular file with bytes is there")
    func refused() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: folder.url.appendingPathComponent("empty"))
        #expect(throws: FileError.empty) { try OpenFile(folder.path("empty")) }
        #expect(throws: FileError.missing) { try OpenFile(folder.path("nosuch")) }
        #expect(throws: FileError.folder) { try OpenFile(folder.url.path) }
        #expect(throws: FileError.unreadable("it is no regular file")) { try OpenFile("/dev/null") }
    }
}

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

    @Test("stays the opened file when its name is removed or reused")
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

    @Test("reports that it was truncated, also when the bytes are back")
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

    @Test("reports that it was written, even with the same size")
    func written() throws {
        for _ in 0..<100 {
            let folder = try TemporaryFolder()
            let file = try Self.file(folder, [UInt8](repeating: 1, count: 1000))
            let handle = try FileHandle(forWritingTo: folder.url.appendingPathComponent("a"))
            try handle.write(contentsOf: Data([2]))
            #expect(throws: FileError.changed) { try file.check() }
        }
    }

    @Test("is refused unless it is a nonempty regular file")
    func refused() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: folder.url.appendingPathComponent("empty"))
        #expect(throws: FileError.empty) { try OpenFile(folder.path("empty")) }
        #expect(throws: FileError.missing) { try OpenFile(folder.path("nosuch")) }
        #expect(throws: FileError.folder) { try OpenFile(folder.url.path) }
        #expect(throws: FileError.unreadable("it is a socket or a device")) { try OpenFile("/dev/null") }
    }
}

@Suite("A copy of a file")
struct FileCopyTests {
    @Test(
        "has a hidden name that file systems accept, however long the file's name is",
        arguments: [
            ("a.jpg", "b.jpg"), (String(repeating: "é", count: 120) + "1.jpeg", nil),
            (longName("1"), longName("2")),
        ] as [(String, String?)])
    func names(_ name: String, _ other: String?) throws {
        let folder = try TemporaryFolder()
        try Data([1, 2, 3]).write(to: folder.url.appendingPathComponent("source"))
        func copy(_ name: String) throws -> FileCopy {
            try FileCopy(of: folder.path("source"), beside: folder.path(name)) { _ in }
        }
        let first = try copy(name)
        #expect(folder.names.count == 2 && folder.names[0].hasPrefix(FileCopy.prefix))
        // Two programs that copy to the same destination do not write to the same file.
        let second = try copy(name)
        #expect(second.path != first.path)
        second.discard()
        if let other { #expect(try copy(other).path != first.path) }
        #expect(try first.publish(as: folder.path(name)))
        #expect(try folder.data(name) == Data([1, 2, 3]))
    }

    @Test(
        "is refused if the file changes while it is read",
        arguments: ["grows", "is cut", "is written", "is replaced"])
    func changes(_ way: String) throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("source")
        try Data(repeating: 1, count: 1_000_000).write(to: url)
        // Some file systems have a time resolution longer than this test.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_400_000_000)], ofItemAtPath: url.path)
        let handle = try FileHandle(forUpdating: url)
        var pieces = 0
        let failure = #expect(throws: FileCopy.Failure.self) {
            try FileCopy(of: folder.path("source"), beside: folder.path("copy")) { _ in
                pieces += 1
                guard pieces == 2 else { return }
                switch way {
                case "grows":
                    _ = try? handle.seekToEnd()
                    try? handle.write(contentsOf: Data([2]))
                case "is cut": try? handle.truncate(atOffset: 600_000)
                case "is written": try? handle.write(contentsOf: Data([2]))
                default: try? Data(repeating: 1, count: 1_000_000).write(to: url, options: .atomic)
                }
            }
        }
        guard case .some(.source) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(folder.names == ["source"])
    }

    @Test("replaces no existing file, and only abandoned copies are swept")
    func sweeping() throws {
        let folder = try TemporaryFolder()
        try Data([1, 2, 3]).write(to: folder.url.appendingPathComponent("source"))
        let copy = try FileCopy(of: folder.path("source"), beside: folder.path("a")) { _ in }
        try Data([4]).write(to: folder.url.appendingPathComponent("\(FileCopy.prefix)1-1-left"))
        FileCopy.sweep(folder.url.path)
        #expect(folder.names.count == 2)
        #expect(try copy.publish(as: folder.path("a")))
        #expect(folder.names == ["a", "source"])
        let second = try FileCopy(of: folder.path("source"), beside: folder.path("a")) { _ in }
        #expect(try !second.publish(as: folder.path("a")))
        second.discard()
        #expect(folder.names == ["a", "source"])
    }

    /// Returns a name of 255 bytes with the given end.
    private static func longName(_ ending: String) -> String {
        String(repeating: "n", count: 255 - ending.utf8.count) + ending
    }
}

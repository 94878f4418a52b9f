import Files
import Foundation
import Synchronization
import TestSupport
import Testing

extension Output {
    /// An output whose kind is that of its first byte.
    init(_ path: String, overwrites: Bool, isOwn: @escaping @Sendable (String) -> Bool) {
        self.init(
            path, kind: "\(OutputTests.png[0])", recognizing: { "\($0.first ?? 0)" }, overwrites: overwrites,
            isOwn: isOwn, isInput: { _ in false })
    }
}

@Suite("The rules of outputs")
struct OutputTests {
    static func output(_ path: String, overwrites: Bool = false, own: Bool = false) -> Output {
        Output(path, overwrites: overwrites) { _ in own }
    }

    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 1]

    @Test("keep a file that appears during the work")
    func appearing() throws {
        let folder = try TemporaryFolder()
        let output = Self.output(folder.path("a.png"))
        try output.check()
        try Data(Self.png).write(to: folder.url.appendingPathComponent("a.png"))
        #expect(throws: FileError.exists) { try output.write([1, 2, 3]) }
        #expect(try folder.data("a.png") == Data(Self.png))
        #expect(folder.names == ["a.png"])
    }

    @Test(
        "have hidden files of several roles, which a later check removes where their process was killed",
        arguments: ["a.tif", String(repeating: "long", count: 50) + ".tif"])
    func roles(_ name: String) throws {
        let folder = try TemporaryFolder()
        let output = Self.output(folder.path(name))
        let hidden = try [output.hiddenPath(), output.hiddenPath("rows-")]
        #expect(Set(hidden).count == 2)
        for path in hidden {
            // Of a process that does not exist.
            let left = path.replacing(
                "-\(ProcessInfo.processInfo.processIdentifier).part", with: "-99999999.part")
            #expect(left != path)
            try Data([1]).write(to: URL(fileURLWithPath: left))
        }
        try output.check()
        #expect(folder.names.isEmpty)
    }

    @Test("keep a file that another process puts there at the moment of publishing")
    func racing() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.png")
        try Data(Self.png).write(to: URL(fileURLWithPath: path))
        let looks = Mutex(0)
        // The first check finds a file of this program; another replaces it before it is renamed.
        let output = Output(path, overwrites: false) { path in
            let look = looks.withLock { looks in
                looks += 1
                return looks
            }
            guard look == 1 else { return false }
            let place = URL(fileURLWithPath: path)
            try? FileManager.default.removeItem(at: place)
            try? Data(Self.png + [9]).write(to: place)
            return true
        }
        #expect(throws: FileError.exists) { try output.write([1, 2, 3]) }
        #expect(try folder.data("a.png") == Data(Self.png + [9]))
        #expect(folder.names == ["a.png"])
    }

    @Test("write the target of a link and keep the link")
    func links() throws {
        let folder = try TemporaryFolder()
        try Data(Self.png).write(to: folder.url.appendingPathComponent("a.png"))
        try FileManager.default.createSymbolicLink(atPath: folder.path("l.png"), withDestinationPath: "a.png")
        try FileManager.default.createSymbolicLink(atPath: folder.path("d.png"), withDestinationPath: "none")
        try Self.output(folder.path("l.png"), own: true).write([1, 2])
        #expect(try folder.data("a.png") == Data([1, 2]))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("l.png")) == "a.png")
        #expect(throws: FileError.self) { try Self.output(folder.path("d.png")).check() }
    }

    @Test("allow writing to devices and replacing empty files")
    func special() throws {
        let folder = try TemporaryFolder()
        try Self.output("/dev/null").check()
        try Self.output("/dev/null").write([1])
        try Data().write(to: folder.url.appendingPathComponent("a.png"))
        try Self.output(folder.path("a.png")).write([1])
        #expect(try folder.data("a.png") == Data([1]))
    }

    @Test("allow many writers to replace their file, atomically each time")
    func crowd() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.png")
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let bytes = Self.png + [UInt8](repeating: UInt8(number), count: 1000)
                    #expect(throws: Never.self) { try Self.output(path, own: true).write(bytes) }
                }
            }
        }
        let bytes = try folder.data("a.png")
        #expect(bytes.count == 1005 && Set(bytes.dropFirst(5)).count == 1)
        #expect(folder.names == ["a.png"])
    }
}

@Suite("A file that is written")
struct OutputFileTests {
    @Test("has all bytes and leaves no other file")
    func whole() throws {
        let folder = try TemporaryFolder()
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        try OutputFile.write(bytes, to: folder.path("a.bin"))
        #expect(try InputFile.contents(folder.path("a.bin")) == bytes)
        #expect(folder.names == ["a.bin"])
    }

    @Test("replaces the existing file")
    func replaced() throws {
        let folder = try TemporaryFolder()
        try OutputFile.write([1, 2, 3], to: folder.path("a.bin"))
        try OutputFile.write([4], to: folder.path("a.bin"))
        #expect(try InputFile.contents(folder.path("a.bin")) == [4])
    }

    @Test("fails without its folder, and names the missing one")
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
    @Test("exists and is a nonempty file")
    func checks() throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.path("empty")))
        #expect(throws: FileError.missing) { try InputFile.check(folder.path("nosuch")) }
        #expect(throws: FileError.missing) { try InputFile.check(folder.path("empty/below")) }
        #expect(throws: FileError.folder) { try InputFile.check(folder.url.path) }
        #expect(throws: FileError.empty) { try InputFile.check(folder.path("empty")) }
        #expect(throws: FileError.unreadable("it is a socket or a device")) {
            try InputFile.check("/dev/null")
        }
    }
}

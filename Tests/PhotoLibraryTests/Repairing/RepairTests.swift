import Foundation
import PhotoLibrary
import TestSupport
import Testing

@Suite("A damaged catalogue")
struct RepairTests {
    @Test("is reported in one sentence, and rebuilt from the files; what it was is kept aside")
    func repair() async throws {
        let folder = try TemporaryFolder()
        let path: String
        do {
            let library = try await PhotoLibrary.create(folder.url.path)
            try Data(TinyPhoto.jpeg(salt: 1)).write(to: folder.url.appendingPathComponent("a.jpg"))
            try await library.index()
            path = library.cataloguePath
        }
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        try Data("This is no database, whatever its name says.".utf8).write(to: URL(fileURLWithPath: path))
        let error = await #expect(throws: LibraryError.self) { try await PhotoLibrary.open(folder.url.path) }
        #expect(error?.description.contains("--repair") == true)
        let (library, report) = try await PhotoLibrary.repair(folder.url.path)
        #expect(report.index.inserted == 1 && report.setAside == path + ".damaged-1")
        #expect(try await library.group(.all)?.count == 1)
        #expect(try await library.verify().isEmpty)
    }

    @Test("gives back identifiers, albums and picks that can still be read")
    func salvage() async throws {
        let folder = try TemporaryFolder()
        let before = try await PhotoLibrary.create(folder.url.path)
        for number in 0..<5 {
            try Data(TinyPhoto.jpeg(salt: UInt64(number))).write(
                to: folder.url.appendingPathComponent("\(number).jpg"))
        }
        try await before.index()
        let ids = try await before.collection().arrangement().ids
        try await before.add([ids[3], ids[1]], to: .picks)
        let album = try await before.createAlbum("Sea")
        try await before.add([ids[0]], to: album.id)
        let (after, report) = try await PhotoLibrary.repair(folder.url.path)
        #expect(report.assets == 5 && report.albums == 2 && report.members == 3)
        #expect(report.index.updated == 5 && report.index.inserted == 0)
        #expect(try await after.albumAssets(.picks) == [ids[3], ids[1]])
        #expect(try await after.albumAssets(album.id) == [ids[0]])
        #expect(try await after.collection().arrangement().ids == ids)
    }

    @Test("does not come of two processes that write one library at once")
    func processes() async throws {
        let test = try await TestLibrary()
        for number in 0..<200 { try test.write("\(number).jpg", TinyPhoto.jpeg(salt: UInt64(number))) }
        try await test.library.index()
        let program = BuiltProgram("many-photos")
        let processes = ["A", "B"].map { program.process(["index", test.folder.url.path, "--album", $0]) }
        for process in processes { try process.run() }
        for process in processes { process.waitUntilExit() }
        #expect(processes.allSatisfy { $0.terminationStatus == 0 })
        for name in ["A", "B"] { #expect(try await test.library.album(named: name)?.count == 200) }
        #expect(try await test.library.verify().isEmpty)
    }
}

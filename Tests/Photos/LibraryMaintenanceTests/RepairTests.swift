import Files
import Foundation
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import CatalogStorage
@testable import LibraryMaintenance

@Suite("A damaged catalog")
struct RepairTests {
    @Test("is reported in one sentence, and rebuilt from the files; the old one is kept")
    func repair() async throws {
        let folder = try TemporaryFolder()
        let path: String
        do {
            let library = try await PhotoLibrary.create(folder.url.path)
            try Data(TinyPhoto.jpeg(salt: 1)).write(to: folder.url.appendingPathComponent("a.jpg"))
            try await library.index()
            path = library.catalogPath
        }
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        try Data("This is no database, whatever its name says.".utf8).write(to: URL(fileURLWithPath: path))
        let error = await #expect(throws: LibraryError.self) { try await PhotoLibrary.open(folder.url.path) }
        #expect(error?.description.contains("the catalog is damaged") == true)
        let (library, report) = try await PhotoLibrary.rebuild(folder.url.path)
        #expect(report.index.inserted == 1 && report.setAside == path + ".damaged-1")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(LibraryFolder.name))
        #expect(!names.contains { $0.contains(".new") })
        #expect(try await library.group(.all)?.count == 1)
        #expect(try await library.verifyCatalog().isEmpty)
    }

    @Test("is rebuilt with the identifiers, albums and picks that can be read")
    func recovered() async throws {
        let folder = try TemporaryFolder()
        let before = try await PhotoLibrary.create(folder.url.path)
        for number in 0..<5 {
            try Data(TinyPhoto.jpeg(salt: UInt64(number))).write(
                to: folder.url.appendingPathComponent("\(number).jpg"))
        }
        try await before.index()
        let ids = try await before.collection().snapshot().ids
        try await before.add([ids[3], ids[1]], to: .picks)
        let album = try await before.createAlbum("Sea")
        try await before.add([ids[0]], to: album.id)
        let (after, report) = try await PhotoLibrary.rebuild(folder.url.path)
        #expect(report.assets == 5 && report.albums == 2 && report.members == 3)
        #expect(report.index.updated == 5 && report.index.inserted == 0)
        #expect(try await after.albumAssets(.picks) == [ids[3], ids[1]])
        #expect(try await after.albumAssets(album.id) == [ids[0]])
        #expect(try await after.collection().snapshot().ids == ids)
    }

    @Test("is rebuilt with the rows around overwritten pages")
    func overwritten() async throws {
        let folder = try TemporaryFolder()
        let path: String
        let count = 2000
        do {
            let library = try await PhotoLibrary.create(folder.url.path)
            path = library.catalogPath
            let ids = try await library.insert(try (0..<count).map { try .made("\($0).jpg") })
            try await library.add([ids[0], ids[count - 1]], to: .picks)
            try library.close()
        }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let middle = try file.seekToEnd() / 2 / 4096 * 4096
        try file.seek(toOffset: middle)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 40 * 4096))
        try file.close()
        let recovered = RecoveredRows(path: path)
        #expect(recovered.assets.count > count / 2 && recovered.assets.count < count)
        #expect(recovered.assets.allSatisfy { $0.path == "\($0.id - 1).jpg" })
        #expect(recovered.albums.first { $0.id == 1 }?.assets == [1, Int64(count)])
        let (library, report) = try await PhotoLibrary.rebuild(folder.url.path)
        // The files do not exist.
        #expect(report.assets == recovered.assets.count && report.index.removed == report.assets)
        #expect(try await library.verifyCatalog().isEmpty)
    }

    @Test("is not rebuilt while the library is indexed or rebuilt")
    func once() async throws {
        let test = try await TestLibrary()
        let lock = try FileLock(test.library.catalogPath + ".lock", .alone)
        await #expect(throws: LibraryError(.indexing(catalog: test.library.catalogPath))) {
            _ = try await PhotoLibrary.rebuild(test.folder.url.path)
        }
        withExtendedLifetime(lock) {}
    }

    @Test("does not result from two processes that write concurrently")
    func processes() async throws {
        let test = try await TestLibrary()
        for number in 0..<200 { try test.write("\(number).jpg", TinyPhoto.jpeg(salt: UInt64(number))) }
        try await test.library.index()
        let program = BuiltProgram("many-photos")
        let processes = ["A", "B"].map { program.process(["index", test.folder.url.path, "--album", $0]) }
        for process in processes { try process.start() }
        for process in processes { await process.end() }
        #expect(processes.allSatisfy { $0.terminationStatus == 0 })
        for name in ["A", "B"] { #expect(try await test.library.album(named: name)?.count == 200) }
        #expect(try await test.library.verifyCatalog().isEmpty)
    }
}

import Foundation
import GRDB
import TestSupport
import Testing

@testable import AssetCatalog
@testable import CatalogStorage

@Suite("A new catalog")
struct CatalogMakingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Makes a catalog and opens it, lets another connection use it before or after, and takes it back.
    private func isTakenBack(
        before: ((CatalogStore) throws -> Void)? = nil, after: ((CatalogStore) throws -> Void)? = nil
    ) throws -> Bool {
        let path = folder.path("catalog.sqlite")
        let content = try #require(try CatalogStore.make(at: path))
        #expect(try CatalogStore.make(at: path) == nil)
        func use(_ body: (CatalogStore) throws -> Void) throws {
            let other = try CatalogStore(path: path)
            try body(other)
            try other.close()
        }
        if let before { try use(before) }
        let catalog = try CatalogStore(path: path)
        let version = try catalog.foreignVersion(of: content)
        if let after { try use(after) }
        var isRemoved = false
        return version.map { version in
            let isTaken = catalog.takeBack(since: version) { isRemoved = true }
            #expect(isTaken == isRemoved)
            return isTaken
        } ?? false
    }

    @Test("is taken back by its maker if nobody else uses it, and not while another process has it open")
    func unused() throws {
        #expect(try isTakenBack())
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("catalog.sqlite"))
        var other: CatalogStore?
        let path = folder.path("catalog.sqlite")
        let isTaken = try isTakenBack(after: { _ in other = try CatalogStore(path: path) })
        #expect(!isTaken)
        try other?.close()
    }

    @Test("is not taken back by a process that came second")
    func second() throws {
        let path = folder.path("catalog.sqlite")
        let winner = try PhotoLibrary.make(folder.url.path, catalog: path)
        let loser = try PhotoLibrary.make(folder.url.path, catalog: path)
        #expect(winner.isNew && winner.version != nil)
        #expect(!loser.isNew && loser.version == nil)
        // The winner has ended, and has written nothing yet: only the version tells whose catalog it is.
        try winner.library.close()
        var isRemoved = false
        if let version = loser.version { _ = loser.library.takeBack(since: version) { isRemoved = true } }
        #expect(!isRemoved)
        try loser.library.close()
    }

    @Test(
        "is kept if another process writes it before its maker opens it, or later", arguments: [true, false])
    func written(_ isBefore: Bool) throws {
        let write: (CatalogStore) throws -> Void = { other in
            try other.writeAndWait { try $0.database.execute(sql: "INSERT INTO setting VALUES ('own', '1')") }
        }
        #expect(try !isTakenBack(before: isBefore ? write : nil, after: isBefore ? nil : write))
    }
}

import GRDB
import TestSupport
import Testing

@testable import AssetCatalog

@Suite("A new catalog")
struct CatalogMakingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Makes a catalog and opens it, lets another connection use it before and after, and takes it back.
    private func isTakenBack(
        before: (Catalog) throws -> Void = { _ in }, after: (Catalog) throws -> Void = { _ in }
    ) throws -> Bool {
        let path = folder.path("catalog.sqlite")
        let content = try #require(try Catalog.make(at: path))
        #expect(try Catalog.make(at: path) == nil)
        func use(_ body: (Catalog) throws -> Void) throws {
            let other = try Catalog(path: path)
            try body(other)
            try other.close()
        }
        try use(before)
        let catalog = try Catalog(path: path)
        let version = try catalog.foreignVersion(of: content)
        try use(after)
        var isRemoved = false
        return version.map { version in
            let isTaken = catalog.takeBack(since: version) { isRemoved = true }
            #expect(isTaken == isRemoved)
            return isTaken
        } ?? false
    }

    @Test(
        "is kept if another process writes it before its maker opens it, or later", arguments: [true, false])
    func written(_ isBefore: Bool) throws {
        let write: (Catalog) throws -> Void = { other in
            try other.writeAndWait { try $0.execute(sql: "INSERT INTO setting VALUES ('own', '1')") }
        }
        #expect(try !isTakenBack(before: isBefore ? write : { _ in }, after: isBefore ? { _ in } : write))
    }
}

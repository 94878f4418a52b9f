import PhotoCatalog
import Synchronization
import TestLibraries
import TestSupport
import Testing

@Suite("Notices of a library")
struct LibraryNoticesTests {
    @Test("begin with the initial groups")
    func setUp() async throws {
        let test = try await TestLibrary([try .made("a.jpg")])
        var notices = test.library.changes.makeAsyncIterator()
        let groups = try await test.library.groups()
        #expect(try await notices.next() == .initial(groups: groups))
    }

    @Test("contain inserted, updated and deleted groups; deleted ones in their last state")
    func groups() async throws {
        let test = try await TestLibrary()
        let library = test.library
        var notices = library.changes.makeAsyncIterator()
        _ = try await notices.next()
        let album = try await library.createAlbum("Sea")
        #expect(try await notices.next() == .groupsChanged(inserted: [album], updated: [], deleted: []))
        let ids = try await library.insert([try .made("x/a.jpg", bytes: 7)])
        guard case .groupsChanged(let inserted, let updated, let deleted) = try await notices.next() else {
            Issue.record("another notice")
            return
        }
        #expect(inserted.map(\.name) == ["x"] && updated.map(\.kind) == [.all] && deleted.isEmpty)
        #expect(try await notices.next() == .assetsChanged(inserted: ids, updated: [], removed: []))
        try await library.add(ids, to: album.id)
        var full = album
        (full.count, full.bytes) = (1, 7)
        #expect(try await notices.next() == .groupsChanged(inserted: [], updated: [full], deleted: []))
        try await library.renameAlbum(album.id, to: "Lake")
        full.name = "Lake"
        #expect(try await notices.next() == .groupsChanged(inserted: [], updated: [full], deleted: []))
        try await library.deleteAlbum(album.id)
        #expect(try await notices.next() == .groupsChanged(inserted: [], updated: [], deleted: [full]))
    }

    @Test("combine the changes between two reads, without assets that were inserted and removed")
    func coalescing() async throws {
        let test = try await TestLibrary()
        let library = test.library
        let old = try await library.insert(try (0..<3).map { try .made("\($0).jpg") })
        var notices = library.changes.makeAsyncIterator()
        _ = try await notices.next()
        let new = try await library.insert([try .made("new.jpg"), try .made("gone.jpg")])
        try await library.remove([new[1], old[2]])
        for id in [new[0], old[0]] {
            var asset = try #require(try await library.asset(id))
            asset.title = "A title"
            try await library.update([asset])
        }
        // The groups have the same numbers of assets and bytes as before, so they are not updated.
        #expect(
            try await notices.next()
                == .assetsChanged(inserted: [new[0]], updated: [old[0]], removed: [old[2]]))
    }
}

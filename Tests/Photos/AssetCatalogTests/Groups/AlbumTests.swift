import PhotoCatalog
import TestLibraries
import Testing

@Suite("Groups")
struct AlbumTests {
    @Test("are everything, the picks, albums, and folders with files, each with count and bytes")
    func groups() async throws {
        let test = try await TestLibrary([
            try .made("a.jpg", bytes: 1), try .made("x/b.jpg", bytes: 20), try .made("x/y/c.jpg", bytes: 300),
            try .made("x/d.jpg", bytes: 4000),
        ])
        let groups = try await test.library.groups()
        #expect(groups.map(\.kind) == [.all, .picks, .folder, .folder, .folder])
        #expect(groups.map(\.name) == ["", "Picks", "", "x", "x/y"])
        #expect(groups.map(\.count) == [4, 0, 1, 2, 1])
        #expect(groups.map(\.bytes) == [4321, 0, 1, 4020, 300])
    }

    @Test("of the user add, return, remove and count assets")
    func albums() async throws {
        for isPicks in [true, false] {
            let test = try await TestLibrary()
            let library = test.library
            let ids = try await library.insert(try (0..<5).map { try .made("\($0).jpg", bytes: 10 + $0) })
            let id = isPicks ? .picks : try await library.createAlbum("Sea").id
            try await library.add([ids[3], ids[1], ids[4]], to: id)
            try await library.add([ids[1], ids[0]], to: id)
            #expect(try await library.albumAssets(id) == [ids[3], ids[1], ids[4], ids[0]])
            #expect(try await library.group(id)?.count == 4)
            #expect(try await library.group(id)?.bytes == 48)
            try await library.remove([ids[1]], from: id)
            #expect(try await library.albumAssets(id) == [ids[3], ids[4], ids[0]])
            let collection = library.collection(of: id)
            #expect(try await collection.assets(inEntry: 0).map(\.path) == ["0.jpg", "3.jpg", "4.jpg"])
            try await library.remove([ids[3]])
            try await library.insert([try .made("3.jpg", bytes: 13)])
            #expect(try await library.group(id)?.count == 2)
            try await library.deleteAlbum(id)
            #expect(try await library.group(id)?.count == (isPicks ? 0 : nil))
            #expect(try await library.group(.all)?.count == 5)
        }
    }

    @Test("of the user have unique names")
    func names() async throws {
        let test = try await TestLibrary()
        let library = test.library
        func names() async throws -> [String] {
            try await library.groups().filter { $0.kind == .album }.map(\.name)
        }
        let (a, b, c) = (
            try await library.createAlbum("A").id, try await library.createAlbum("B").id,
            try await library.createAlbum("C").id
        )
        #expect(try await names() == ["A", "B", "C"])
        try await library.renameAlbum(b, to: "Ä")
        #expect(try await library.album(named: "Ä")?.id == b)
        await #expect(throws: LibraryError(.albumExists("A"))) { try await library.createAlbum("A") }
        await #expect(throws: LibraryError(.albumExists("C"))) { try await library.renameAlbum(a, to: "C") }
        try await library.renameAlbum(a, to: "A")
        try await library.deleteAlbum(c)
        #expect(try await names() == ["A", "Ä"])
        let next = try await library.createAlbum("C").id
        #expect(next != c)
    }

    @Test("other than albums cannot be changed")
    func errors() async throws {
        let test = try await TestLibrary([try .made("a.jpg")])
        let library = test.library
        await #expect(throws: LibraryError.noAlbum) { try await library.add([1], to: .all) }
        await #expect(throws: LibraryError.noAlbum) { try await library.add([1], to: .album(99)) }
        await #expect(throws: LibraryError.noAlbum) { try await library.deleteAlbum(.folder(1)) }
        await #expect(throws: LibraryError(.noAsset(77))) { try await library.add([1, 77], to: .picks) }
        #expect(try await library.group(.picks)?.count == 0)
    }
}

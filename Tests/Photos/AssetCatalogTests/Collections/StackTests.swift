import Files
import Foundation
import GRDB
import ImageMetadata
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import CatalogStorage

@Suite("Stacks")
struct StackTests {
    /// A photo with its date and, after a bar, its camera.
    struct Photo: CustomTestStringConvertible, Sendable {
        var path: String
        var date: String?
        var camera: String?
        var format = FileFormat.jpeg
        var burst: String?
        var rating: Int?
        var testDescription: String { path }

        init(
            _ path: String, _ date: String? = "2014-05-25T10:00:00", camera: String? = nil,
            burst: String? = nil, rating: Int? = nil
        ) {
            (self.path, self.date, self.camera, self.burst, self.rating) = (path, date, camera, burst, rating)
            let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
            format = FileFormat(word: ending) ?? .jpeg
        }

        func asset() throws -> Asset {
            var asset = try Asset.made(path, date, kinds: format == .jpeg ? [.photo, .jpeg] : .photo)
            (asset.format, asset.model, asset.burst, asset.rating) = (format, camera, burst, rating)
            if let date, date.count == 10 { asset.date?.hasTime = false }
            if path.hasSuffix(".mov") { asset.kinds = .video }
            return asset
        }
    }

    private func library(_ photos: [Photo]) async throws -> TestLibrary {
        try await TestLibrary(photos.map { try $0.asset() })
    }

    /// The stacks by the paths of their files, the cover first.
    private func stacks(_ library: PhotoLibrary) async throws -> Set<[String]> {
        let covers = try await library.stackCovers(after: 0, limit: 100)
        return Set(
            try await library.stacks(of: covers).values.map {
                [$0[0].path] + $0.dropFirst().map(\.path).sorted()
            })
    }

    private func shown(_ library: PhotoLibrary, _ parameters: [(String, String)] = []) async throws
        -> [String]
    {
        let collection = try await library.collection(
            for: AssetRequest(parameters.map { (name: $0.0, value: $0.1) }))
        let ids = try await collection.snapshot().ids
        let assets = try await library.assets(ids)
        // Counts and pages say the same.
        let entries = try await collection.entries()
        #expect(entries.reduce(0) { $0 + $1.count } == ids.count, "\(parameters)")
        #expect(try await collection.assets(0..<100).map(\.id) == ids, "\(parameters)")
        return assets.map(\.path)
    }

    @Test(
        "join files of one shot and of one burst, by name, time and camera, with the right cover",
        arguments: [
            ([Photo("a/I_1.dng"), Photo("a/I_1.JPG")], [["a/I_1.JPG", "a/I_1.dng"]]),
            ([Photo("I.heic"), Photo("I.jpg", "2014-05-25T10:00:01")], [["I.heic", "I.jpg"]]),
            ([Photo("I.heic"), Photo("I.jpg", "2014-05-25T10:00:02")], []),
            ([Photo("I.dng", camera: "X"), Photo("I.jpg", camera: "Y")], []),
            ([Photo("I.dng", camera: "X"), Photo("I.jpg")], [["I.jpg", "I.dng"]]),
            ([Photo("a/I.dng"), Photo("b/I.jpg")], []),
            ([Photo("I.dng", nil), Photo("I.jpg", nil)], []),
            ([Photo("I.dng", "2014-05-25"), Photo("I.jpg", "2014-05-25")], []),
            ([Photo("I.mov"), Photo("I.jpg")], []),
            (
                [Photo("IMG_1.HEIC"), Photo("IMG_E1.JPG"), Photo("IMG_2.HEIC")],
                [["IMG_E1.JPG", "IMG_1.HEIC"]]
            ),
            ([Photo("a.jpg"), Photo("a-edited.jpg")], [["a-edited.jpg", "a.jpg"]]),
            (
                [Photo("a.jpg"), Photo("a-bearbeitet.jpg"), Photo("a~2.jpg")],
                [["a-bearbeitet.jpg", "a.jpg", "a~2.jpg"]]
            ),
            (
                [Photo("PXL_1.RAW-01.COVER.jpg"), Photo("PXL_1.RAW-02.ORIGINAL.dng")],
                [["PXL_1.RAW-01.COVER.jpg", "PXL_1.RAW-02.ORIGINAL.dng"]]
            ),
            // A Pixel writes the raw file of a shot up to four seconds later.
            (
                [Photo("PXL_1.jpg"), Photo("PXL_1.RAW-02.ORIGINAL.dng", "2014-05-25T10:00:04")],
                [["PXL_1.jpg", "PXL_1.RAW-02.ORIGINAL.dng"]]
            ),
            ([Photo("PXL_1.jpg"), Photo("PXL_1.RAW-02.ORIGINAL.dng", "2014-05-25T10:00:05")], []),
            ([Photo("IMG_1.jpg"), Photo("IMG_1.dng", "2014-05-25T10:00:04")], []),
            (
                [
                    Photo("1.jpg", burst: "B"), Photo("2.jpg", "2014-05-25T10:00:40", burst: "B"),
                    Photo("3.jpg", "2014-05-25T10:02:40", burst: "B"), Photo("4.jpg", burst: "C"),
                ], [["1.jpg", "2.jpg"]]
            ),
            // The best rated is the cover, a rejected one never.
            (
                [
                    Photo("1.jpg", burst: "B", rating: -1), Photo("2.jpg", burst: "B"),
                    Photo("3.jpg", burst: "B", rating: 2),
                ], [["3.jpg", "1.jpg", "2.jpg"]]
            ),
            // A raw file of a frame joins the burst.
            (
                [Photo("1.jpg", burst: "B"), Photo("2.jpg", burst: "B"), Photo("2.dng")],
                [["1.jpg", "2.dng", "2.jpg"]]
            ),
        ] as [([Photo], [[String]])])
    func rules(_ photos: [Photo], _ expected: [[String]]) async throws {
        let test = try await library(photos)
        #expect(try await stacks(test.library) == Set(expected))
        // In any order, and one at a time.
        let other = try await TestLibrary()
        for photo in photos.reversed() { try await other.library.insert([try photo.asset()]) }
        #expect(try await stacks(other.library) == Set(expected))
    }

    @Test("are one item, where the cover is found; otherwise the file itself is")
    func shownOnce() async throws {
        let test = try await library([
            Photo("I.dng"), Photo("I.jpg"), Photo("J.jpg", "2014-05-26T10:00:00"), Photo("K.jpg", nil),
            Photo("K.dng", nil),
        ])
        let library = test.library
        #expect(try await shown(library) == ["I.jpg", "J.jpg", "K.dng", "K.jpg"])
        #expect(try await shown(library, [("sort", "desc")]) == ["J.jpg", "I.jpg", "K.jpg", "K.dng"])
        #expect(
            try await shown(library, [("stack", "none")]) == ["I.dng", "I.jpg", "J.jpg", "K.dng", "K.jpg"])
        #expect(try await shown(library, [("where", "type:raw")]) == ["I.dng", "K.dng"])
        #expect(try await shown(library, [("where", "type:photo")]) == ["I.jpg", "J.jpg", "K.dng", "K.jpg"])
        #expect(
            try await shown(library, [("filter", "jpeg"), ("group-by", "day")]) == [
                "I.jpg", "J.jpg", "K.jpg",
            ])
        #expect(try await shown(library, [("from", "2014-05-25"), ("to", "2014-05-25")]) == ["I.jpg"])
        #expect(try await shown(library, [("where", "stack:any")]) == ["I.dng", "I.jpg"])
        #expect(try await shown(library, [("where", "stack:other")]) == ["I.dng"])
        #expect(try await shown(library, [("where", "-stack:none")]) == ["I.dng", "I.jpg"])
        let cover = try #require(try await library.asset(path: "I.jpg"))
        #expect(cover.stack == cover.id && cover.stackCount == 2)
        #expect(try await shown(library, [("where", "stack:\(cover.id)")]) == ["I.dng", "I.jpg"])
        // An album with the raw file alone shows it; with both, the cover.
        let raw = try #require(try await library.asset(path: "I.dng"))
        #expect(raw.stack == cover.id)
        let album = try await library.createAlbum("A")
        try await library.add([raw.id], to: album.id)
        #expect(try await shown(library, [("album", "A")]) == ["I.dng"])
        try await library.add([cover.id], to: album.id)
        #expect(try await shown(library, [("album", "A"), ("group-by", "month")]) == ["I.jpg"])
        #expect(throws: LibraryError.self) { try AssetQuery("stack:first") }
        #expect(throws: LibraryError.self) { try AssetRequest([("stack", "some")]) }
    }

    @Test("follow changes: a chosen cover, a file that goes, a date, and folders that are joined")
    func changes() async throws {
        let test = try await library([
            Photo("a/1.jpg", burst: "B"), Photo("a/2.jpg", burst: "B"), Photo("a/3.jpg", burst: "B"),
            Photo("b/1.dng"),
        ])
        let library = test.library
        func id(_ path: String) async throws -> Asset.ID {
            try #require(try await library.asset(path: path)).id
        }
        #expect(try await stacks(library) == [["a/1.jpg", "a/2.jpg", "a/3.jpg"]])
        try await library.chooseCover(try await id("a/3.jpg"))
        #expect(try await stacks(library) == [["a/3.jpg", "a/1.jpg", "a/2.jpg"]])
        try await library.chooseCover(try await id("a/2.jpg"))
        #expect(try await stacks(library) == [["a/2.jpg", "a/1.jpg", "a/3.jpg"]])
        #expect(try await shown(library) == ["a/2.jpg", "b/1.dng"])
        try await library.setStacksJoinFolders(true)
        #expect(try await stacks(library) == [["a/2.jpg", "a/1.jpg", "a/3.jpg", "b/1.dng"]])
        try await library.setStacksJoinFolders(false)
        try await library.remove([try await id("a/2.jpg")])
        #expect(try await stacks(library) == [["a/1.jpg", "a/3.jpg"]])
        #expect(try await shown(library) == ["a/1.jpg", "b/1.dng"])
        var other = try #require(try await library.asset(path: "a/3.jpg"))
        other.date = try Asset.made("x", "2014-06-25T10:00:00").date
        try await library.update([other])
        #expect(try await stacks(library).isEmpty)
        #expect(try await shown(library) == ["a/1.jpg", "b/1.dng", "a/3.jpg"])
        await #expect(throws: LibraryError.self) { try await library.chooseCover(999) }
        #expect(try await library.verifyCatalog().isEmpty)
    }

    @Test("join files by words of edited copies that are in no table once the library knows them")
    func words() async throws {
        let test = try await library([
            Photo("a.jpg"), Photo("a-quux zot.jpg"), Photo("b.heic"), Photo("b-QUUX ZOT.jpg"),
            Photo("c-quux zot.jpg"),
            Photo("d.jpg"), Photo("d-2.jpg"),
        ])
        #expect(try await stacks(test.library).isEmpty)
        for _ in 0..<2 {
            try await test.library.write { try $0.stacks.learn(["quux zot", "a/b"]) }
            #expect(
                try await stacks(test.library) == [
                    ["a-quux zot.jpg", "a.jpg"], ["b-QUUX ZOT.jpg", "b.heic"],
                ])
        }
        // They are kept, and count for what comes later.
        try await test.library.insert([try Photo("c.jpg").asset()])
        #expect(try await stacks(test.library).contains(["c-quux zot.jpg", "c.jpg"]))
        #expect(try await test.library.read { try $0.editedWords().all } == ["quux zot"])
    }

    @Test("and albums and edits of a library that an earlier version has made stay as they are")
    func earlier() async throws {
        let test = try await TestLibrary()
        let names = [
            "IMG_1.JPG", "IMG_E1.JPG", "20231207_101605_001.jpg", "20231207_101605_002.jpg", "c.jpg",
        ]
        for (salt, name) in names.enumerated() {
            let camera = name.hasPrefix("2023") ? "samsung" : "Lens"
            try test.write(
                "a/\(name)", TinyPhoto.jpeg(date: "2014:05:25 10:00:00", make: camera, salt: UInt64(salt)))
        }
        let library = test.library
        try await library.index()
        let raw = try #require(try await library.asset(path: "a/IMG_1.JPG"))
        try await library.chooseCover(raw.id)
        try await library.edit([raw.id], AssetEdit(title: "T"))
        let album = try await library.createAlbum("A")
        try await library.add([raw.id], to: album.id)
        func state() async throws -> [String] {
            let assets = try await library.assets(try await library.collection().snapshot().ids)
            return try await stacks(library).map { $0.joined(separator: " ") }.sorted()
                + assets.map { "\($0.id) \($0.path) \($0.title ?? "") \($0.date?.description ?? "")" }
                + [try await library.albumAssets(album.id).description]
        }
        let before = try await state()
        #expect(before.contains { $0.hasPrefix("a/IMG_1.JPG a/IMG_E1.JPG") })
        try await library.write { catalog in
            try catalog.database.execute(
                sql: """
                    UPDATE asset SET reading = 0;
                    UPDATE setting SET value = '1' WHERE name = 'stackRules';
                    """)
        }
        #expect(try await library.index().updated == names.count)
        #expect(try await state() == before)
    }

    @Test("stay as they are when their files are indexed again, moved or edited")
    func indexed() async throws {
        let test = try await TestLibrary()
        for (name, salt) in [("IMG_1.JPG", 1), ("IMG_E1.JPG", 2), ("IMG_2.JPG", 3)] as [(String, UInt64)] {
            try test.write("a/\(name)", TinyPhoto.jpeg(date: "2014:05:25 10:00:00", salt: salt))
        }
        let library = test.library
        try await library.index()
        #expect(try await stacks(library) == [["a/IMG_E1.JPG", "a/IMG_1.JPG"]])
        let raw = try #require(try await library.asset(path: "a/IMG_1.JPG"))
        try await library.edit([raw.id], AssetEdit(title: "T"))
        #expect(try await stacks(library) == [["a/IMG_E1.JPG", "a/IMG_1.JPG"]])
        #expect(try await shown(library) == ["a/IMG_2.JPG", "a/IMG_E1.JPG"])
        try test.move("a/IMG_1.JPG", to: "b/IMG_1.JPG")
        try await library.index()
        #expect(try await stacks(library).isEmpty)
        try test.move("b/IMG_1.JPG", to: "a/IMG_1.JPG")
        try await library.index()
        #expect(try await stacks(library) == [["a/IMG_E1.JPG", "a/IMG_1.JPG"]])
        // Cameras set the date of one file: it is another shot.
        try await library.edit([raw.id], AssetEdit(shift: 3600))
        #expect(try await stacks(library).isEmpty)
    }

    @Test("are the same from near a change as from all folders, at random")
    func random() async throws {
        var random = SplitMix64(seed: 40)
        func below(_ count: UInt64) -> Int { Int(random.next() % count) }
        let test = try await TestLibrary()
        let endings = ["jpg", "dng", "heic", "png"]
        for _ in 0..<20 {
            var batch: [Asset] = []
            for _ in 0..<4 {
                let path = "f\(below(2))/I\(below(6))\(below(3) == 0 ? "-edited" : "").\(endings[below(4)])"
                guard try await test.library.asset(path: path) == nil,
                    !batch.contains(where: { $0.path == path })
                else { continue }
                let photo = Photo(
                    path, "2014-05-2\(4 + below(2))T23:59:5\(8 + below(2))",
                    camera: ["X", "Y", nil][below(3)],
                    burst: ["B", nil, nil][below(3)])
                batch.append(try photo.asset())
            }
            try await test.library.insert(batch)
            let all = try await test.library.collection().snapshot().ids
            if below(2) == 0, let one = all.last { try await test.library.remove([one]) }
            let near = try await stacks(test.library)
            try await test.library.write { catalog in
                try catalog.database.execute(
                    sql: "UPDATE asset SET stack = NULL, kinds = kinds & ~128; DELETE FROM restacking;")
                for day in 0..<100 {
                    try catalog.database.execute(
                        sql: "INSERT INTO restacking SELECT id, ? FROM folder", arguments: [day])
                }
                try catalog.stacks.update()
            }
            #expect(try await stacks(test.library) == near)
        }
    }
}

import Basics
import Files
import Foundation
import GRDB
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import CatalogStorage
@testable import ExportDocuments
@testable import LibraryMaintenance
@testable import PhotoImport

/// Paths that are equal as text: "é" in one scalar, and "e" with a combining accent.
@Suite("Paths that are equal as text")
struct TwinPathTests {
    private static let names = ["caf\u{E9}", "cafe\u{301}"]
    private static let mark = "\u{301}"

    private func film(after seconds: Int) -> [UInt8] {
        FilmMaker.film(created: 2_082_844_800 + 1_401_012_000 + seconds)
    }

    private func partner(of path: String, in library: PhotoLibrary) async throws -> FilePath? {
        guard let id = try await library.asset(path: path)?.livePartner else { return nil }
        return try await library.asset(id)?.file
    }

    @Test("are other assets, groups, entries, findings and files")
    func values() throws {
        let assets = try Self.names.map { try Asset.made($0) }
        var second = assets[1]
        (second.id, second.sha256) = (assets[0].id, assets[0].sha256)
        #expect(assets[0] != second)
        let groups = Self.names.map { AssetGroup(id: .folder(1), name: $0, count: 1, bytes: 1) }
        #expect(groups[0] != groups[1])
        #expect(LibraryChange(from: [groups[0]], to: [groups[1]]) != nil)
        #expect(Set(Self.names.map { EntryKey.text($0) } + Self.names.map { EntryKey.place($0) }).count == 4)
        let failures = Self.names.map { IndexReport.Failure(path: $0, reason: "") }
        #expect(failures[0] != failures[1])
        let findings = Self.names.map { LibraryFinding(kind: .new, count: 1, files: [FilePath($0)]) }
        #expect(findings[0] != findings[1])
        let plans = assets.map { DuplicatePlan.File($0, .keep) }
        #expect(plans[0].file != plans[1].file)
    }

    @Test("are paired with their own films", arguments: [[0, 1], [1, 0]])
    func livePhotos(_ order: [Int]) async throws {
        let test = try await TestLibrary()
        for twin in order {
            try test.write(
                "\(Self.names[twin]).jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00", salt: UInt64(twin)))
            try test.write("\(Self.names[twin]).mov", film(after: twin))
            try await test.library.index()
        }
        for name in Self.names {
            #expect(try await partner(of: "\(name).mov", in: test.library) == FilePath("\(name).jpg"))
        }
    }

    @Test("are both noticed by a watch")
    func watching() async throws {
        let test = try await TestLibrary()
        let follower = try FolderFollower(SidecarPlaces(root: test.library.root, folder: nil))
        for (salt, name) in Self.names.enumerated() {
            try test.write("\(name).jpg", TinyPhoto.jpeg(salt: UInt64(salt)))
        }
        var seen: Set<FilePath> = []
        while seen.count < 2 { seen.formUnion(try follower.next(CancellationFlag()).map { FilePath($0) }) }
        #expect(seen == Set(Self.names.map { FilePath("\($0).jpg") }))
    }

    @Test("in a Takeout have their own sidecars, and one sidecar in another form belongs to the only file")
    func takeout() throws {
        func file(_ path: String) -> SourceFile {
            SourceFile(path: FilePath(path), status: FileStatus(size: 1, modified: 0, inode: 1, device: 1))
        }
        func sidecar(_ name: String) throws -> TakeoutMatcher.Sidecar {
            let json = #"{"title":"\#(name)","photoTakenTime":{"timestamp":"1"}}"#
            guard case .sidecar(let content) = try TakeoutDocument(Array(json.utf8)) else {
                throw InvalidText("no sidecar")
            }
            return TakeoutMatcher.Sidecar(
                file: file("/t/\(name).json"), name: try #require(TakeoutSidecarName("\(name).json")),
                content: content)
        }
        let media = Self.names.map { file("/t/\($0).jpg") }
        for order in [[0, 1], [1, 0]] {
            let sidecars = try order.map { try sidecar("\(Self.names[$0]).jpg") }
            let matcher = TakeoutMatcher(media, sidecars)
            #expect(matcher.sidecarOf == [order[0]: 0, order[1]: 1])
        }
        let single = TakeoutMatcher([media[0]], [try sidecar("\(Self.names[1]).jpg")])
        #expect(single.sidecarOf == [0: 0])
        // Edited copies follow the original of their own form.
        let edited = Self.names.map { file("/t/\($0)-edited.jpg") }
        let matcher = TakeoutMatcher(media + edited, try Self.names.map { try sidecar("\($0).jpg") })
        #expect(matcher.originalOf == [2: 0, 3: 1] && matcher.sidecarOf == [0: 0, 1: 1, 2: 0, 3: 1])
    }

    @Test("that a name begins with a combining mark does not hide its folder")
    func marks() async throws {
        let test = try await TestLibrary()
        let paths = ["trip/\(Self.mark)a.jpg", "trip/b.jpg"]
        for (salt, path) in paths.enumerated() { try test.write(path, TinyPhoto.jpeg(salt: UInt64(salt))) }
        for _ in 0..<3 {
            try await test.library.index()
            #expect(
                Set(try await test.paths().map { FilePath($0) }) == Set(paths.map { FilePath($0) }))
        }
        #expect(try await test.library.groups().filter { $0.kind == .folder }.map(\.name) == ["trip"])
        #expect(try await test.library.examine().allSatisfy { !$0.isFault })
    }
}

@Suite("The count of an import")
struct ImportBalanceTests {
    private let paths = ["/c/caf\u{E9}.jpg", "/c/cafe\u{301}.jpg", "/c/b.jpg"].map { FilePath($0) }

    @Test("is right if each file that was found is accounted for")
    func balanced() throws {
        try ImportBalance.check(paths, paths.reversed())
        // Two sources hold one file; an archive has two entries of one name.
        try ImportBalance.check(paths + paths, paths)
        try ImportBalance.check(paths + [paths[0]], paths + [paths[0]])
    }

    @Test("names the file that is missing, twice there, or was not found", arguments: 0..<3)
    func unbalanced(_ number: Int) {
        let path = paths[number]
        let missing = LibraryError(.unbalanced(path.text, found: 1, accounted: 0))
        #expect(throws: missing) { try ImportBalance.check(paths, paths.filter { $0 != path }) }
        #expect(missing.kind == .inconsistent && missing.description.hasPrefix(path.text))
        #expect(throws: LibraryError(.unbalanced(path.text, found: 1, accounted: 2))) {
            try ImportBalance.check(paths, paths + [path])
        }
        #expect(throws: LibraryError(.unbalanced(path.text, found: 0, accounted: 1))) {
            try ImportBalance.check(paths.filter { $0 != path }, paths)
        }
    }

    @Test("ends an import whose report lacks a file")
    func report() async throws {
        let (library, card) = (try await TestLibrary(), try TemporaryFolder())
        for name in ["a.jpg", "b.jpg"] { try OutputFile.write(TinyPhoto.jpeg(salt: 1), to: card.path(name)) }
        let plan = try await library.library.planImport(ImportOptions(sources: [card.url.path]))
        var report = try await library.library.performImport(plan)
        #expect(report.stopped == nil && report.files.count == 2)
        report.files.removeLast()
        report.checkBalance(with: plan)
        #expect(report.stopped?.kind == .inconsistent)
    }

    @Test("does not take one file of the library for two sources")
    func shared() throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b"] { try OutputFile.write([1], to: folder.path(name)) }
        let files = [folder.path("a"), folder.path("b"), "\(folder.url.path)/./a", folder.path("none")]
        #expect(ImportBalance.shared(Array(files.indices)) { files[$0] }.sorted() == [0, 2])
        #expect(ImportBalance.shared([0, 1, 3]) { files[$0] }.isEmpty)
    }
}

@Suite("A catalog of a version that compared paths as text")
struct TextualCatalogTests {
    @Test("gets right folders, keeps its rows, and reads films with accents in their names again")
    func migration() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("catalogue.sqlite")
        let paths = ["trip/\u{301}a.jpg", "a/trip/\u{301}b.jpg", "trip/b.jpg", "caf\u{E9}.mov", "cafe.mov"]
        let wrong = ["", "a", "trip", "", ""]
        var configuration = Configuration()
        configuration.prepareDatabase { $0.add(function: CatalogStore.countryOf) }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try CatalogStore.migrator.migrate(queue, upTo: "duplicates that are kept, unfinished operations")
        try await queue.write { database in
            for (path, folder) in zip(paths, wrong) {
                let kinds: AssetKinds = path.hasSuffix("mov") ? .video : [.photo, .jpeg]
                // Only columns of that version.
                try database.execute(
                    sql: """
                        INSERT INTO asset(path, folder, kinds, format, instant, fraction, bytes, modified, inode,
                            sha256, reading) VALUES (?, ?, ?, 'jpeg', ?, 0, 1, 1, 1, x'00', ?)
                        """,
                    arguments: [
                        path, try Asset.folder(folder, database), kinds.rawValue, Asset.undated,
                        FileRecord.reading,
                    ])
            }
            try database.execute(
                sql: "INSERT INTO other VALUES ('trip/\u{301}n.txt', '', 1, 1, 1, NULL)")
        }
        try queue.close()
        let library = try await PhotoLibrary.open(folder.url.path, catalog: path)
        let rows = try await library.read { catalog in
            try Row.fetchAll(
                catalog.database,
                sql: """
                    SELECT asset.path, folder.path, reading FROM asset JOIN folder ON folder.id = folder
                    ORDER BY asset.id
                    """
            ).map { (FilePath($0[0] as String), $0[1] as String, $0[2] as Int) }
        }
        #expect(rows.map(\.0) == paths.map { FilePath($0) })
        #expect(rows.map(\.1) == ["trip", "a/trip", "trip", "", ""])
        #expect(rows.map { $0.2 == FileRecord.reading } == [true, true, true, false, true])
        let others = try await library.read {
            try String.fetchAll($0.database, sql: "SELECT folder FROM other")
        }
        #expect(others == ["trip"])
        #expect(try await library.verifyCatalog() == [])
    }

    @Test("finds photos again that it had lost, and pairs films that it had left alone")
    func index() async throws {
        let test = try await TestLibrary()
        let names = ["caf\u{E9}", "cafe\u{301}"]
        for (twin, name) in names.enumerated() {
            try test.write("\(name).jpg", TinyPhoto.jpeg(date: "2014:05:25 10:00:00", salt: UInt64(twin)))
            try test.write("\(name).mov", FilmMaker.film(created: 2_082_844_800 + 1_401_012_000 + twin))
        }
        try test.write("trip/\u{301}a.jpg", TinyPhoto.jpeg(salt: 9))
        try await test.library.index()
        let ids = try await test.library.read {
            try Int64.fetchAll($0.database, sql: "SELECT id FROM asset ORDER BY id")
        }
        // What the earlier version left.
        try await test.library.write { catalog in
            try catalog.database.execute(
                sql: """
                    DELETE FROM grdb_migrations WHERE identifier = 'paths by their bytes';
                    UPDATE asset SET livePartner = NULL WHERE path GLOB 'caf\u{E9}*';
                    INSERT OR IGNORE INTO folder(path) VALUES ('');
                    UPDATE asset SET folder = (SELECT id FROM folder WHERE path = '') WHERE path GLOB 'trip/*';
                    """)
        }
        try test.library.close()
        let library = try await PhotoLibrary.open(test.folder.url.path)
        try await library.index()
        try await library.index()
        #expect(
            try await library.read {
                try Int64.fetchAll($0.database, sql: "SELECT id FROM asset ORDER BY id")
            } == ids)
        for name in names {
            let film = try #require(try await library.asset(path: "\(name).mov"))
            let photo = try #require(try await library.asset(path: "\(name).jpg"))
            #expect(film.livePartner == photo.id && photo.livePartner == film.id)
        }
        #expect(try await library.examine().allSatisfy { !$0.isFault })
    }
}

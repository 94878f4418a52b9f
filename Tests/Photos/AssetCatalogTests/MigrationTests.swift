import Foundation
import GRDB
import PhotoCatalog
import TestLibraries
import TestSupport
import Testing

@testable import AssetCatalog
@testable import CatalogStorage

@Suite("Migrations of the catalog")
struct MigrationTests {
    @Test("leave no errors in an earlier catalog")
    func earlier() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("catalogue.sqlite")
        do {
            let pool = try DatabasePool(path: path)
            try CatalogStore.migrator.migrate(pool, upTo: "what was imported")
            try await pool.write { database in
                let dates = ["2014-05-25T10:00:00", nil, "1899-12-31T23:00:00"]
                try database.insertEarlier(
                    try dates.enumerated().map { (try Asset.made("\($0).jpg", $1), FileRecord()) })
                try database.execute(
                    sql: """
                        INSERT INTO place(name) VALUES ('Paris');
                        UPDATE asset SET place = 1 WHERE id = 1;
                        INSERT INTO albumAsset VALUES (1, 3, 1), (1, 1, 2)
                        """)
            }
            try pool.close()
        }
        let library = try await PhotoLibrary.open(folder.url.path, catalog: path)
        #expect(try await library.verifyCatalog().isEmpty)
        let picks = library.collection(of: .picks, grouping: .place)
        #expect(
            try await picks.entries() == [
                CollectionEntry(key: .place("Paris"), count: 1), CollectionEntry(key: nil, count: 1),
            ])
        #expect(try await library.group(.picks)?.count == 2)
    }
}

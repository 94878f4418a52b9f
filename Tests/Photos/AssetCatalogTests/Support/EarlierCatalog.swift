import GRDB
import PhotoCatalog

@testable import AssetCatalog
@testable import CatalogStorage

extension Database {
    /// Inserts assets into a catalog of an earlier version, which lacks the columns that were added since.
    func insertEarlier(_ assets: [(asset: Asset, record: FileRecord)]) throws {
        let added = ["lens", "rating", "label", "turn", "reading", "sidecarFault", "damage"]
        for column in added { try execute(sql: "ALTER TABLE asset ADD COLUMN \(column)") }
        for (asset, record) in assets { try asset.insert(record, self) }
        clearSchemaCache()
        for column in added { try execute(sql: "ALTER TABLE asset DROP COLUMN \(column)") }
    }
}

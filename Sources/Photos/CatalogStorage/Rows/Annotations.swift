package import Assets
internal import Basics
internal import Foundation
internal import GRDB
package import ViewportGeometry

extension Annotation {
    static let tables = """
        CREATE TABLE annotation (
            id INTEGER PRIMARY KEY AUTOINCREMENT, sha256 BLOB NOT NULL, x INTEGER NOT NULL, y INTEGER NOT NULL,
            width INTEGER NOT NULL, height INTEGER NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL,
            modified INTEGER NOT NULL, version INTEGER NOT NULL);
        CREATE INDEX annotationByFile ON annotation(sha256);
        """

    private init(_ row: Row) {
        self.init(
            id: row["id"], sha256: (row["sha256"] as Data).hexadecimal,
            PixelRect(x: row["x"], y: row["y"], width: row["width"], height: row["height"]),
            name: row["name"], created: Date(timeIntervalSince1970: TimeInterval(row["created"] as Int)),
            modified: Date(timeIntervalSince1970: TimeInterval(row["modified"] as Int)),
            version: row["version"])
    }

    /// Adds it to the files with a checksum.
    fileprivate func insert(to digest: Data, _ database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO annotation(sha256, x, y, width, height, name, created, modified, version)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [
                digest, rect.x, rect.y, rect.width, rect.height, name, Int(created.timeIntervalSince1970),
                Int(modified.timeIntervalSince1970), version,
            ])
    }

    fileprivate static func digest(_ asset: Asset) -> Data {
        Data([UInt8](hexadecimal: asset.sha256) ?? [])
    }

    fileprivate static func fetch(
        where condition: String, _ arguments: StatementArguments, _ database: Database
    ) throws -> [Annotation] {
        try Row.fetchAll(
            database, sql: "SELECT * FROM annotation WHERE \(condition) ORDER BY id", arguments: arguments
        ).map { Annotation($0) }
    }
}

extension Catalog {
    /// Returns the annotations of an asset, the first one first.
    package func annotations(of asset: Asset) throws -> [Annotation] {
        try Annotation.fetch(where: "sha256 = ?", [Annotation.digest(asset)], database)
    }

    /// Returns all assets with annotations, by their paths, and the annotations of each.
    package func annotations() throws -> [(asset: Asset, annotations: [Annotation])] {
        let all = Dictionary(grouping: try Annotation.fetch(where: "1", [], database), by: \.sha256)
        let assets = try Row.fetchAll(
            database,
            sql: """
                \(Asset.selection) WHERE asset.sha256 IN (SELECT sha256 FROM annotation)
                ORDER BY asset.path
                """
        ).map { Asset($0) }
        return assets.map { ($0, all[$0.sha256] ?? []) }
    }

    /// Adds an annotation with its times and version to the asset at a path, unless the asset has it.
    package func restore(_ annotation: Annotation, to path: String) throws {
        let rect = annotation.rect
        let digest = try Data.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT sha256 FROM asset WHERE path = ? AND NOT EXISTS (
                        SELECT 1 FROM annotation AS known WHERE known.sha256 = asset.sha256 AND known.x = ? AND known.y = ?
                        AND known.width = ? AND known.height = ? AND known.name = ? AND known.created = ?)
                    """),
            arguments: [
                path, rect.x, rect.y, rect.width, rect.height, annotation.name,
                Int(annotation.created.timeIntervalSince1970),
            ])
        if let digest { try annotation.insert(to: digest, database) }
    }

    /// Adds an annotation of now to an asset.
    package func annotate(_ asset: Asset, _ rect: PixelRect<StoredGrid>, name: String) throws -> Annotation {
        let now = Date()
        try Annotation(rect, name: name, created: now, modified: now, version: 1)
            .insert(to: Annotation.digest(asset), database)
        return try Annotation.fetch(where: "id = ?", [database.lastInsertedRowID], database)[0]
    }

    /// Changes an annotation of an asset that has the known version, or removes it; nil if it was removed.
    package func changeAnnotation(
        _ id: Annotation.ID, of asset: Asset, version: Int, _ change: (inout Annotation) -> Bool
    ) throws -> Annotation? {
        let found = try Annotation.fetch(
            where: "id = ? AND sha256 = ?", [id, Annotation.digest(asset)], database)
        guard var annotation = found.first else { throw LibraryError(.noAnnotation(id)) }
        guard annotation.version == version else {
            throw LibraryError(.annotationChanged(annotation.name))
        }
        guard change(&annotation) else {
            try database.execute(sql: "DELETE FROM annotation WHERE id = ?", arguments: [id])
            return nil
        }
        let rect = annotation.rect
        try database.execute(
            sql: """
                UPDATE annotation SET x = ?, y = ?, width = ?, height = ?, name = ?, modified = ?,
                    version = version + 1 WHERE id = ?
                """,
            arguments: [
                rect.x, rect.y, rect.width, rect.height, annotation.name,
                Int(Date().timeIntervalSince1970), id,
            ])
        return try Annotation.fetch(where: "id = ?", [id], database).first
    }
}

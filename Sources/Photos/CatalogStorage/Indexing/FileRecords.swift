package import Assets
internal import Basics
package import Files
internal import Foundation
internal import GRDB

/// A size and a time of change, which several files can have.
package struct FileState: Hashable, Sendable {
    package var bytes: Int
    package var modified: Int

    package init(bytes: Int, modified: Int) { (self.bytes, self.modified) = (bytes, modified) }
}

// What an index run writes, in the words of files.
extension Catalog {
    /// The greatest identifier of an asset; 0 without any.
    package func newestID() throws -> Asset.ID {
        try Int64.fetchOne(database, sql: "SELECT max(id) FROM asset") ?? 0
    }

    /// Returns the digest of an asset's file by what tells that a file was not changed; nil if there is none.
    package func digest(of status: FileStatus) throws -> String? {
        let find = try database.cachedStatement(
            sql: "SELECT sha256 FROM asset WHERE inode = ? AND bytes = ? AND modified = ?")
        return try Data.fetchOne(
            find, arguments: [Int64(bitPattern: status.inode), status.size, status.modified]
        ).map(\.hexadecimal)
    }

    /// Inserts an asset with the record of its file.
    package func insert(_ asset: Asset, _ record: FileRecord) throws { try asset.insert(record, database) }

    /// Updates an asset and the record of its file, except for the partner of a live photo.
    package func update(_ asset: Asset, _ record: FileRecord) throws { try asset.update(record, database) }

    /// Returns the number of a folder, which is added if it is missing.
    package func folder(_ path: String) throws -> Int64 { try Asset.folder(path, database) }

    /// Returns the assets with the same bytes at other paths whose identifiers are greater, those of the same inode first.
    package func assets(
        equalTo asset: Asset, inode: Int64, after id: Asset.ID
    ) throws -> [Asset] {
        let find = try database.cachedStatement(
            sql: """
                \(Asset.selection) WHERE sha256 = ? AND path <> ? AND asset.id > ? ORDER BY inode <> ?, asset.id
                """)
        return try Row.fetchAll(
            find,
            arguments: [[UInt8](hexadecimal: asset.sha256).map { Data($0) }, asset.path, id, inode]
        ).map { Asset($0) }
    }

    /// Gives an asset another path, and nothing else.
    package func move(_ id: Asset.ID, to path: FilePath) throws {
        try database.execute(sql: "UPDATE asset SET path = ? WHERE id = ?", arguments: [path.text, id])
    }

    /// Returns the first asset with the bytes of another one whose identifier is greater than a number, with its record.
    package func twin(of id: Asset.ID, after newest: Asset.ID) throws -> (asset: Asset, record: FileRecord)? {
        let find = """
            SELECT asset.*, place.name AS placeName FROM asset LEFT JOIN place ON place.id = asset.place
            WHERE asset.id > ? AND sha256 = (SELECT sha256 FROM asset WHERE id = ?) ORDER BY asset.id LIMIT 1
            """
        return try Row.fetchOne(database, sql: find, arguments: [newest, id]).map {
            (Asset($0), FileRecord($0))
        }
    }

    /// Records a file that is no asset, with the reason if it should be one.
    package func rememberOther(_ file: ScannedFile, _ reason: String?) throws {
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO other VALUES (?, ?, ?, ?, ?, ?)").execute(
            arguments: [
                file.path.text, file.path.parent?.text ?? "", file.status.size,
                file.status.modified, Int64(bitPattern: file.status.inode), reason,
            ])
    }

    /// Removes the record of a file that is no asset.
    package func forgetOther(_ path: FilePath) throws {
        try database.cachedStatement(sql: "DELETE FROM other WHERE path = ?").execute(arguments: [path.text])
    }

    /// Ends an index run: pairs live photos in changed folders, makes stacks, and removes folders without assets.
    package func finishIndexing(touched folders: Set<Int64>) throws {
        for folder in folders { try LivePhotos.pair(in: folder, database) }
        try stacks.update()
        try database.execute(
            sql: """
                UPDATE asset SET livePartner = NULL
                WHERE livePartner IS NOT NULL AND livePartner NOT IN (SELECT id FROM asset)
                """)
        try database.execute(
            sql: """
                DELETE FROM folder
                WHERE NOT EXISTS (SELECT 1 FROM tally WHERE grouping = 'folder' AND code = folder.id)
                """)
        try trimChanges()
    }

    /// The sizes and times that several assets with different bytes have.
    package func sharedStates() throws -> Set<FileState> {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT bytes, modified FROM asset GROUP BY bytes, modified
                HAVING count(DISTINCT sha256) > 1
                """)
        var states: Set<FileState> = []
        while let row = try rows.next() { states.insert(FileState(bytes: row[0], modified: row[1])) }
        return states
    }

    /// Writes the inodes of files into their records.
    package func renumber(_ files: [(known: CatalogedFile, file: ScannedFile)]) throws {
        let asset = try database.cachedStatement(sql: "UPDATE asset SET inode = ? WHERE id = ?")
        let other = try database.cachedStatement(sql: "UPDATE other SET inode = ? WHERE path = ?")
        for (known, file) in files {
            let inode = Int64(bitPattern: file.status.inode)
            if let id = known.asset {
                try asset.execute(arguments: [inode, id])
            } else {
                try other.execute(arguments: [inode, known.path.text])
            }
        }
        try trimChanges()
    }
}

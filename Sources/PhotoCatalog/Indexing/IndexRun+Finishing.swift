internal import GRDB

extension IndexRun {
    /// Removes the assets whose files are gone, unless a file of the same bytes has appeared in this run.
    func removeMissing() throws(LibraryError) {
        var rest = missing.sorted { $0.key < $1.key }[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.batch)
            rest = rest.dropFirst(Self.batch)
            try library.catalog.writeAndWait { database in
                for (id, path) in part {
                    // One that has another path now was found again.
                    let find = "\(Asset.selection) WHERE asset.id = ? AND path = ?"
                    guard
                        let asset = try Row.fetchOne(database, sql: find, arguments: [id, path]).map({
                            Asset($0)
                        })
                    else { continue }
                    if try !reappear(asset, database) {
                        try database.execute(sql: "DELETE FROM asset WHERE id = ?", arguments: [id])
                        report.removed += 1
                    }
                }
                try ChangeLog.trim(database)
            }
            try advance(0, in: "")
        }
    }

    /// Gives a missing asset the file of a new one with the same bytes: files that changed names in a circle.
    private func reappear(_ missing: Asset, _ database: Database) throws -> Bool {
        let find = """
            SELECT asset.*, place.name AS placeName FROM asset LEFT JOIN place ON place.id = asset.place
            WHERE asset.id > ? AND sha256 = (SELECT sha256 FROM asset WHERE id = ?) ORDER BY asset.id LIMIT 1
            """
        guard let row = try Row.fetchOne(database, sql: find, arguments: [newest, missing.id]) else {
            return false
        }
        let (new, record) = (Asset(row), FileRecord(row))
        try database.execute(sql: "DELETE FROM asset WHERE id = ?", arguments: [new.id])
        try replace(missing, by: new, record, database)
        report.inserted -= 1
        report.moved += 1
        return true
    }

    /// Pairs live photos, and forgets folders and files that are not there any more.
    func finish() throws(LibraryError) {
        try library.catalog.writeAndWait { database in
            for path in forgotten {
                try database.execute(sql: "DELETE FROM other WHERE path = ?", arguments: [path])
            }
            for folder in touched { try LivePhotos.pair(in: folder, database) }
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
            try ChangeLog.trim(database)
        }
    }
}

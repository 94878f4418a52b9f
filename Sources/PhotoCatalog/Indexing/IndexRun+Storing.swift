internal import Files
internal import Foundation
internal import GRDB
internal import ImageMetadata

extension IndexRun {
    /// Gives files the digests that are known from when they lay elsewhere, so that moving them costs no reading.
    func recall(_ files: [FoundFile]) throws(LibraryError) -> [FoundFile] {
        try library.catalog.readAndWait { database in
            let find = try database.cachedStatement(
                sql: "SELECT sha256 FROM asset WHERE inode = ? AND bytes = ? AND modified = ?")
            return try files.map { file in
                var file = file
                let (inode, status) = (Int64(bitPattern: file.status.inode), file.status)
                file.sha256 = try Data.fetchOne(find, arguments: [inode, status.size, status.modified])
                    .map(Hexadecimal.text)
                return file
            }
        }
    }

    /// Writes what was read, all or nothing.
    func store(_ readings: some Sequence<(FoundFile, FileReading)>) throws(LibraryError) {
        try library.catalog.writeAndWait { database in
            for (file, reading) in readings {
                let known = try Row.fetchOne(
                    database.cachedStatement(sql: "\(Asset.selection) WHERE path = ?"), arguments: [file.path]
                ).map { Asset($0) }
                switch reading {
                case .asset(let asset, let record): try store(asset, record, known, database)
                case .other:
                    if let known {
                        try database.execute(sql: "DELETE FROM asset WHERE id = ?", arguments: [known.id])
                        report.removed += 1
                    }
                    try remember(file, nil, database)
                    report.others.append(file.path)
                case .failure(let reason):
                    // An asset that was known stays: its albums are not lost by a file that is broken for a while.
                    try remember(file, reason, database)
                    report.failures.append(.init(path: file.path, reason: reason))
                }
            }
            try ChangeLog.trim(database)
        }
    }

    private func store(_ asset: Asset, _ record: FileRecord, _ known: Asset?, _ database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM other WHERE path = ?").execute(arguments: [asset.path])
        if let former = try former(of: asset, record, database) {
            if let known { try detach(known, database) }
            try replace(former, by: asset, record, database)
            report.moved += 1
        } else if let known {
            try replace(known, by: asset, record, database)
            report.updated += 1
        } else {
            try asset.insert(record, database)
            report.inserted += 1
        }
        touched.insert(try Asset.folder(asset.folder, database))
    }

    /// The asset of the same bytes whose file is not at its path any more: the file was moved from there.
    private func former(of asset: Asset, _ record: FileRecord, _ database: Database) throws -> Asset? {
        let find = try database.cachedStatement(
            sql: "\(Asset.selection) WHERE sha256 = ? AND path <> ? ORDER BY inode <> ?, id")
        return try Row.fetchAll(
            find, arguments: [Hexadecimal.bytes(asset.sha256), asset.path, record.inode]
        ).map { Asset($0) }.first { FileStatus(absolute($0.path)) == nil }
    }

    /// Writes what was read of a file over what was known; what did not come from the file stays.
    func replace(_ old: Asset, by asset: Asset, _ record: FileRecord, _ database: Database) throws {
        var asset = asset
        asset.id = old.id
        if asset.date == nil, old.date?.source == .fileTime, dating.undatedBy == nil { asset.date = old.date }
        asset.date?.keepAssumedZone(of: old.date)
        if asset.location == nil, old.location?.source == .track { asset.location = old.location }
        if asset.location == old.location { asset.place = old.place }
        try asset.update(record, database)
    }

    /// Takes an asset from its path, where another file has been moved to; it is removed unless its own is found.
    private func detach(_ asset: Asset, _ database: Database) throws {
        let path = "/missing/\(asset.id)"
        try database.execute(sql: "UPDATE asset SET path = ? WHERE id = ?", arguments: [path, asset.id])
        missing[asset.id] = path
    }

    private func remember(_ file: FoundFile, _ reason: String?, _ database: Database) throws {
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO other VALUES (?, ?, ?, ?, ?, ?)").execute(
            arguments: [
                file.path, file.path.contains("/") ? OutputFile.folder(of: file.path) : "", file.status.size,
                file.status.modified, Int64(bitPattern: file.status.inode), reason,
            ])
    }
}

extension CaptureDate {
    /// Keeps the zone that somebody has named before, unless the date or what is known of its zone has changed.
    fileprivate mutating func keepAssumedZone(of old: CaptureDate?) {
        guard offset == nil, let old, case .assumed = old.zoneSource, old.local == local else { return }
        (offset, zoneSource) = (old.offset, old.zoneSource)
    }
}

package import Assets
package import Files
internal import GRDB

/// A file that was found on the disk.
package struct ScannedFile: Sendable {
    /// The path below the root.
    package var path: FilePath
    package var status: FileStatus
    /// The XMP sidecar; its path is below the root.
    package var sidecar: Sidecar?
    /// The digest of its bytes, if they are known to be unchanged.
    package var sha256: String?
    /// Whether its bytes decide if it is the file of its record.
    package var isDoubtful = false

    package struct Sidecar: Equatable, Sendable {
        package var path: FilePath
        package var bytes: Int
        package var modified: Int

        package init(path: FilePath, bytes: Int, modified: Int) {
            (self.path, self.bytes, self.modified) = (path, bytes, modified)
        }
    }

    package init(path: FilePath, status: FileStatus, sidecar: Sidecar? = nil) {
        (self.path, self.status, self.sidecar) = (path, status, sidecar)
    }

    package var record: FileRecord {
        FileRecord(
            inode: Int64(bitPattern: status.inode), sidecarBytes: sidecar?.bytes,
            sidecarModified: sidecar?.modified)
    }
}

/// The record of a file in the catalog.
package struct CatalogedFile: Sendable {
    /// The asset; nil for other files.
    package var asset: Asset.ID?
    package var path: FilePath
    package var bytes: Int
    package var modified: Int
    var inode: Int64
    package var sidecar: ScannedFile.Sidecar?
    /// The size and time of a sidecar beside the file that states to be that of another one.
    var foreignSidecar: (bytes: Int, modified: Int)?
    /// The reason if it could not be read.
    package var reason: String?
    /// Why its sidecar was not read, as the end of a sentence about the asset.
    package var sidecarFault: String?
    /// Whether its date has a time.
    package var hasTime = false
    /// The source of the date, as stored; nil for undated assets.
    package var dateSource: String?
    /// The source of the time zone, as stored.
    package var zoneSource: String?
    /// The version that has read it; only assets have one.
    var reading = FileRecord.reading

    /// Whether a file is unchanged, so that it need not be read, unless its inode makes it doubtful.
    ///
    /// Device numbers are not compared: those of removable disks change.
    package func isSame(_ file: ScannedFile) -> Bool {
        bytes == file.status.size && modified == file.status.modified
            && (asset == nil || hasSidecar(file.sidecar)) && reading == FileRecord.reading
    }

    /// Whether a sidecar is the one that was there when the file was read.
    package func hasSidecar(_ other: ScannedFile.Sidecar?) -> Bool {
        guard sidecar == nil, let foreignSidecar else { return sidecar == other }
        return other.map { $0.bytes == foreignSidecar.bytes && $0.modified == foreignSidecar.modified }
            ?? false
    }

    /// Whether a file has the inode of the record.
    package func hasInode(of file: ScannedFile) -> Bool { inode == Int64(bitPattern: file.status.inode) }
}

extension CatalogedFile {
    /// The record of an asset.
    fileprivate init(_ row: Row) {
        self.init(
            asset: row[0], path: FilePath(row[1] as String), bytes: row[2], modified: row[3], inode: row[4])
        (hasTime, dateSource, zoneSource) = (row[8] ?? false, row[9], row[10])
        (reading, sidecarFault) = (row[11], row[12])
        setSidecar(path: row[5], bytes: row[6], modified: row[7])
    }

    fileprivate mutating func setSidecar(path: String?, bytes: Int?, modified: Int?) {
        if let path {
            sidecar = ScannedFile.Sidecar(path: FilePath(path), bytes: bytes ?? 0, modified: modified ?? 0)
        } else if let bytes, let modified {
            foreignSidecar = (bytes, modified)
        }
    }
}

extension Catalog {
    /// Returns the records of a folder.
    package func files(in folder: FilePath) throws -> [CatalogedFile] {
        var files: [CatalogedFile] = []
        try forEachFile(in: folder) { files.append($0) }
        return files
    }

    /// Passes the records of a folder on, unordered.
    package func forEachFile(
        in folder: FilePath, _ body: (CatalogedFile) throws -> Void
    ) throws {
        let id = try Int64.fetchOne(
            database, sql: "SELECT id FROM folder WHERE path = ?", arguments: [folder.text])
        if let id {
            // Rows in the order of an index lie anywhere in the file: a scan is faster where a folder has most of them.
            let share = try Double.fetchOne(
                database,
                sql: """
                    SELECT (SELECT total(number) FROM tally WHERE grouping = 'folder' AND code = ?)
                        / max(1, (SELECT total(number) FROM tally WHERE grouping = 'week'))
                    """, arguments: [id])
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT id, path, bytes, modified, inode, sidecar, sidecarBytes, sidecarModified,
                        length(date) > 10, dateSource, zoneSource, reading, sidecarFault FROM asset
                    WHERE \((share ?? 0) > 0.2 ? "+" : "")folder = ?
                    """, arguments: [id])
            while let row = try rows.next() { try body(CatalogedFile(row)) }
        }
        let others = try Row.fetchCursor(
            database, sql: "SELECT path, bytes, modified, inode, reason FROM other WHERE folder = ?",
            arguments: [folder.text])
        while let row = try others.next() {
            try body(
                CatalogedFile(
                    path: FilePath(row[0] as String), bytes: row[1], modified: row[2], inode: row[3],
                    reason: row[4]))
        }
    }

    /// Returns the record of an asset's file with its sidecar; nil if the asset is gone.
    package func file(of id: Asset.ID) throws -> CatalogedFile? {
        let find = try database.cachedStatement(
            sql:
                "SELECT path, sidecar, sidecarBytes, sidecarModified, bytes, modified, inode FROM asset WHERE id = ?"
        )
        guard let row = try Row.fetchOne(find, arguments: [id]) else { return nil }
        var known = CatalogedFile(
            asset: id, path: FilePath(row[0] as String), bytes: row[4], modified: row[5], inode: row[6])
        known.setSidecar(path: row[1], bytes: row[2], modified: row[3])
        return known
    }

    /// Returns the folders with records, and those below a path.
    ///
    /// - Parameter path: empty for all.
    package func folders(below path: FilePath = "") throws -> [FilePath] {
        let isBelow = "?1 = '' OR path = ?1 OR substr(path, 1, ?2) = ?3"
        return try String.fetchAll(
            database,
            sql: """
                SELECT path FROM folder WHERE \(isBelow)
                UNION SELECT folder AS path FROM other WHERE \(isBelow.replacing("path", with: "folder"))
                ORDER BY 1
                """, arguments: [path.text, path.text.unicodeScalars.count + 1, path.text + "/"]
        ).map { FilePath($0) }
    }
}

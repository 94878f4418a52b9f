internal import Files
internal import GRDB
internal import ImageMetadata

/// A file as the catalog remembers it.
struct KnownFile: Sendable {
    /// The asset; nil for a file that is none.
    var asset: Asset.ID?
    var path: String
    var bytes: Int
    var modified: Int
    var inode: Int64
    var sidecar: FoundFile.Sidecar?
    /// Why it could not be read, where it could not.
    var reason: String?
    /// Whether its date has a time.
    var hasTime = false
    /// What told the date, as it is stored; nil for an undated asset.
    var dateSource: String?
    /// What told the date's zone, as it is stored.
    var zoneSource: String?

    /// Whether it is the same, so that it need not be read.
    ///
    /// The device is not compared: disks that come and go have another number each time.
    func isSame(_ file: FoundFile) -> Bool {
        bytes == file.status.size && modified == file.status.modified
            && inode == Int64(bitPattern: file.status.inode) && (asset == nil || sidecar == file.sidecar)
    }

    /// Whether it has another date as soon as it is read again.
    func takes(_ dating: Dating) -> Bool {
        let isDatedAnew =
            switch dating.undatedBy {
            case nil: false
            case .fileTime: asset != nil && dateSource == nil
            case .nothing: dateSource == DateSource.fileTime.rawValue
            }
        return isDatedAnew || takes(dating.zone)
    }

    private func takes(_ zone: AssumedZone?) -> Bool {
        guard let zone, hasTime else { return false }
        guard let zoneSource else { return true }
        guard case .assumed(let name) = ZoneSource(stored: zoneSource) else { return false }
        return name != zone.name
    }

    /// The files of a folder.
    static func all(in folder: String, _ database: Database) throws -> [KnownFile] {
        let assets = try Row.fetchAll(
            database,
            sql: """
                SELECT id, path, bytes, modified, inode, sidecar, sidecarBytes, sidecarModified,
                    length(date) > 10, dateSource, zoneSource FROM asset
                WHERE folder = (SELECT id FROM folder WHERE path = ?)
                """, arguments: [folder])
        let others = try Row.fetchAll(
            database, sql: "SELECT path, bytes, modified, inode, reason FROM other WHERE folder = ?",
            arguments: [folder])
        return assets.map { row in
            var file = KnownFile(
                asset: row[0], path: row[1], bytes: row[2], modified: row[3], inode: row[4])
            (file.hasTime, file.dateSource, file.zoneSource) = (row[8] ?? false, row[9], row[10])
            if let path = row[5] as String? {
                file.sidecar = FoundFile.Sidecar(path: path, bytes: row[6] ?? 0, modified: row[7] ?? 0)
            }
            return file
        }
            + others.map {
                KnownFile(
                    path: $0[0], bytes: $0[1], modified: $0[2], inode: $0[3], reason: $0[4])
            }
    }
}

internal import Containers
package import Files
package import GRDB
internal import ImageMetadata

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
    var isDoubtful = false

    package struct Sidecar: Equatable, Sendable {
        var path: FilePath
        var bytes: Int
        var modified: Int
    }

    var record: FileRecord {
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
    var hasTime = false
    /// The source of the date, as stored; nil for undated assets.
    var dateSource: String?
    /// The source of the time zone, as stored.
    var zoneSource: String?
    /// The version that has read it; only assets have one.
    var reading = FileReading.version

    /// Whether a file is unchanged, so that it need not be read, unless its inode makes it doubtful.
    ///
    /// Device numbers are not compared: those of removable disks change.
    package func isSame(_ file: ScannedFile) -> Bool {
        bytes == file.status.size && modified == file.status.modified
            && (asset == nil || hasSidecar(file.sidecar)) && reading == FileReading.version
    }

    /// Whether a sidecar is the one that was there when the file was read.
    func hasSidecar(_ other: ScannedFile.Sidecar?) -> Bool {
        guard sidecar == nil, let foreignSidecar else { return sidecar == other }
        return other.map { $0.bytes == foreignSidecar.bytes && $0.modified == foreignSidecar.modified }
            ?? false
    }

    /// Whether a file has the inode of the record.
    package func hasInode(of file: ScannedFile) -> Bool { inode == Int64(bitPattern: file.status.inode) }

    /// Whether reading it again gives it another date.
    func takes(_ dateCompletion: DateCompletion) -> Bool {
        let isDatedAnew =
            switch dateCompletion.undatedBy {
            case nil: false
            case .fileTime: asset != nil && dateSource == nil
            case .nothing: dateSource == DateSource.fileTime.rawValue
            }
        return isDatedAnew || takes(dateCompletion.zone)
    }

    private func takes(_ zone: AssumedZone?) -> Bool {
        guard let zone, hasTime else { return false }
        guard let zoneSource else { return true }
        guard case .assumed(let name) = ZoneSource(stored: zoneSource) else { return false }
        return name != zone.name
    }

    /// Returns the records of a folder.
    package static func all(in folder: FilePath, _ database: Database) throws -> [CatalogedFile] {
        var files: [CatalogedFile] = []
        try forEach(in: folder, database) { files.append($0) }
        return files
    }

    /// Passes the records of a folder on, unordered.
    package static func forEach(
        in folder: FilePath, _ database: Database, _ body: (CatalogedFile) throws -> Void
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

    private mutating func setSidecar(path: String?, bytes: Int?, modified: Int?) {
        if let path {
            sidecar = ScannedFile.Sidecar(path: FilePath(path), bytes: bytes ?? 0, modified: modified ?? 0)
        } else if let bytes, let modified {
            foreignSidecar = (bytes, modified)
        }
    }

    /// Whether the sidecar of an asset is the one that the catalog knows; true if the asset is gone.
    static func hasCurrentSidecar(
        _ id: Asset.ID, in places: SidecarPlaces, _ database: Database
    ) throws -> Bool {
        let find = try database.cachedStatement(
            sql:
                "SELECT path, sidecar, sidecarBytes, sidecarModified, bytes, modified, inode FROM asset WHERE id = ?"
        )
        guard let row = try Row.fetchOne(find, arguments: [id]) else { return true }
        var known = CatalogedFile(
            asset: id, path: FilePath(row[0] as String), bytes: row[4], modified: row[5], inode: row[6])
        known.setSidecar(path: row[1], bytes: row[2], modified: row[3])
        return known.hasSidecar(ScannedFile.Sidecar(of: known.path, known: known.sidecar?.path, in: places))
    }
}

/// The files of a folder with their XMP sidecars: `photo.jpg.xmp`, else `photo.xmp`, else the lowest version `photo_01.jpg.xmp`.
package struct Sidecars {
    private let listing: FolderListing
    private let folder: FilePath
    /// The sidecars of these files that lie elsewhere, and count first.
    private let elsewhere: FolderListing?
    /// The number of XMP sidecars beside the files.
    private var count = 0
    /// The descriptions of edits, the thumbnails and the small copies, AAE, THM, LRV and LRF, of files that are there.
    private var companions: Set<Int> = []
    /// The lowest version of sidecars of further versions, by the photo.
    private var versions: [FilePath: Int] = [:]

    /// - Parameters:
    ///   - folder: the path of the folder below the root; empty for the root.
    ///   - elsewhere: the files of this folder in the folder of sidecars; nil if there are none.
    package init(_ listing: FolderListing, in folder: FilePath, _ elsewhere: FolderListing?) {
        (self.listing, self.folder, self.elsewhere) = (listing, folder, elsewhere)
        for index in 0..<listing.count {
            if isXMP(index) {
                count += 1
                noteVersion(FilePath(listing.name(index)))
            } else if Self.companionEndings.contains(where: { listing.hasSuffix(index, $0) }),
                hasOwner(FilePath(listing.name(index)))
            {
                companions.insert(index)
            }
        }
    }

    private mutating func noteVersion(_ sidecar: FilePath) {
        guard let (photo, number) = SidecarVersion.owner(of: sidecar),
            listing.index(of: sidecar.withoutExtension.text) == nil
        else { return }
        versions[photo] = min(number, versions[photo] ?? number)
    }

    /// The number of sidecars of all kinds.
    var sidecarCount: Int { count + companions.count }

    /// The number of XMP sidecars that lie elsewhere.
    var elsewhereCount: Int {
        guard let elsewhere else { return 0 }
        return (0..<elsewhere.count).count { index in Self.endings.contains { elsewhere.hasSuffix(index, $0) }
        }
    }

    package func isSidecar(_ index: Int) -> Bool { isXMP(index) || companions.contains(index) }

    private func isXMP(_ index: Int) -> Bool { Self.endings.contains { listing.hasSuffix(index, $0) } }

    private func hasOwner(_ companion: FilePath) -> Bool {
        let base = companion.withoutExtension
        let owners =
            [base, AppleName.original(ofAdjustment: base)].compactMap(\.self) + ProxyName.films(of: base)
        return owners.contains { owner in
            if FileExtension.isMedia(owner), listing.index(of: owner.text) != nil { return true }
            return FileExtension.allMedia.contains {
                listing.index(of: "\(owner.text).\($0)") != nil
                    || listing.index(of: "\(owner.text).\($0.uppercased())") != nil
            }
        }
    }

    private static let companionEndings: [StaticString] = [
        ".aae", ".AAE", ".thm", ".THM", ".lrv", ".LRV", ".lrf", ".LRF",
    ]

    private static let endings: [StaticString] = [".xmp", ".XMP"]

    /// Returns a file with its sidecar.
    package func file(_ index: Int) -> ScannedFile {
        let name = FilePath(listing.name(index))
        return ScannedFile(
            path: folder.appending(name), status: listing.status(index), sidecar: sidecar(of: name))
    }

    private func sidecar(of name: FilePath) -> ScannedFile.Sidecar? {
        if let elsewhere, let found = sidecar(of: name, in: elsewhere) { return found }
        return count > 0 ? sidecar(of: name, in: listing) : nil
    }

    private func sidecar(of name: FilePath, in listing: FolderListing) -> ScannedFile.Sidecar? {
        let version = versions[name].map { SidecarVersion.name($0, of: name).adding(".xmp") }
        let own = Self.candidates(of: name) { self.listing.index(of: $0.text) != nil }
        for candidate in own + [version].compactMap(\.self) {
            guard let index = listing.index(of: candidate.text) else { continue }
            let status = listing.status(index)
            return ScannedFile.Sidecar(
                path: folder.appending(candidate), bytes: status.size, modified: status.modified)
        }
        return nil
    }

    /// Returns the paths that the sidecar of a file can have, the preferred first.
    ///
    /// - Parameter isFile: whether there is a file at a path: where one has the name without the extension, as the film of a
    ///   motion photo has, the sidecar of that name is its own.
    package static func candidates(of path: FilePath, isFile: (FilePath) -> Bool) -> [FilePath] {
        let base = path.withoutExtension
        return (base == path || isFile(base) ? [path] : [path, base]).flatMap { owner in
            endings.map { owner.adding("\($0)") }
        }
    }
}

extension ScannedFile.Sidecar {
    /// The sidecar that a file has now; nil without one.
    ///
    /// Paths are below the root.
    ///
    /// - Parameter known: its path in the catalog, which tells how many versions may lie beside the file.
    init?(of file: FilePath, known: FilePath?, in places: SidecarPlaces) {
        let last = known.flatMap(SidecarVersion.owner)?.number ?? 3
        for folder in [places.folder, places.root].compactMap(\.self) {
            let own = Sidecars.candidates(of: file) { FileStatus("\(places.root)/\($0.text)") != nil }
            for sidecar in own
                + SidecarVersion.sidecars(of: file, 1...last, in: folder)
            {
                let path = "\(folder)/\(sidecar.text)"
                // Links are followed as in listings of folders.
                guard let status = FileStatus(path),
                    !Folder.isLink(path)
                        || folder == places.root && LinkedFiles(root: folder, .visible).isFollowed(path)
                else { continue }
                self.init(path: sidecar, bytes: status.size, modified: status.modified)
                return
            }
        }
        return nil
    }
}

/// File kinds by the extension of the name, regardless of the content.
package enum FileExtension {
    /// Returns the extension in lower case; empty without one.
    package static func of(_ path: FilePath) -> String { path.fileExtension?.text.lowercased() ?? "" }

    /// Whether users expect a photo or video: such a file must not be skipped silently.
    package static func isMedia(_ path: FilePath) -> Bool { FileType.keptExtensions.contains(of(path)) }

    /// Whether it is a sidecar.
    package static func isSidecar(_ path: FilePath) -> Bool { FileType.sidecarExtensions.contains(of(path)) }

    /// The reason for a file with the extension of a photo or video that cannot be read.
    package static let fault =
        "has the ending of a photo or film, but is none that is understood; it may be damaged"

    /// The extensions of photos and videos.
    package static let allMedia = FileType.keptExtensions
}

internal import Files
internal import GRDB

/// What a repair has brought back.
public struct RepairReport: Equatable, Sendable {
    /// Where the damaged catalog is kept; nil where there was none.
    public var setAside: String?
    /// Assets, with their identifiers, that could be read from it.
    public var assets = 0
    /// Albums that could be read from it, the picks among them.
    public var albums = 0
    /// Assets in them whose files are still there.
    public var members = 0
    /// What indexing the files anew has found.
    public var index = IndexReport()
}

extension PhotoLibrary {
    /// Rebuilds a damaged catalog from the files.
    ///
    /// Every file is read again. Identifiers, albums, picks and places are kept where they can still be read. The
    /// damaged catalog is kept beside the new one, which takes its place when it is whole: a repair that was
    /// stopped has changed nothing.
    ///
    /// - Throws: `LibraryError.indexing` while another process or task indexes or repairs the same library.
    public static func repair(
        _ root: String, catalog: String? = nil,
        progress: @escaping @Sendable (IndexProgress) -> Void = { _ in }
    ) async throws(LibraryError) -> (library: PhotoLibrary, report: RepairReport) {
        let (root, path) = try locate(root, catalog)
        let damaged = FileStatus(path) != nil
        let new = path + ".new"
        let (lock, salvage) = try await BackgroundQueue.run { () throws(LibraryError) in
            try makeFolder(of: path)
            let lock = try lockIndexing(path)
            removeFiles(of: new)
            return (lock, Salvage(path: damaged ? path : ""))
        }
        defer { withExtendedLifetime(lock) {} }
        var report = RepairReport(assets: salvage.assets.count, albums: salvage.albums.count)
        do {
            let library = try await create(root, catalog: new)
            try await library.take(salvage)
            report.index = try await library.index(progress: progress)
            report.members = try await library.catalog.read { database in
                try Int.fetchOne(database, sql: "SELECT count(*) FROM albumAsset") ?? 0
            }
            try library.catalog.close()
        }
        report.setAside = try await BackgroundQueue.run { () throws(LibraryError) in
            defer { removeFiles(of: new) }
            return try replace(path, by: new)
        }
        return (try await open(root, catalog: path), report)
    }

    /// Writes what was salvaged, so that indexing reads every file again and finds each asset by its path.
    private func take(_ salvage: Salvage) async throws(LibraryError) {
        try await catalog.write { database in
            var taken: Set<Asset.ID> = []
            for var asset in salvage.assets {
                // No file was written then: it counts as changed.
                asset.modified = -1
                if (try? asset.insert(FileRecord(), database)) != nil { taken.insert(asset.id) }
            }
            for album in salvage.albums {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO album VALUES (?, ?, ?)",
                    arguments: [album.id, album.name, album.position])
                for (position, asset) in album.assets.filter(taken.contains).enumerated() {
                    try database.execute(
                        sql: "INSERT INTO albumAsset VALUES (?, ?, ?)",
                        arguments: [album.id, asset, position])
                }
            }
        }
    }

    /// Removes a catalog with all that lies beside it.
    private static func removeFiles(of catalog: String) {
        for suffix in ["", "-wal", "-shm", lockSuffix] { Folder.remove(catalog + suffix) }
    }

    /// Puts the new catalog in the place of the damaged one, which gets another name.
    private static func replace(_ path: String, by new: String) throws(LibraryError) -> String? {
        do {
            var aside: String?
            if FileStatus(path) != nil {
                let number = (1...).lazy.first { FileStatus("\(path).damaged-\($0)") == nil } ?? 1
                aside = "\(path).damaged-\(number)"
                // The log first: left behind, it would be taken for one of the new catalog.
                for suffix in ["-wal", "-shm", ""] where FileStatus(path + suffix) != nil {
                    try Folder.move(path + suffix, to: "\(path).damaged-\(number)" + suffix)
                }
            }
            try Folder.move(new, to: path)
            return aside
        } catch {
            throw .inaccessible(catalog: path, reason: "\(error)")
        }
    }
}

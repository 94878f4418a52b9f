public import AssetCatalog
internal import CatalogStorage
internal import Files
public import WorkReporting

/// The result of rebuilding a catalog.
package struct RepairReport: Equatable, Sendable {
    /// The path of the damaged catalog, which is kept; nil if there was none.
    package var setAside: String?
    /// The number of assets that were recovered from it with their identifiers.
    package var assets = 0
    /// The number of albums that were recovered from it, including the picks.
    package var albums = 0
    /// The number of assets in the albums whose files still exist.
    package var members = 0
    /// The result of indexing the files again.
    package var index = IndexReport()
}

extension PhotoLibrary {
    /// Rebuilds a damaged catalog from the files.
    ///
    /// Every file is read again. Identifiers, albums, picks and places are kept as far as they can be read. The damaged
    /// catalog is renamed only when the new one is complete: a cancelled repair changes nothing.
    ///
    /// - Parameters:
    ///   - root: the folder that holds the photos.
    ///   - catalog: the path of the database; nil for a hidden folder in the root.
    ///   - progress: receives the files that are read; their total is known at the end.
    /// - Returns: the library, the path of the damaged catalog, and the result of indexing.
    /// - Throws: `LibraryError`, of the kind `busy` while another process or task indexes or repairs the library.
    public static func repair(
        _ root: String, catalog: String? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> (library: PhotoLibrary, setAside: String?, index: IndexReport) {
        let (library, report) = try await rebuild(root, catalog: catalog, progress: progress)
        return (library, report.setAside, report.index)
    }

    /// Rebuilds a catalog and returns all counts.
    ///
    /// - Parameter sidecars: the folder of sidecars; nil for the one that the catalog remembers.
    package static func rebuild(
        _ root: String, catalog: String? = nil, sidecars: String? = nil,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> (library: PhotoLibrary, report: RepairReport) {
        let (root, path) = try locate(root, catalog)
        let damaged = FileStatus(path) != nil
        let new = path + ".new"
        let (lock, recovered) = try await BackgroundQueue.run {
            try makeFolder(of: path)
            let lock = try lockIndexing(path)
            removeFiles(of: new)
            return (lock, RecoveredRows(path: damaged ? path : ""))
        }
        defer { withExtendedLifetime(lock) {} }
        var report = RepairReport(assets: recovered.assetCount, albums: recovered.albumCount)
        do {
            var library = try await create(root, catalog: new)
            try await library.write { try $0.setSidecars(of: recovered) }
            if recovered.hasSidecarFolder || sidecars != nil {
                try library.close()
                library = try await open(root, catalog: new, sidecars: sidecars)
            }
            try await library.write { try $0.insert(recovered) }
            report.index = try await library.index(progress: progress)
            report.members = try await library.read { try $0.countMemberships() }
            try library.close()
        }
        report.setAside = try await BackgroundQueue.run {
            defer { removeFiles(of: new) }
            return try replace(path, by: new)
        }
        return (try await open(root, catalog: path), report)
    }

    /// Removes a catalog with its log and lock files.
    private static func removeFiles(of catalog: String) {
        for ending in LibraryFolder.endings { Folder.remove(catalog + ending) }
    }

    /// Replaces the damaged catalog, which is renamed; returns its new path.
    private static func replace(_ path: String, by new: String) throws -> String? {
        do {
            var aside: String?
            if FileStatus(path) != nil {
                let number = (1...).lazy.first { FileStatus("\(path).damaged-\($0)") == nil } ?? 1
                aside = "\(path).damaged-\(number)"
                // The log first: it must not be applied to the new catalog.
                for suffix in ["-wal", "-shm", ""] where FileStatus(path + suffix) != nil {
                    try Folder.move(path + suffix, to: "\(path).damaged-\(number)" + suffix)
                }
            }
            try Folder.move(new, to: path)
            return aside
        } catch {
            throw LibraryError(.inaccessible(catalog: path, reason: "\(error)"))
        }
    }
}

internal import AssetCatalog
internal import Files
internal import GRDB
package import WorkReporting

extension PhotoLibrary {
    /// Opens the library to import into, or creates it and indexes the files of its folder.
    ///
    /// - Parameters:
    ///   - root: the folder that holds the photos; is created if it is missing.
    ///   - catalog: the path of the database; nil for a hidden folder in the root.
    ///   - sidecars: the folder of sidecars; nil for the one that the catalog remembers.
    ///   - options: the sources are checked first, so that a mistyped path creates no library; the date rules apply to
    ///     the files of the folder.
    ///   - isTrial: whether nothing may be written; a missing library is then created in a temporary folder that
    ///     `ImportTarget.close` removes.
    ///   - progress: receives the files of the folder that are indexed.
    /// - Throws: `LibraryError`; `CancellationError`.
    package static func openForImport(
        _ root: String, catalog: String? = nil, sidecars: String? = nil, for options: ImportOptions,
        isTrial: Bool = false,
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> ImportTarget {
        do {
            return ImportTarget(library: try await open(root, catalog: catalog, sidecars: sidecars))
        } catch {
            guard case .missing = (error as? LibraryError)?.cause else { throw error }
        }
        let root = ProcessEnvironment.futurePath(root)
        _ = try ImportPlanner.check(options.sources, root: root)
        let isThere = Folder.isFolder(root, followingLinks: true)
        var making: LibraryMaking?
        func index(_ library: PhotoLibrary) async throws -> IndexReport {
            try await library.index(
                [""], assuming: options.assumedZone, undatedBy: options.undatedBy, progress: progress)
        }
        do {
            if isTrial {
                // The random name cannot have been prepared by an attacker.
                let folder =
                    "\(ProcessEnvironment.temporaryFolder)/viewport-plan-\(UInt64.random(in: 0...(.max)))"
                let library = try await BackgroundQueue.run {
                    // The root need not exist: a trial creates no folder.
                    try make(root, catalog: "\(folder)/\(LibraryFolder.catalog)")
                }
                let index = isThere ? try await index(library) : IndexReport()
                return ImportTarget(library: library, made: index, trialFolder: folder)
            }
            making = LibraryMaking(root, catalog: try locate(root, catalog).catalog, sidecars: sidecars)
            if !isThere { try Folder.make(root, mode: 0o777) }
            let library = try await create(root, catalog: catalog, sidecars: sidecars)
            making?.library = library
            making?.index = try await index(library)
            return ImportTarget(library: library, made: making?.index, making: making)
        } catch let error as LibraryError {
            if case .exists = error.cause { throw error }
            making?.undo()
            throw error
        } catch let error as CancellationError {
            making?.undo()
            throw error
        } catch let error as FileError {
            making?.undo()
            throw LibraryError.unwritable(root, error)
        } catch {
            making?.undo()
            throw LibraryError(.unwritable(root, reason: "\(error)"))
        }
    }
}

/// A library that was opened to import into.
package struct ImportTarget: Sendable {
    /// The library.
    package let library: PhotoLibrary
    /// The result of indexing the folder if the library was created; nil if it existed.
    package internal(set) var made: IndexReport?
    fileprivate var trialFolder: String?
    fileprivate var making: LibraryMaking?

    /// Removes the temporary library of a trial, and one that was created for an import that has brought nothing.
    ///
    /// - Parameter isKept: whether the import has succeeded, or has brought files.
    package func close(keeping isKept: Bool) {
        guard let trialFolder else {
            if !isKept { making?.undo() }
            return
        }
        try? library.close()
        for name in Folder.names(in: trialFolder) { Folder.remove("\(trialFolder)/\(name)") }
        Folder.removeEmpty(trialFolder)
    }
}

/// What is made of a new library before an import knows whether there is something to import.
private struct LibraryMaking: Sendable {
    private let root: String
    private let catalog: FilePath
    /// The files of the catalog that were missing.
    private let files: [String]
    /// The mark of the folder of sidecars; nil if there is none, or if it was there.
    private let mark: String?
    /// The folders that were missing, each before those around it.
    private let folders: [String]
    var library: PhotoLibrary?
    var index: IndexReport?

    /// Records what is there before the library is made.
    init(_ root: String, catalog: String, sidecars: String?) {
        (self.root, self.catalog) = (root, FilePath(catalog))
        files = LibraryFolder.endings.map { catalog + $0 }.filter { FileStatus($0) == nil }
        let sidecars = sidecars.map(ProcessEnvironment.futurePath)
        mark = sidecars.map(SidecarPlaces.mark(of:)).flatMap { FileStatus($0) == nil ? $0 : nil }
        let places = [self.catalog.folder, sidecars.map { FilePath($0) }, FilePath(root)].compactMap(\.self)
        folders = places.flatMap(Self.missing)
    }

    private static func missing(_ path: FilePath) -> [String] {
        var (path, missing) = (path, [String]())
        while FileStatus(path.text) == nil, path != path.folder {
            missing.append(path.text)
            path = path.folder
        }
        return missing
    }

    /// Removes the catalog and the folders that were made, unless another process imports into the library.
    func undo() {
        if let library {
            let count = try? library.readAndWait { database in
                try Int.fetchOne(database, sql: "SELECT count(*) FROM asset")
            }
            if let index, count != index.inserted { return }
            guard let lock = try? FileLock(library.catalogPath + PhotoLibrary.importLockSuffix, .alone) else {
                return
            }
            withExtendedLifetime(lock) {
                try? library.close()
                removeFiles()
            }
        } else {
            removeFiles()
        }
        if let mark { Folder.remove(mark) }
        for folder in folders.filter([root, catalog.folder.text].contains) {
            Self.removeEmptyFolders(in: folder)
        }
        for folder in folders { Folder.removeEmpty(folder) }
    }

    private func removeFiles() { for file in files { Folder.remove(file) } }

    /// Removes the folders of files that could not be copied.
    private static func removeEmptyFolders(in folder: String) {
        for entry in (try? Folder.entries(in: folder)) ?? [] where entry.kind == .folder {
            removeEmptyFolders(in: "\(folder)/\(entry.name)")
            Folder.removeEmpty("\(folder)/\(entry.name)")
        }
    }
}

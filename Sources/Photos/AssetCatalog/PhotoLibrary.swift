package import CatalogStorage
package import Files

/// A folder of photos and videos with a catalog of their metadata.
///
/// The files stay where they are. The catalog is an SQLite database in a hidden folder next to them, or at another
/// path. Several processes may open the same library at the same time. The library is a model only: it has no
/// views, and AssetRendering decodes pixels.
///
/// Methods suspend while the disk works and never block the caller's thread.
public final class PhotoLibrary: Sendable {
    /// The absolute path of the folder that holds the photos.
    public let root: String
    /// The absolute path of the catalog's database file.
    package var catalogPath: String { store.path }
    let store: CatalogStore
    /// Positions in large entries, shared by all collections.
    let anchors = PageAnchors()
    /// The thumbnails of an earlier `index`, for readers.
    let thumbnails: StoredThumbnails
    /// Where sidecars are read and written.
    package let places: SidecarPlaces

    private init(root: String, store: CatalogStore, sidecars: String?) throws {
        self.root = root
        self.store = store
        places = try SidecarPlaces(root: root, asked: sidecars, store)
        thumbnails = StoredThumbnails(catalog: store.path)
    }

    /// Opens an existing library.
    ///
    /// A library on read-only storage can be read; what would write to it throws an error of the kind `inaccessible`.
    ///
    /// - Parameters:
    ///   - root: the folder that holds the photos.
    ///   - catalog: the path of the database; nil for a hidden folder in the root.
    /// - Throws: `LibraryError`, of the kind `notFound` without a catalog, `damaged` if it cannot be used.
    public static func open(
        _ root: String, catalog: String? = nil
    ) async throws -> PhotoLibrary {
        try await open(root, catalog: catalog, sidecars: nil)
    }

    /// Opens an existing library.
    ///
    /// - Parameters:
    ///   - sidecars: the folder in which sidecars are written and looked up first, which the catalog remembers; nil for
    ///     the remembered one, the root for the places beside the photos.
    ///   - asCopy: whether a catalog that cannot be written is copied, so that what is derived from it can be stored for
    ///     the life of the library. Its files and its locks cannot be written anyway.
    package static func open(
        _ root: String, catalog: String? = nil, sidecars: String?, asCopy: Bool = false
    ) async throws -> PhotoLibrary {
        try await BackgroundQueue.run {
            let (root, path) = try locate(root, catalog)
            guard FileStatus(path) != nil else { throw absence(of: path) }
            return try PhotoLibrary(
                root: root, store: CatalogStore(path: path, asCopy: asCopy), sidecars: sidecars)
        }
    }

    /// Creates an empty library in an existing folder and opens it.
    ///
    /// - Parameters:
    ///   - root: the folder that holds the photos.
    ///   - catalog: the path of the database; nil for a hidden folder in the root.
    /// - Throws: `LibraryError`, of the kind `inaccessible` if the root is not a readable folder, `alreadyExists`
    ///   if it has a catalog.
    public static func create(
        _ root: String, catalog: String? = nil
    ) async throws -> PhotoLibrary {
        try await create(root, catalog: catalog, sidecars: nil)
    }

    /// Opens the library of a folder, and creates it where there is none.
    ///
    /// - Parameters:
    ///   - root: the folder that holds the photos; it is made where it is missing.
    ///   - catalog: the path of the database; nil for a hidden folder in the root.
    /// - Throws: `LibraryError`, of the kind `inaccessible` if the root is not a readable folder, `damaged` if its catalog
    ///   cannot be used.
    public static func openOrCreate(
        at root: String, catalog: String? = nil
    ) async throws -> PhotoLibrary {
        try await BackgroundQueue.run {
            let (root, path) = try locate(root, catalog)
            if FileStatus(path) == nil {
                do throws(FileError) {
                    try Folder.make(root)
                } catch {
                    throw LibraryError.noRoot(root, error)
                }
                try checkRoot(root)
            }
            return try make(root, catalog: path).library
        }
    }

    /// Creates an empty library whose sidecars are written to a folder of their own.
    package static func create(
        _ root: String, catalog: String? = nil, sidecars: String?
    ) async throws -> PhotoLibrary {
        try await BackgroundQueue.run {
            let (root, path) = try locate(root, catalog)
            guard FileStatus(path) == nil else { throw LibraryError(.exists(catalog: path)) }
            try checkRoot(root)
            let made = try make(root, catalog: path, sidecars: sidecars)
            guard made.isNew else { throw LibraryError(.exists(catalog: path)) }
            return made.library
        }
    }

    /// Opens a library, and creates its catalog where there is none; the root need not exist yet.
    ///
    /// - Returns: the library, and whether this call has created it: another process may do so at the same time. A version
    ///   is that of a created library which no other process has written yet, for `takeBack`.
    package static func make(
        _ root: String, catalog path: String, sidecars: String? = nil
    ) throws -> (library: PhotoLibrary, isNew: Bool, version: Int?) {
        while true {
            var content: String?
            if FileStatus(path) == nil {
                try makeFolder(of: path)
                if let fault = Folder.writingFault(OutputFile.folder(of: path)) {
                    throw LibraryError.inaccessible(catalog: path, fault)
                }
                do {
                    content = try CatalogStore.make(at: path)
                } catch {
                    // An import that has brought nothing has taken back the folder.
                    guard !Folder.isThere(OutputFile.folder(of: path)) else { throw error }
                    continue
                }
            }
            do {
                let store = try CatalogStore(path: path)
                let version = try content.flatMap(store.foreignVersion)
                let library = try PhotoLibrary(root: root, store: store, sidecars: sidecars)
                return (library, content != nil, version)
            } catch let error as LibraryError {
                // Its maker has taken it back.
                guard case .missing = error.cause else { throw error }
            }
        }
    }

    /// Returns why a catalog cannot be found: it is not there, or its folder is closed to this user.
    private static func absence(of catalog: String) -> LibraryError {
        do throws(FileError) {
            try InputFile.check(catalog)
        } catch .unreadable(let reason) {
            return LibraryError(.inaccessible(catalog: catalog, reason: reason))
        } catch {}
        return LibraryError(.missing(catalog: catalog))
    }

    /// Throws if the folder cannot be listed.
    package static func checkRoot(_ root: String) throws {
        do throws(FileError) {
            try Folder.check(root)
        } catch {
            throw LibraryError.noRoot(root, error)
        }
    }

    /// Returns the absolute paths of a library's root and of its database.
    package static func locate(
        _ root: String, _ catalog: String?
    ) throws -> (root: String, catalog: String) {
        let root = ProcessEnvironment.absolutePath(root)
        let path = catalog.map(ProcessEnvironment.absolutePath)
        return (root, path ?? "\(root)/\(LibraryFolder.name)/\(LibraryFolder.catalog)")
    }

    /// Creates the folder of a catalog.
    package static func makeFolder(of catalog: String) throws {
        do {
            try Folder.make(OutputFile.folder(of: catalog))
        } catch {
            throw LibraryError.inaccessible(catalog: catalog, error)
        }
    }

    /// Returns the absolute path of an asset's file.
    public func path(of asset: Asset) -> String { "\(root)/\(asset.path)" }

    /// Returns the absolute path of a path below the root.
    package func path(of path: FilePath) -> String { "\(root)/\(path.text)" }
}

extension PhotoLibrary {
    /// Reads from one state of the catalog.
    package func read<R: Sendable>(
        _ body: @escaping @Sendable (Catalog) throws -> R
    ) async throws -> R {
        try await store.read(body)
    }

    /// Writes to the catalog in one transaction.
    package func write<R: Sendable>(
        _ body: @escaping @Sendable (Catalog) throws -> R
    ) async throws -> R {
        try await store.write(body)
    }

    /// Writes what is not worth storing, also if the catalog cannot be written.
    package func writeAside<R: Sendable>(
        _ body: @escaping @Sendable (Catalog) throws -> R
    ) async throws -> R {
        try await store.writeAside(body)
    }

    /// Reads on the current thread, which may block.
    package func readAndWait<R>(_ body: (Catalog) throws -> R) throws -> R {
        try store.readAndWait(body)
    }

    /// Writes on the current thread, which may block.
    package func writeAndWait<R>(_ body: (Catalog) throws -> R) throws -> R {
        try store.writeAndWait(body)
    }

    /// Closes all connections to the database; the library cannot be used afterwards.
    package func close() throws { try store.close() }

    /// Closes the catalog for good if no other process has it open, or has written it; returns whether it did.
    ///
    /// - Parameters:
    ///   - version: that which `make` returned.
    ///   - remove: removes its files, while no other process can read or write it.
    package func takeBack(since version: Int, _ remove: () -> Void) -> Bool {
        store.takeBack(since: version, remove)
    }
}

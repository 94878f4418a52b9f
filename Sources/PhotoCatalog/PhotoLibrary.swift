internal import Files

/// The photos and videos below a folder, and what is known of them: a model only, without views.
///
/// The files stay where they are; the catalog lies in a hidden folder beside them, or anywhere else. Several
/// processes may have the same library open at once.
public final class PhotoLibrary: Sendable {
    /// The folder that holds the photos: its path from the root of the file system.
    public let root: String
    /// The path of the database.
    public let catalogPath: String
    let catalog: Catalog

    private init(root: String, catalog: Catalog) {
        self.root = root
        self.catalogPath = catalog.path
        self.catalog = catalog
    }

    /// Opens a library.
    ///
    /// - Parameters:
    ///   - root: the folder that holds the photos.
    ///   - catalog: the path of the database; unless given, it is in a hidden folder in the root.
    public static func open(
        _ root: String, catalog: String? = nil
    ) async throws(LibraryError) -> PhotoLibrary {
        try await BackgroundQueue.run { () throws(LibraryError) in
            let (root, path) = try locate(root, catalog)
            guard FileStatus(path) != nil else { throw .missing(catalog: path) }
            return PhotoLibrary(root: root, catalog: try Catalog(path: path))
        }
    }

    /// Makes a library that knows of no photos yet, and opens it.
    ///
    /// - Throws: `LibraryError.exists` where there is one already.
    public static func create(
        _ root: String, catalog: String? = nil
    ) async throws(LibraryError) -> PhotoLibrary {
        try await BackgroundQueue.run { () throws(LibraryError) in
            let (root, path) = try locate(root, catalog)
            guard FileStatus(path) == nil else { throw .exists(catalog: path) }
            try makeFolder(of: path)
            return PhotoLibrary(root: root, catalog: try Catalog(path: path))
        }
    }

    /// The absolute paths of a library's root and of its database.
    static func locate(
        _ root: String, _ catalog: String?
    ) throws(LibraryError) -> (root: String, catalog: String) {
        let root = ProcessEnvironment.absolutePath(root)
        let path = catalog.map(ProcessEnvironment.absolutePath)
        return (root, path ?? "\(root)/\(LibraryFolder.name)/\(LibraryFolder.catalog)")
    }

    /// Makes the folder that a catalog lies in.
    static func makeFolder(of catalog: String) throws(LibraryError) {
        do {
            try Folder.make(OutputFile.folder(of: catalog))
        } catch {
            throw .inaccessible(catalog: catalog, reason: error.description)
        }
    }

    /// The absolute path of an asset's file.
    public func path(of asset: Asset) -> String { "\(root)/\(asset.path)" }
}

/// Where a library keeps what it knows: a hidden folder beside the photos.
package enum LibraryFolder {
    package static let name = ".viewport-library"
    package static let catalog = "catalogue.sqlite"
}

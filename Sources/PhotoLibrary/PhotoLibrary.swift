internal import Files

/// The photos and videos below a folder, and what is known of them: a model only, without views.
///
/// The files stay where they are; the catalogue lies in a hidden folder beside them, or anywhere else. Several
/// processes may have the same library open at once.
public final class PhotoLibrary: Sendable {
    /// The folder that holds the photos: its path from the root of the file system.
    public let root: String
    /// The path of the database.
    public let cataloguePath: String
    let catalogue: Catalogue

    private init(root: String, catalogue: Catalogue) {
        self.root = root
        self.cataloguePath = catalogue.path
        self.catalogue = catalogue
    }

    /// Opens a library.
    ///
    /// - Parameters:
    ///   - root: the folder that holds the photos.
    ///   - catalogue: the path of the database; unless given, it is in a hidden folder in the root.
    public static func open(
        _ root: String, catalogue: String? = nil
    ) async throws(LibraryError) -> PhotoLibrary {
        try await BackgroundQueue.run { () throws(LibraryError) in
            let (root, path) = try locate(root, catalogue)
            guard FileStatus(path) != nil else { throw .missing(catalogue: path) }
            return PhotoLibrary(root: root, catalogue: try Catalogue(path: path))
        }
    }

    /// Makes a library that knows of no photos yet, and opens it.
    ///
    /// - Throws: `LibraryError.exists` where there is one already.
    public static func create(
        _ root: String, catalogue: String? = nil
    ) async throws(LibraryError) -> PhotoLibrary {
        try await BackgroundQueue.run { () throws(LibraryError) in
            let (root, path) = try locate(root, catalogue)
            guard FileStatus(path) == nil else { throw .exists(catalogue: path) }
            try makeFolder(of: path)
            return PhotoLibrary(root: root, catalogue: try Catalogue(path: path))
        }
    }

    /// The absolute paths of a library's root and of its database.
    static func locate(
        _ root: String, _ catalogue: String?
    ) throws(LibraryError) -> (root: String, catalogue: String) {
        let root = Surroundings.absolutePath(root)
        let path = catalogue.map(Surroundings.absolutePath)
        return (root, path ?? "\(root)/\(LibraryFolder.name)/\(LibraryFolder.catalogue)")
    }

    /// Makes the folder that a catalogue lies in.
    static func makeFolder(of catalogue: String) throws(LibraryError) {
        do {
            try Folder.make(OutputFile.folder(of: catalogue))
        } catch {
            throw .inaccessible(catalogue: catalogue, reason: error.description)
        }
    }

    /// The absolute path of an asset's file.
    public func path(of asset: Asset) -> String { "\(root)/\(asset.path)" }
}

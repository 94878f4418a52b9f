/// Why a library could not do what it was asked for.
public enum LibraryError: Error, Equatable, Sendable {
    /// There is no catalog at this path.
    case missing(catalog: String)
    /// A catalog is there already.
    case exists(catalog: String)
    /// The root is no folder that can be read; the system's words.
    case noRoot(String, reason: String)
    /// The file is no catalog, or its pages contradict each other; SQLite's words.
    case damaged(catalog: String, reason: String)
    /// The database did not do what it was asked for, for a reason that neither the file nor the disk gives.
    case refused(catalog: String, reason: String)
    /// A newer version of the program has changed the catalog's form.
    case newer(catalog: String)
    /// Another process is writing and did not finish in time.
    case busy(catalog: String)
    /// Another process is indexing this library.
    case indexing(catalog: String)
    /// The disk is full, or the file may not be read or written; the system's words.
    case inaccessible(catalog: String, reason: String)
    /// A path outside of the library's root.
    case outside(path: String, root: String)
    /// An album of that name is there already.
    case albumExists(String)
    /// The group is no album, or was deleted.
    case noAlbum
    /// The asset was removed.
    case noAsset(Int64)
    /// The task was cancelled; what was finished stays.
    case cancelled
}

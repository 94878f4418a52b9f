/// Why a library could not do what it was asked for.
public enum LibraryError: Error, Equatable, Sendable {
    /// There is no catalogue at this path.
    case missing(catalogue: String)
    /// A catalogue is there already.
    case exists(catalogue: String)
    /// The root is no folder that can be read; the system's words.
    case noRoot(String, reason: String)
    /// The file is no catalogue, or its pages contradict each other; SQLite's words.
    case damaged(catalogue: String, reason: String)
    /// The database did not do what it was asked for, for a reason that neither the file nor the disk gives.
    case refused(catalogue: String, reason: String)
    /// A newer version of the program has changed the catalogue's form.
    case newer(catalogue: String)
    /// Another process is writing and did not finish in time.
    case busy(catalogue: String)
    /// Another process is indexing this library.
    case indexing(catalogue: String)
    /// The disk is full, or the file may not be read or written; the system's words.
    case inaccessible(catalogue: String, reason: String)
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

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

extension LibraryError: CustomStringConvertible {
    /// What is wrong and what to do, in one sentence.
    public var description: String {
        switch self {
        case .missing(let path): "\(path): there is no library; make one with `viewport library init`"
        case .exists(let path): "\(path): there is a library already; open it, or choose another place"
        case .noRoot(let path, let reason):
            "\(path): the library's root cannot be read (\(reason)); check the path and whether its disk is there"
        case .damaged(let path, let reason):
            "\(path): the catalog is damaged (\(reason)); rebuild it with `viewport library verify --repair`"
        case .refused(let path, let reason):
            "\(path): the catalog refuses what it is asked for (\(reason)); see what `viewport library verify` says of it"
        case .newer(let path):
            "\(path): the catalog was made by a newer version; use that version or a newer one"
        case .busy(let path): "\(path): another program is writing the catalog; try again when it is done"
        case .indexing(let path):
            "\(path): another program is indexing this library; try again when it is done"
        case .inaccessible(let path, let reason):
            "\(path): the catalog cannot be read or written (\(reason)); make room or check who may write there"
        case .outside(let path, let root): "\(path): is not in the library's root \(root); import it instead"
        case .albumExists(let name): "\(name): there is an album of that name already; choose another name"
        case .noAlbum: "there is no such album; it may have been deleted"
        case .noAsset(let id): "there is no asset \(id); its file may have been deleted"
        case .cancelled: "stopped; run it again and it goes on where it was"
        }
    }
}

public import Foundation

/// An error of a photo library.
public enum LibraryError: Error, Equatable, Sendable {
    /// There is no catalog at this path.
    case missing(catalog: String)
    /// A catalog is there already.
    case exists(catalog: String)
    /// The root is no folder that can be read; its path, and the system's reason.
    case noRoot(String, reason: String)
    /// The file is no catalog, or its pages contradict each other; SQLite's reason.
    case damaged(catalog: String, reason: String)
    /// The database rejected an operation for a reason that is neither the file's nor the disk's.
    case refused(catalog: String, reason: String)
    /// The catalog was changed by a newer version of the program.
    case newer(catalog: String)
    /// Another process is writing and did not finish in time.
    case busy(catalog: String)
    /// Another process or task is indexing this library.
    case indexing(catalog: String)
    /// The catalog cannot be read or written; the system's reason.
    case inaccessible(catalog: String, reason: String)
    /// A path is not in the library's root.
    case outside(path: String, root: String)
    /// There is an album of that name already.
    case albumExists(String)
    /// The group is no album, or was deleted.
    case noAlbum
    /// There is no asset with this identifier, or it was removed.
    case noAsset(Int64)
    /// The task was cancelled; what was finished stays.
    case cancelled
}

extension LibraryError: LocalizedError, CustomStringConvertible {
    /// The file, the operation and the cause, in one sentence.
    public var description: String {
        switch self {
        case .missing(let path): "\(path): there is no library"
        case .exists(let path): "\(path): there is a library already"
        case .noRoot(let path, let reason): "\(path): the library's root cannot be read (\(reason))"
        case .damaged(let path, let reason): "\(path): the catalog is damaged (\(reason))"
        case .refused(let path, let reason):
            "\(path): the catalog refuses what it is asked for (\(reason))"
        case .newer(let path): "\(path): the catalog was made by a newer version"
        case .busy(let path): "\(path): another program is writing the catalog"
        case .indexing(let path): "\(path): another program is indexing this library"
        case .inaccessible(let path, let reason):
            "\(path): the catalog cannot be read or written (\(reason))"
        case .outside(let path, let root): "\(path): is not in the library's root \(root)"
        case .albumExists(let name): "\(name): there is an album of that name already"
        case .noAlbum: "there is no such album; it may have been deleted"
        case .noAsset(let id): "there is no asset \(id); its file may have been deleted"
        case .cancelled: "stopped"
        }
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}

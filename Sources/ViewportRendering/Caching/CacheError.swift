/// Why something could not be kept, in one sentence that names the file and the cure.
public enum CacheError: Error, Equatable, Sendable {
    /// The folder or a file in it cannot be written.
    case unwritable(path: String, reason: String)
    /// The disk has less room than an entry may need.
    case noRoom(path: String, free: Int, needed: Int)
    /// The source was written while it was read.
    case changed(file: String)
    /// An entry could not be read and was removed.
    case broken(file: String)
    /// There is no way to keep pixels of this source.
    case unsuitable(file: String)
}

extension CacheError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unwritable(let path, let reason):
            "\(path): the cache cannot be written (\(reason)); set XDG_CACHE_HOME to a folder that can"
        case .noRoom(let path, let free, let needed):
            "\(path): the cache has room for \(free) bytes and may need \(needed); "
                + "make room, or set XDG_CACHE_HOME to a larger disk"
        case .changed(let file):
            "\(file): was written while it was read; try again when it is whole"
        case .broken(let file):
            "\(file): its entry in the cache was damaged and is removed; try again"
        case .unsuitable(let file):
            "\(file): is read in parts as it is and needs no cache; leave out --cache"
        }
    }
}

extension FileError: CustomStringConvertible {
    /// What is wrong and what to do, to be read behind the name of the file.
    package var description: String {
        switch self {
        case .missing: "does not exist; check the path"
        case .folder: "is a folder; name a file in it"
        case .empty: "is empty"
        case .unreadable(let reason): "cannot be read (\(reason))"
        case .changed: "was changed while it was read; try again when nobody writes it"
        case .noFolder(let folder): "the folder \(folder) does not exist; create it first"
        case .exists: "is there already; add --overwrite to replace it, or choose another name"
        case .kept(let why): why
        case .unwritable(let reason): "cannot be written (\(reason)); choose another place or make room"
        }
    }
}

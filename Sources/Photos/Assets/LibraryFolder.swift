/// The names of the hidden folder in a library's root and of the catalog in it.
package enum LibraryFolder {
    package static let name = ".viewport-library"
    package static let catalog = "catalogue.sqlite"
    /// What the names of the files of a catalog have behind its own: the database, its logs, and the locks.
    package static let endings =
        ["", "-wal", "-shm", "-journal"]
        + [lockSuffix, editLockSuffix, importLockSuffix]
    /// What the name of the lock has behind the catalog's that an import holds while it makes the library.
    package static let makingSuffix = ".making-lock"
    /// What the names of its locks have behind the catalog's.
    package static let lockSuffix = ".lock"
    package static let editLockSuffix = ".edit.lock"
    package static let importLockSuffix = ".import-lock"
}

/// Why a file could not be read or written.
package enum FileError: Error, Equatable, Sendable {
    case missing
    case folder
    case empty
    /// The system's words for what is wrong.
    case unreadable(String)
    /// It was written or cut while it was read.
    case changed
    case noFolder(String)
    case unwritable(String)
    /// Something stands there that is not to be replaced.
    case exists
}

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
    /// Something stands there that this program did not make.
    case exists
    /// What stands there must stay, in words.
    case kept(String)
}

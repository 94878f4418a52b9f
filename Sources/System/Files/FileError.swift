#if canImport(FoundationEssentials)
internal import FoundationEssentials
#elseif canImport(Foundation)
internal import Foundation
#endif

/// The reason why a file could not be read or written.
package enum FileError: Error, Equatable, Sendable {
    case missing
    case folder
    case empty
    /// The system's error message.
    case unreadable(String)
    /// The server of a remote file does not answer, is busy or breaks off; a later attempt can succeed.
    case unavailable(String)
    /// It was written or truncated while it was read.
    case changed
    /// The task was cancelled that waited for its bytes.
    case cancelled
    case noFolder(String)
    case unwritable(String)
    /// The destination exists, and this program did not make it.
    case exists
    /// The existing file must not be replaced, for this reason.
    case kept(String)
}

#if !hasFeature(Embedded)
extension FileError: LocalizedError {
    package var errorDescription: String? { description }
}
#endif

extension FileError: CustomStringConvertible {
    /// The cause, as the end of a sentence that begins with the file's name.
    package var description: String {
        switch self {
        case .missing: "does not exist; check the path"
        case .folder: "is a folder; name a file in it"
        case .empty: "is empty"
        case .unreadable(let reason), .unavailable(let reason): "cannot be read (\(reason))"
        case .changed: "was changed while it was read; try again when nobody writes it"
        case .noFolder(let folder): "the folder \(folder) does not exist; create it first"
        case .cancelled: "was not read to its end, because that was cancelled"
        case .exists: "is there already"
        case .kept(let why): why
        case .unwritable(let reason):
            "cannot be written (\(reason)); choose another folder or free disk space"
        }
    }
}

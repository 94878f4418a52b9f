package import Files

/// A ZIP archive, or an entry of one, cannot be read.
package struct ZipError: Error, Equatable, Sendable {
    /// The path of the archive.
    package let archive: String
    /// The name of the entry; nil if the fault is that of the whole archive.
    package let entry: FilePath?
    /// The cause.
    package let fault: Fault

    package enum Fault: Error, Hashable, Sendable {
        /// The system's error message, or a change of the archive while it was read.
        case unreadable(String)
        case noDirectory
        /// The number of the first entry of the directory that is not complete, from 0.
        case brokenDirectory(entry: Int)
        case severalParts
        /// Its bytes are also those of another entry, or of the directory.
        case overlap(String)
        case encrypted
        /// Neither stored nor compressed with deflate.
        case method(Int)
        case unsafeName
        case nameNotUTF8
        case repeatedName
        case link
        case brokenHeader
        case brokenData
        /// It has other bytes than it states.
        case checksum
        /// It has more or fewer bytes than it states.
        case size(stated: Int)
        /// It is larger than what is read at once.
        case tooLarge(limit: Int)
        /// It is larger than `ZipArchive.maximumGrowth(to:)` times its compressed size.
        case grows(from: Int, to: Int)
    }
}

extension ZipError: CustomStringConvertible {
    /// The archive, the entry and the cause, in one sentence.
    package var description: String {
        "\(archive): \(entry.map { "entry \($0): " } ?? "")\(fault)"
    }
}

extension ZipError.Fault: CustomStringConvertible {
    /// The cause, as the end of a sentence that begins with the name.
    package var description: String {
        switch self {
        case .unreadable(let reason): "cannot be read (\(reason))"
        case .noDirectory: "is no ZIP archive, or is cut: its directory is missing"
        case .brokenDirectory(let entry): "its directory is damaged from entry \(entry) on"
        case .severalParts: "is one of several parts of a divided archive, which cannot be read"
        case .overlap(let other): "shares its bytes with \(other); the archive is damaged or hostile"
        case .encrypted: "is encrypted"
        case .method(let number): "is compressed with method \(number); only stored and deflate can be read"
        case .unsafeName: "has a name that is no path inside of the archive"
        case .nameNotUTF8: "has a name that is not valid UTF-8"
        case .repeatedName: "has the name of an earlier entry"
        case .link: "is a symbolic link"
        case .brokenHeader: "its header contradicts the directory of the archive"
        case .brokenData: "its compressed data is damaged"
        case .checksum: "its bytes do not have the stated checksum"
        case .size(let stated): "does not have the stated size of \(stated) bytes"
        case .tooLarge(let limit): "has more than \(limit) bytes"
        case .grows(let size, let large):
            """
            would grow from \(size) to \(large) bytes, to more than \(ZipArchive.maximumGrowth(to: large)) times its size
            """
        }
    }
}

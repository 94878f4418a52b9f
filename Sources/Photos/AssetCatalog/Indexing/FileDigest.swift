internal import Basics
internal import Digests
package import Files

/// SHA-256 digests of files.
package enum FileDigest {
    /// A digest with the state of the file that it belongs to.
    package struct Reading {
        /// 32 bytes.
        package var bytes: [UInt8]
        package var moment: FileMoment

        package init(_ bytes: [UInt8], _ moment: FileMoment) { (self.bytes, self.moment) = (bytes, moment) }

        /// 64 hexadecimal digits.
        package var text: String { bytes.hexadecimal }
    }

    /// Returns the digest of a file.
    package static func of(_ path: String) throws(FileError) -> String { try reading(of: path).text }

    /// Reads the digest of a file, from the disk instead of the page cache if the system allows it.
    ///
    /// - Throws: `FileError`, also if the file changes meanwhile.
    package static func reading(of path: String) throws(FileError) -> Reading {
        var hash = SHA256()
        let pieces = try InputPieces(path)
        let before = pieces.moment
        pieces.forgetCached()
        while try pieces.next({ hash.update($0) }) != nil {}
        guard let before, pieces.moment == before, FileMoment(path) == before else {
            throw .unreadable("it was changed while it was read; run it again")
        }
        return Reading(hash.finalize().bytes, before)
    }
}

extension Asset {
    /// The reason for a file with another checksum but the same size and time.
    package static let damage =
        "has other bytes than when it was indexed, at the same time and size: restore it from a backup"
}

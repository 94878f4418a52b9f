internal import Digests
internal import Files

/// SHA-256 of files, read piece by piece.
enum FileDigest {
    /// A digest with the moment of the file that it belongs to.
    struct Reading {
        /// 64 hexadecimal digits.
        var text: String
        var moment: FileMoment
    }

    /// The digest of a file as it is now.
    static func of(_ path: String) throws(FileError) -> String { try reading(of: path).text }

    /// The digest of a file as it is now, from the disk where the system allows it.
    ///
    /// - Throws: `FileError`, also where the file changes meanwhile.
    static func reading(of path: String) throws(FileError) -> Reading {
        var hash = SHA256()
        let pieces = try InputPieces(path)
        let before = pieces.moment
        pieces.forgetCached()
        while try pieces.next({ hash.update($0) }) != nil {}
        guard let before, pieces.moment == before, FileMoment(path) == before else {
            throw .unreadable("it was changed while it was read; run it again")
        }
        return Reading(text: hash.finalize().hexadecimal, moment: before)
    }
}

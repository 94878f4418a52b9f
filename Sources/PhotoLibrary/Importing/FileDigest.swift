internal import Crypto
internal import Files
internal import Foundation

/// SHA-256 of files, read piece by piece.
struct FileDigest {
    private var hash = SHA256()

    mutating func add(_ piece: Span<UInt8>) { piece.withChunks { hash.update(data: $0) } }

    /// 64 hexadecimal digits.
    var text: String { Hexadecimal.text(Data(hash.finalize())) }

    /// The digest of a file as it is now.
    static func of(_ path: String) throws(FileError) -> String {
        var digest = FileDigest()
        let pieces = try InputPieces(path)
        while try pieces.next({ digest.add($0) }) != nil {}
        return digest.text
    }
}

internal import GRDB

/// What the pixels of a picture are: the same after its metadata were edited.
public struct Fingerprint: Hashable, Sendable {
    /// SHA-256 of the size and of the upright sRGB pixels: 64 hexadecimal digits.
    public var pixels: String
    public var difference: DifferenceHash

    public init(pixels: String, difference: DifferenceHash) {
        self.pixels = pixels
        self.difference = difference
    }
}

/// Decodes pictures for the library, which has no pixels of its own.
public protocol FingerprintMaker: Sendable {
    /// The fingerprint of a file; called from several threads at once, which it may block.
    func fingerprint(of path: String) throws -> Fingerprint
}

extension Fingerprint {
    /// Kept by the digest of the file's bytes, so that it is never out of date, wherever the file goes.
    static let table = """
        CREATE TABLE fingerprint (
            sha256 BLOB PRIMARY KEY, pixels BLOB NOT NULL, difference INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX fingerprintByPixels ON fingerprint(pixels);
        """
}

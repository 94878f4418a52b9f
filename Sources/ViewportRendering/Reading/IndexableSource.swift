/// A source whose parts can be read at random through an index, which one pass over the file makes.
package protocol IndexableSource: ImageSource {
    /// The kind of the index, which identifies its entries in caches.
    var indexKind: IndexKind { get }

    /// Returns the source with a complete index.
    ///
    /// - Throws: `RenderingError.notIndexable` with the reason, or `.truncated` where rows are missing; `.changed`, or
    ///   `CancellationError`.
    func makingIndex() throws -> any IndexableSource

    /// Returns the index as bytes; nil where the source has no complete index.
    ///
    /// - Throws: `RenderingError` where the file has changed.
    func encodedIndex() throws -> [UInt8]?

    /// Returns the index that reads have found on their way, as bytes, which may lack the last rows; nil where they have
    /// found nothing new that is worth storing.
    ///
    /// - Throws: `RenderingError` where the file has changed.
    func encodedNewIndex() throws -> [UInt8]?

    /// Returns the source with an index from `encodedIndex()` or `encodedNewIndex()`; nil where that is damaged or of
    /// another file.
    func reading(encodedIndex bytes: [UInt8]) -> (any IndexableSource)?
}

extension IndexableSource {
    /// Nothing.
    package func encodedNewIndex() throws -> [UInt8]? { nil }
}

/// The kind of an index.
package struct IndexKind: Hashable, Sendable {
    /// Letters only.
    package let name: String
    /// The version of its format; indexes of other versions are made again.
    package let version: Int
    /// What it indexes, such as "a baseline JPEG".
    package let subject: String

    /// The blocks of a baseline JPEG.
    static let jpeg = IndexKind(name: "index", version: 1, subject: "a baseline JPEG")
    /// Points between two symbols of a PNG's compressed data.
    static let png = IndexKind(name: "pngindex", version: 1, subject: "a PNG")
    /// The blocks of all scans of a progressive JPEG.
    static let progressiveJPEG = IndexKind(name: "scans", version: 1, subject: "a progressive JPEG")
}

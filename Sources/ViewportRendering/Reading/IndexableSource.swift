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

    /// Returns the source with an index that `encodedIndex()` returned; nil where that is damaged or of another file.
    func reading(encodedIndex bytes: [UInt8]) -> (any IndexableSource)?
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
    /// The blocks of all scans of a progressive JPEG.
    static let progressiveJPEG = IndexKind(name: "scans", version: 1, subject: "a progressive JPEG")
}

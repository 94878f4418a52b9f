package import Files

/// A source whose parts can be read at random through an index, which one pass over the file makes.
package protocol IndexableSource: ImageSource {
    /// The kind of the index, which identifies its entries in caches.
    var indexKind: IndexKind { get }

    /// Returns the source with a complete index.
    ///
    /// - Parameter progress: receives the share of the file that is read, from 0 to 1, on several threads at the same time.
    /// - Throws: `RenderingError.notIndexable` with the reason, or `.truncated` where rows are missing; `.changed`, or
    ///   `CancellationError`.
    func makingIndex(_ progress: @escaping @Sendable (Double) -> Void) throws -> any IndexableSource

    /// Returns the source with the index that its first read makes where many parts are expected; the source itself where
    /// it has one, where none is expected, and where its data is damaged.
    ///
    /// - Parameter progress: as for `makingIndex(_:)`; not called while another thread makes the index.
    func indexedWhereAsked(
        _ progress: @escaping @Sendable (Double) -> Void
    ) throws(CancellationError) -> Self

    /// Returns the index as bytes; nil where the source has no complete index.
    ///
    /// - Parameter identity: The identity that the bytes are bound to; nil for that of the file.
    /// - Throws: `RenderingError` where the file has changed.
    func encodedIndex(for identity: FileFingerprint?) throws -> [UInt8]?

    /// Returns the index that reads have found on their way, as bytes, which may lack the last rows; nil where they have
    /// found nothing new that is worth storing.
    ///
    /// - Throws: `RenderingError` where the file has changed.
    func encodedNewIndex() throws -> [UInt8]?

    /// Returns the source with an index from `encodedIndex()` or `encodedNewIndex()`; nil where that is damaged or of
    /// another file.
    ///
    /// - Parameter identity: The identity that the bytes are bound to, which the caller has compared with the file; nil
    ///   for that of the file.
    func reading(encodedIndex bytes: [UInt8], for identity: FileFingerprint?) -> (any IndexableSource)?
}

extension IndexableSource {
    /// Whether it has a complete index.
    package var isIndexed: Bool { if case .random = capabilities.access { true } else { false } }

    /// Returns the source with a complete index.
    package func makingIndex() throws -> any IndexableSource { try makingIndex { _ in } }

    /// Returns the index as bytes, bound to the file with its modification time.
    package func encodedIndex() throws -> [UInt8]? { try encodedIndex(for: nil) }

    /// Returns the source with an index that is bound to the file with its modification time.
    package func reading(encodedIndex bytes: [UInt8]) -> (any IndexableSource)? {
        reading(encodedIndex: bytes, for: nil)
    }

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

extension FileFingerprint {
    /// The identity that is known, or that of a file.
    init(_ known: FileFingerprint?, or file: OpenFile) throws(FileError) {
        if let known { self = known } else { try self.init(file) }
    }
}

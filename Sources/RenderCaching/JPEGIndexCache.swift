internal import Files
internal import JPEGIndexing
internal import ViewportGeometry
public import ViewportRendering

/// Keeps the indexes of JPEGs: a thousandth of the file, for any part of it at once.
///
/// An index is a hint. One that does not belong to the file as it is now, or that is damaged, is as good as none.
public struct JPEGIndexCache: Sendable {
    /// Where indexes are kept.
    public let folder: CacheFolder

    /// Makes a cache in a folder, which is made when the first index is kept.
    public init(folder: CacheFolder = CacheFolder()) {
        self.folder = folder
    }

    /// The same file, read through the index that the cache has of it; nil where it has none.
    public func existing(_ file: ImageFile) -> ImageFile? {
        guard let header = file.indexableHeader, let key = CacheKey(file.identity),
            let entry = folder.entry(for: key, .jpegIndex), let bytes = try? InputFile.contents(entry.path),
            let identity = identity(of: file),
            let index = try? JPEGIndex(saved: bytes, for: identity, header: header)
        else { return nil }
        return file.reading(through: index)
    }

    /// What an index is and what it took.
    public struct Made: Sendable {
        /// The file, read through its index.
        public let file: ImageFile
        /// The bytes of the index on disk.
        public let bytes: Int
        /// The bytes of the file.
        public let fileBytes: Int
        /// Whether it was there already.
        public let isKept: Bool
    }

    /// Makes the index of a file and keeps it; one that is there already is used.
    ///
    /// - Throws: `RenderingError.notIndexable` where it is no JPEG whose parts can be decoded alone, with the
    ///   reason; `CacheError` where the cache cannot be written.
    public func make(_ file: ImageFile) throws -> Made {
        guard let header = file.indexableHeader, let identity = identity(of: file) else {
            // It says why where it is no such JPEG.
            _ = try file.makeIndex()
            throw CacheError.changed(file: file.path)
        }
        let key = CacheKey(file.identity)
        let fileBytes = Int(identity.size)
        if let key, let kept = existing(file), let entry = folder.entry(for: key, .jpegIndex) {
            return Made(
                file: kept, bytes: FileStatus(entry.path)?.size ?? 0, fileBytes: fileBytes, isKept: true)
        }
        let index = try file.makeIndex()
        let bytes = index.saved(for: identity, header: header)
        // Of bytes and descriptors nothing is kept: nobody would find it again.
        if let key { try folder.store(bytes, for: key, .jpegIndex) }
        return Made(
            file: file.reading(through: index), bytes: bytes.count, fileBytes: fileBytes,
            isKept: false)
    }

    private func identity(of file: ImageFile) -> JPEGFileIdentity? {
        try? JPEGFileIdentity(file.opened)
    }

    /// The same file, read through its index, which is made where there is none.
    ///
    /// A JPEG whose blocks cannot be found stays as it is; where the cache cannot be written, the index stays in
    /// memory.
    package func indexed(_ file: ImageFile) throws -> ImageFile {
        guard file.indexableHeader != nil else { return file }
        do {
            return try make(file).file
        } catch RenderingError.notIndexable {
            return file
        } catch is CacheError {
            return try file.reopenedForRandomAccess()
        }
    }
}

extension CacheKind {
    /// Where the blocks of a JPEG begin.
    static let jpegIndex = CacheKind(name: "index", version: 1)
}

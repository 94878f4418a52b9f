internal import Files
internal import JPEGIndexing
internal import ViewportGeometry
public import ViewportRendering

/// A cache of JPEG indexes, about 0.1 % of the file each, through which any region is decoded directly.
///
/// An index that is damaged or does not match the current file is ignored.
public struct JPEGIndexCache: Sendable {
    /// The folder of the indexes.
    public let folder: CacheFolder

    /// Creates a cache in a folder, which is created with the first index.
    public init(folder: CacheFolder = CacheFolder()) {
        self.folder = folder
    }

    /// Returns the file, read through its index in the cache; nil where there is none.
    public func existing(_ file: ImageFile) -> ImageFile? {
        guard let header = file.indexableHeader, let key = CacheKey(file.identity),
            let entry = folder.entry(for: key, .jpegIndex), let bytes = try? InputFile.contents(entry.path),
            let identity = identity(of: file),
            let index = try? JPEGIndex(saved: bytes, for: identity, header: header)
        else { return nil }
        return file.reading(through: index)
    }

    /// An index that was made or found.
    public struct Made: Sendable {
        /// The file, read through its index.
        public let file: ImageFile
        /// The size of the index on disk in bytes.
        public let bytes: Int
        /// The size of the file in bytes.
        public let fileBytes: Int
        /// Whether it is stored in the cache.
        public let isKept: Bool
    }

    /// Returns the file with its index, which is made and stored where the cache has none.
    ///
    /// - Throws: `RenderingError.notIndexable` where it is not a JPEG whose regions can be decoded separately, with the
    ///   reason; `CacheError` where the cache cannot be written.
    public func make(_ file: ImageFile) throws -> Made {
        guard let header = file.indexableHeader, let identity = identity(of: file) else {
            // It throws the reason for other files.
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
        // Nothing is stored for bytes and descriptors, which have no path to find it by.
        if let key { try folder.store(bytes, for: key, .jpegIndex) }
        return Made(
            file: file.reading(through: index), bytes: bytes.count, fileBytes: fileBytes,
            isKept: false)
    }

    private func identity(of file: ImageFile) -> JPEGFileIdentity? {
        try? JPEGFileIdentity(file.opened)
    }

    /// Returns the file, read through its index, which is made where there is none.
    ///
    /// A JPEG that cannot be indexed is returned unchanged; where the cache cannot be written, the index stays in
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
    /// The block offsets of a JPEG.
    static let jpegIndex = CacheKind(name: "index", version: 1)
}

internal import Basics
internal import Files
public import ViewportRendering

/// A cache of indexes, a small share of the size of each file, through which any part of it is decoded directly.
///
/// An index that is damaged or does not match the current file is ignored.
public struct IndexCache: Sendable {
    /// The folder of the indexes.
    public let folder: CacheFolder

    /// Creates a cache in a folder, which is created with the first index.
    public init(folder: CacheFolder = CacheFolder()) {
        self.folder = folder
    }

    /// Returns the file, read through its index in the cache; nil where there is none.
    ///
    /// The index may lack rows that were never read: see `storeNewIndex(of:)`.
    public func existing(_ file: ImageFile) -> ImageFile? {
        guard let source = file.indexable, let key = CacheKey(file.identity),
            let entry = folder.entry(for: key, CacheKind(source.indexKind)),
            let bytes = try? InputFile.contents(entry.path)
        else { return nil }
        return source.reading(encodedIndex: bytes).map(file.reading(from:))
    }

    /// An index that was made or found.
    public struct Made: Sendable, CustomStringConvertible {
        /// The file, read through its index.
        public let file: ImageFile
        /// The size of the index on disk in bytes.
        public let indexSize: Int
        /// The size of the file in bytes.
        public let fileSize: Int
        /// Whether it was in the cache already.
        public let isKept: Bool

        /// The file and the sizes: "big.jpg: index of 41.0 kB for 38.2 MB".
        public var description: String {
            "\(FilePath(file.path)): index of \(indexSize.readableBytes) for \(fileSize.readableBytes)"
        }
    }

    /// Returns the file with its index, which is made and stored where the cache has none.
    ///
    /// - Throws: `RenderingError.notIndexable` with the reason where parts of the file cannot be decoded separately;
    ///   `CacheError` where the cache cannot be written; `CancellationError`.
    public func make(_ file: ImageFile) throws -> Made { try make(file) { _ in } }

    /// Returns the file with its index, as `make(_:)` does.
    ///
    /// - Parameter progress: receives the share of the file that is read, on several threads at the same time.
    package func make(_ file: ImageFile, progress: @escaping @Sendable (Double) -> Void) throws -> Made {
        guard let source = file.indexable else {
            throw RenderingError.notIndexable(file: file.path, reason: file.reasonAgainstIndex)
        }
        if let kept = existing(file), case .random = kept.source.capabilities.access,
            let key = CacheKey(file.identity),
            let entry = folder.entry(for: key, CacheKind(source.indexKind))
        {
            return made(kept, FileStatus(entry.path)?.size ?? 0, isKept: true)
        }
        // A remote image may have the index of its sidecar already.
        let indexed =
            file.hasRemoteIndex
            ? source : try (existing(file)?.indexable ?? source).makingIndex(progress)
        let bytes = try indexed.encodedIndex() ?? []
        try store(bytes, of: indexed, file)
        return made(file.reading(from: indexed), bytes.count, isKept: false)
    }

    /// Stores the index of a file that has been read through a complete one.
    ///
    /// Nothing is stored for bytes and descriptors, which have no path to find it by.
    private func store(_ bytes: [UInt8], of source: any IndexableSource, _ file: ImageFile) throws {
        guard let key = CacheKey(file.identity), !bytes.isEmpty else { return }
        try folder.store(bytes, for: key, CacheKind(source.indexKind))
    }

    /// Stores the index that reads of a file have found on their way, if it is worth that.
    ///
    /// The next read does not scan the same rows again. It does not matter where that fails.
    public func storeNewIndex(of file: ImageFile) {
        guard let source = file.indexable, let bytes = try? source.encodedNewIndex() else { return }
        try? store(bytes, of: source, file)
    }

    private func made(_ file: ImageFile, _ bytes: Int, isKept: Bool) -> Made {
        Made(file: file, indexSize: bytes, fileSize: file.opened.count, isKept: isKept)
    }
}

extension ImageFile {
    /// Whether it is read through an index that came with it from its server.
    var hasRemoteIndex: Bool {
        guard opened.isRemote, case .random = source.capabilities.access else { return false }
        return true
    }
}

extension CacheKind {
    fileprivate init(_ kind: IndexKind) {
        self.init(name: kind.name, version: kind.version)
    }
}

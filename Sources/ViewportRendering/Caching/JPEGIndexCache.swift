internal import Files
internal import JPEGIndexing
internal import ViewportGeometry

/// Keeps the indexes of JPEGs: a thousandth of the file, for any part of it at once.
///
/// An index is a hint. One that does not belong to the file as it is now, or that is damaged, is as good as none.
public struct JPEGIndexCache: Sendable {
    public let folder: CacheFolder

    public init(folder: CacheFolder = CacheFolder()) {
        self.folder = folder
    }

    /// The same file, read through the index that the cache has of it; nil where it has none.
    public func existing(_ file: ImageFile) -> ImageFile? {
        guard let source = file.source as? JPEGRegionSource, let key = CacheKey(file.identity),
            let entry = folder.entry(for: key, .jpegIndex), let bytes = try? InputFile.contents(entry.path),
            let identity = identity(of: file),
            let index = try? JPEGIndex(saved: bytes, for: identity, header: source.header)
        else { return nil }
        return file.reading(source, through: index)
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
        guard let source = file.source as? JPEGRegionSource, let key = CacheKey(file.identity),
            let identity = identity(of: file)
        else { throw RenderingError.notIndexable(file: file.path, reason: Self.reason(file)) }
        let fileBytes = Int(identity.size)
        if let kept = existing(file), let entry = folder.entry(for: key, .jpegIndex) {
            return Made(
                file: kept, bytes: FileStatus(entry.path)?.size ?? 0, fileBytes: fileBytes, isKept: true)
        }
        let index = try file.opened.checked { () throws(RenderingError) -> JPEGIndex in
            do throws(JPEGIndexError) {
                return try JPEGIndex(file.opened, header: source.header, threads: 2)
            } catch {
                try source.refuseMissingRows()
                throw RenderingError.notIndexable(file: file.path, reason: "\(error)")
            }
        }
        let bytes = index.saved(for: identity, header: source.header)
        try folder.store(bytes, for: key, .jpegIndex)
        return Made(
            file: file.reading(source, through: index), bytes: bytes.count, fileBytes: fileBytes,
            isKept: false)
    }

    private func identity(of file: ImageFile) -> JPEGFileIdentity? {
        try? JPEGFileIdentity(file.opened)
    }

    private static func reason(_ file: ImageFile) -> String {
        guard file.format == .jpeg else { return "it is no JPEG" }
        do {
            _ = try JPEGHeader(file.opened)
            return "its colors are CMYK"
        } catch {
            return "\(error)"
        }
    }
}

extension CacheKind {
    /// Where the blocks of a JPEG begin.
    static let jpegIndex = CacheKind(name: "index", version: 1)
}

extension ImageFile {
    fileprivate func reading(_ source: JPEGRegionSource, through index: JPEGIndex) -> ImageFile {
        var file = self
        file.source = source.reading(through: index)
        return file
    }
}

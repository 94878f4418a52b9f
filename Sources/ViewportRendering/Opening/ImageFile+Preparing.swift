package import JPEGIndexing
internal import TilePyramid
internal import ViewportGeometry

/// The seams for caches: other sources of the same pixels.
extension ImageFile {
    /// The same file with another source of its pixels.
    package func reading(from source: any ImageSource) -> ImageFile {
        var file = self
        file.source = source
        return file
    }

    /// The header of a JPEG whose parts can be decoded alone by an index; nil for all other files.
    package var indexableHeader: JPEGHeader? { (source as? JPEGRegionSource)?.header }

    /// The same file, read through a complete index of it.
    package func reading(through index: JPEGIndex) -> ImageFile {
        guard let source = source as? JPEGRegionSource else { return self }
        return reading(from: source.reading(through: index))
    }

    /// Scans the file and makes its index.
    ///
    /// - Throws: `RenderingError.notIndexable` with the reason, or `.truncated` where rows are missing.
    package func makeIndex() throws(RenderingError) -> JPEGIndex {
        guard let source = source as? JPEGRegionSource else {
            throw .notIndexable(file: path, reason: reasonAgainstIndex)
        }
        return try opened.checked { () throws(RenderingError) -> JPEGIndex in
            do throws(JPEGIndexError) {
                return try JPEGIndex(opened, header: source.header, threads: 2)
            } catch {
                try source.refuseMissingRows()
                throw RenderingError.notIndexable(file: path, reason: "\(error)")
            }
        }
    }

    private var reasonAgainstIndex: String {
        guard format == .jpeg else { return "it is no JPEG" }
        do {
            _ = try JPEGHeader(opened)
            return "its colors are CMYK"
        } catch {
            return "\(error)"
        }
    }

    /// The same page, opened again with an index in memory.
    package func reopenedForRandomAccess() throws(RenderingError) -> ImageFile {
        var options = OpenOptions()
        options.page = page
        options.optimizesForRandomAccess = true
        return try ImageFile.open(opened, options)
    }

    /// The same file, ready for reading many of its parts.
    ///
    /// Of a JPEG the eighth stays in memory once it was needed; of other files that are read in parts, decoded
    /// tiles stay in `cache`.
    package func optimizedForRandomAccess(_ cache: TileCache) -> ImageFile {
        if let source = source as? JPEGRegionSource { return reading(from: source.lookedAtOften()) }
        guard case .random = source.access else { return self }
        return reading(from: TiledSource(source, identity: identity, cache: cache))
    }

    /// The same file, ready for looks from afar: of a JPEG the eighth stays in memory, once it was needed.
    package func preloadsOverview() -> ImageFile {
        guard let source = source as? JPEGRegionSource else { return self }
        return reading(from: source.lookedAtOften())
    }

    /// Makes now what stays in memory for looks from afar; damage is reported when a reader reaches it.
    package func makeReadyFromAfar() {
        _ = try? (source as? JPEGRegionSource)?.overview?.make()
    }

    /// Whether a look from afar needs nothing else, and what it then keeps in memory, in bytes.
    ///
    /// - Parameter scale: pixels of the picture per full-resolution pixel.
    package func bytesFromAfar(scale: Double) -> Int? {
        guard let source = source as? JPEGRegionSource, source.lookedAtOften().overview != nil,
            pyramid.level(forScale: scale).index == 3
        else { return nil }
        return storedSize.area / 64 * bands
    }
}

internal import TilePyramid
internal import ViewportGeometry

extension ImageFile {
    /// The same file, ready for many looks at its parts: what makes them quick is made or found now.
    ///
    /// A JPEG gets its index, kept on disk, and its eighth in memory when that is first needed; of other files
    /// that are read in parts, decoded tiles stay in memory.
    package func readyForManyLooks(_ indexes: JPEGIndexCache, _ cache: TileCache) throws -> ImageFile {
        var file = self
        if source is JPEGRegionSource {
            file = try existingOrNewIndex(indexes)
            if let source = file.source as? JPEGRegionSource { file.source = source.lookedAtOften() }
        } else if case .random = source.access {
            file.source = TiledSource(source, identity: identity, cache: cache)
        }
        return file
    }

    /// The same file, ready for looks from afar: of a JPEG the eighth stays in memory, once it was needed.
    package func preloadsOverview() -> ImageFile {
        var file = self
        if let source = source as? JPEGRegionSource { file.source = source.lookedAtOften() }
        return file
    }

    /// Makes now what stays in memory for looks from afar; broken data is told by who comes to its place.
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

    /// The file with its index; a JPEG whose blocks cannot be found, or a cache that cannot be written, has none.
    private func existingOrNewIndex(_ indexes: JPEGIndexCache) throws -> ImageFile {
        do {
            return try indexes.make(self).file
        } catch RenderingError.notIndexable {
            return self
        } catch is CacheError {
            var options = OpenOptions()
            options.page = page
            options.optimizesForRandomAccess = true
            return try ImageFile.open(opened, options)
        }
    }
}

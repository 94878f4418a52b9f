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

    /// The file with its index; a JPEG whose blocks cannot be found, or a cache that cannot be written, has none.
    private func existingOrNewIndex(_ indexes: JPEGIndexCache) throws -> ImageFile {
        do {
            return try indexes.make(self).file
        } catch RenderingError.notIndexable {
            return self
        } catch is CacheError {
            var options = OpenOptions()
            options.page = page
            options.isLookedAtOften = true
            return try ImageFile.open(path, options)
        }
    }
}

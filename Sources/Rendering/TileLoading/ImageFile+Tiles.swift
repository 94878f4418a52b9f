package import ImageReading

extension ImageFile {
    /// Returns the file with the caches that pay off when many parts of it are read.
    ///
    /// A JPEG keeps its overview at 1/8 in memory once it was needed; other files with random access keep decoded
    /// tiles in `cache`.
    package func optimizedForRandomAccess(_ cache: TileCache) -> ImageFile {
        let capabilities = source.capabilities
        if let jpeg = capabilities.preparable { return reading(from: jpeg.optimizedForRandomAccess()) }
        guard case .random = capabilities.access else { return self }
        return reading(from: TiledSource(source, identity: identity, cache: cache))
    }
}

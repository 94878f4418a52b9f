internal import Basics
package import Files
package import JPEGIndexing
internal import ViewportGeometry

/// A baseline JPEG whose blocks are copied into tiles as they are stored.
package struct StoredBlocks: Sendable {
    /// The file that is copied.
    package let file: OpenFile
    /// The tiles of full resolution.
    package let tiles: JPEGTiles
    /// The color profile, if any: pixels are not converted.
    package let profile: [UInt8]?
    private let source: JPEGRegionSource

    /// Returns nil where pixels are turned or missing, or tiles of a side are not whole blocks.
    package init?(_ file: ImageFile, side: Int) {
        guard file.orientation == .up, let source = file.source.capabilities.jpeg,
            (try? source.refuseDamage()) != nil, let tiles = JPEGTiles(source.header, side: side)
        else { return nil }
        self.file = file.opened
        self.tiles = tiles
        self.source = source
        profile = source.metadata.profile
    }

    /// Returns an index of the blocks.
    ///
    /// - Throws: `JPEGIndexError` where the compressed data is broken, or once `isCancelled` returns true.
    package func index(isCancelled: @escaping @Sendable () -> Bool) throws(JPEGIndexError) -> JPEGIndex {
        if let index = source.savedIndex { return index }
        return try JPEGIndex(
            file, header: source.header, interval: tiles.indexInterval, threads: 2, isCancelled: isCancelled)
    }
}

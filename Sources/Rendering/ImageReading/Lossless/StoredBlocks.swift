internal import Basics
package import Files
package import JPEGIndexing
package import Pictures
package import ViewportGeometry

/// A baseline JPEG whose blocks are copied into tiles as they are stored.
package struct StoredBlocks: Sendable {
    /// The file that is copied.
    package let file: OpenFile
    /// The tiles of full resolution.
    package let tiles: JPEGTiles
    /// The color profile, if any: pixels are not converted.
    package let profile: [UInt8]?
    private let source: any BlockSource

    /// Returns nil where pixels are turned or missing, or tiles of a side are not whole blocks.
    package init?(_ file: ImageFile, side: Int) {
        guard file.orientation == .up, let source = file.source.capabilities.blocks,
            (try? source.refuseDamage()) != nil, let tiles = JPEGTiles(source.header, side: side)
        else { return nil }
        self.file = file.opened
        self.tiles = tiles
        self.source = source
        profile = source.profile
    }

    /// Returns an index of the blocks.
    ///
    /// - Throws: `JPEGIndexError` where the compressed data is broken, or once `isCancelled` returns true.
    package func index(isCancelled: @escaping @Sendable () -> Bool) throws(JPEGIndexError) -> JPEGIndex {
        if let reader = source.reader { return reader.index }
        return try JPEGIndex(
            file, header: source.header, interval: tiles.indexInterval, threads: 2, isCancelled: isCancelled)
    }
}

extension ImageFile {
    /// Copies the compressed data of a JPEG's blocks into a JPEG of a rectangle, widened to whole blocks.
    ///
    /// - Throws: `RenderingError.notLossless` where the file is not a JPEG whose blocks can be found.
    package func copyingBlocks(
        _ rect: PixelRect<StoredGrid>, keepsMetadata: Bool
    ) throws(RenderingError) -> JPEGCrop {
        try opened.checked { () throws(RenderingError) -> JPEGCrop in
            do throws(JPEGIndexError) {
                let header = try JPEGHeader(opened)
                let index =
                    if let blocks = source.capabilities.blocks {
                        try blocks.index(downTo: rect)
                    } else {
                        try ScannedJPEG(opened, header, threads: Processors.count).index(downTo: rect)
                    }
                return try JPEGRegionReader(header: header, index: index).losslessCrop(rect, of: opened) {
                    _ in keepsMetadata
                }
            } catch {
                throw RenderingError.notLossless(file: path, reason: error.description)
            }
        }
    }
}

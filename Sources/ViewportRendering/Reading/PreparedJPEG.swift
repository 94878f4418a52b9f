internal import Files
internal import JPEGIndexing
internal import ViewportGeometry

/// What makes any part of a JPEG quick: the open file, where its blocks begin, and the image at 1/4.
final class PreparedJPEG: Sendable {
    let reader: JPEGRegionReader
    private let file: OpenFile
    private let quarter: JPEGQuarter?

    /// Nil where the index is not the file's.
    ///
    /// - Parameter optimizesForRandomAccess: whether what is found on the way is worth its memory.
    init?(_ file: OpenFile, _ header: JPEGHeader, _ index: JPEGIndex, optimizesForRandomAccess: Bool) {
        guard
            let reader = try? JPEGRegionReader(
                header: header, index: index, optimizesForRandomAccess: optimizesForRandomAccess)
        else { return nil }
        self.file = file
        self.reader = reader
        quarter = optimizesForRandomAccess ? JPEGQuarter(file, reader) : nil
    }

    /// Lends the rows of a rectangle at a scale.
    ///
    /// - Throws: `JPEGIndexError` or `JPEGDecodingError` where the compressed data is broken.
    func read(
        _ rect: PixelRect<StoredGrid>, at scale: JPEGScale, row: (RawSpan) throws -> Void
    ) throws {
        if scale == .quarter, let quarter, try quarter.read(rect, row: row) { return }
        try reader.read(rect, at: scale, of: file, row: row)
    }
}

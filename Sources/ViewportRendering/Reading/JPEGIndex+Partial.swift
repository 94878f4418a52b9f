internal import Files
internal import JPEGIndexing
internal import ViewportGeometry

extension JPEGIndex {
    /// An index of the rows from the top that one look at `rect`, in pixels of a scale, needs.
    init(
        _ file: OpenFile, header: JPEGHeader, downTo rect: PixelRect<StoredGrid>, at scale: JPEGScale
    ) throws(JPEGIndexError) {
        let reduced = PixelRect<ReducedGrid>(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
        let rows = JPEGRegionReader.rowsNeeded(for: reduced, at: scale, header: header)
        try self.init(file, header: header, rows: rows)
    }
}

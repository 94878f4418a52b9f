internal import Basics
internal import Files
internal import JPEGCoding
internal import JPEGIndexing
internal import ViewportGeometry

/// A JPEG of which any part is quick to read: the open file, the index of its blocks, and the image at 1/4.
final class IndexedJPEG: Sendable {
    let reader: JPEGRegionReader
    private let file: OpenFile
    private let quarter: JPEGQuarter?

    /// Nil where the index is not the file's.
    ///
    /// - Parameter optimizesForRandomAccess: whether what is found out on the way is worth its memory.
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

extension JPEGIndex {
    /// An index of the rows from the top that reading `rect` once, in pixels of a scale, needs.
    init(
        _ file: OpenFile, header: JPEGHeader, downTo rect: PixelRect<StoredGrid>, at scale: JPEGScale
    ) throws(JPEGIndexError) {
        let reduced = PixelRect<ReducedGrid>(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
        let rows = JPEGRegionReader.rowsNeeded(for: reduced, at: scale, header: header)
        self = try CancellationCheck.run { check throws(JPEGIndexError) -> JPEGIndex in
            try JPEGIndex(file, header: header, rows: rows, isCancelled: { check.isCancelled })
        }
    }
}

extension JPEGRegionReader {
    /// Decodes a rectangle of the image at a scale and lends its rows, from the top.
    ///
    /// Large ones are decoded in bands, each from a small JPEG of its blocks.
    func read(
        _ rect: PixelRect<StoredGrid>, at scale: JPEGScale, of file: OpenFile,
        row: (RawSpan) throws -> Void
    ) throws {
        let decoder = try JPEGDecoder()
        let height = bandHeight(rect.width, at: scale)
        for y in stride(from: rect.y, to: rect.maxY, by: height) {
            guard !Task.isCancelled else { throw CancellationError() }
            let band = PixelRect<ReducedGrid>(
                x: rect.x, y: y, width: rect.width, height: min(height, rect.maxY - y))
            let region = try CancellationCheck.run { check throws(JPEGIndexError) -> JPEGRegion in
                try self.region(band, at: scale, of: file, isCancelled: { check.isCancelled })
            }
            guard !Task.isCancelled else { throw CancellationError() }
            let decoded = try decoder.decode(
                region.jpeg, denominator: scale.rawValue, isGray: header.components.count == 1)
            for y in region.crop.y..<region.crop.maxY {
                try decoded.withRow(y, columns: region.crop.x..<region.crop.maxX, row)
            }
        }
    }

    /// About four megabytes of pixels, in whole rows of blocks.
    ///
    /// At reduced scales the compressed data of many more pixels is decoded for them: no more than of two
    /// megapixels, since a decoder that runs cannot be cancelled.
    private func bandHeight(_ width: Int, at scale: JPEGScale) -> Int {
        let block = max(1, header.mcuSize.height / scale.rawValue)
        let rows = 4 << 20 / max(1, width * header.components.count)
        guard scale != .full else { return max(rows / block, 4) * block }
        let fewer = 2 << 20 / max(1, width * scale.rawValue * scale.rawValue)
        return max(min(rows, fewer) / block, 1) * block
    }
}

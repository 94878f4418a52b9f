internal import Files
internal import JPEGCoding
internal import JPEGIndexing
internal import ViewportGeometry

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
            let region = try region(band, at: scale, of: file)
            let decoded = try decoder.decode(
                region.jpeg, denominator: scale.rawValue, isGray: header.components.count == 1)
            for y in region.crop.y..<region.crop.maxY {
                try decoded.withRow(y, columns: region.crop.x..<region.crop.maxX, row)
            }
        }
    }

    /// About four megabytes of pixels, in whole rows of blocks.
    private func bandHeight(_ width: Int, at scale: JPEGScale) -> Int {
        let block = max(1, header.mcuSize.height / scale.rawValue)
        let rows = 4 << 20 / max(1, width * header.components.count)
        return max(rows / block, 4) * block
    }
}

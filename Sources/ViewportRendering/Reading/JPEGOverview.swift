internal import Files
internal import JPEGIndexing
internal import Resampling
internal import Synchronization
internal import ViewportGeometry

/// A JPEG at one eighth, in memory: made once, when it is first looked at from afar.
///
/// Through an index a region at 1/8 costs nearly as much as at full resolution, since all its compressed data is
/// walked; the whole image at 1/8 is one pass and a sixty-fourth of the pixels.
final class JPEGOverview: Sendable {
    private let file: OpenFile
    private let header: JPEGHeader
    private let pixels = Mutex<[UInt8]?>(nil)

    /// The most pixels that an overview may have: 64 megabytes of RGB.
    private static let greatestArea = 22_000_000

    /// Nil where the image has no overview, or one that is too large for memory.
    init?(_ file: OpenFile, _ header: JPEGHeader) {
        guard header.hasOverview, header.size(at: .eighth).area <= Self.greatestArea else { return nil }
        self.file = file
        self.header = header
    }

    /// Lends rows of the overview; who comes first makes it, and the others wait.
    ///
    /// - Throws: `JPEGIndexError` where the compressed data is broken.
    func read(_ rect: PixelRect<StoredGrid>, row: (RawSpan) throws -> Void) throws {
        let samples = try make()
        let bands = header.components.count
        let width = header.size(at: .eighth).width
        for y in rect.y..<rect.maxY {
            let start = (y * width + rect.x) * bands
            try samples.withRow(start..<(start + rect.width * bands), row)
        }
    }

    /// The overview, made if nobody has made it.
    @discardableResult
    func make() throws -> [UInt8] {
        try pixels.withLock { pixels in
            if let pixels { return pixels }
            let made = try decode()
            pixels = made
            return made
        }
    }

    private func decode() throws -> [UInt8] {
        var collector = RowCollector(byteCount: header.size(at: .eighth).area * header.components.count)
        try file.checkedRows {
            try JPEGIndex.overview(file, header: header, threads: 2) { _, row in collector.push(row) }
        }
        return collector.pixels
    }
}

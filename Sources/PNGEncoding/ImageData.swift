internal import Dispatch

/// The image data of a PNG: filtered rows as one zlib stream, in one or two pieces.
///
/// A large image is compressed in two bands that can be made on two threads; how it is divided depends on its
/// size only, so the bytes are the same with one thread.
struct ImageData {
    /// The stream, in order.
    let bands: [Band]

    /// From this size of filtered rows on there are two bands.
    private static let leastSizeOfTwoBands = 1 << 20
    /// The first band's share of the rows; smaller, for it is walked through once more.
    private static let firstShare = 0.48

    init(
        _ scanlines: Scanlines, filter: RowFilter, level: PNGEncoder.Level, threads: Int
    ) throws(PNGEncodingError) {
        let height = scanlines.height
        let isLarge = height * scanlines.filteredRowBytes >= Self.leastSizeOfTwoBands
        let split =
            isLarge && height > 1 && level != .store ? max(1, Int(Double(height) * Self.firstShare)) : height
        let ranges = [0..<split, split..<height].filter { !$0.isEmpty }
        let bands = ranges.map {
            Band(rows: $0, of: scanlines, isFirst: $0.lowerBound == 0, isLast: $0.upperBound == height)
        }
        let work: @Sendable (Int) -> Void = { bands[$0].compress(filter: filter, level: level) }
        if threads > 1, bands.count > 1 {
            DispatchQueue.concurrentPerform(iterations: bands.count, execute: work)
        } else {
            bands.indices.forEach(work)
        }
        guard bands.allSatisfy({ $0.isComplete }) else { throw .outOfMemory }
        var adler: UInt32 = 1
        for band in bands { adler = band.adler32(after: adler) }
        bands[bands.count - 1].append(adler)
        self.bands = bands
    }
}

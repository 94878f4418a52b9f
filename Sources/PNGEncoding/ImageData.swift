internal import Dispatch

/// Some rows of an image and their part of the zlib stream.
///
/// The first begins with the stream's header, the last ends with its checksum. Every band is a deflate stream
/// of its own; the one of a band that is not the last is opened for continuation: the mark of its final block
/// is cleared, and an empty stored block fills it up to a whole byte (RFC 1951, 3.2.3 and 3.2.4).
// One thread at a time works on a band: `ImageData` gives each to one iteration and then waits for all.
final class Band: @unchecked Sendable {
    private let rows: Range<Int>
    private let scanlines: Scanlines
    private let isFirst: Bool
    private let isLast: Bool
    private let filtered: OutputBytes
    private var stream: OutputBytes
    private var size = 0

    /// Room for the header before, and for the empty block or the checksum after the deflate stream.
    private static let framing = 2 + 5

    init(rows: Range<Int>, of scanlines: Scanlines, isFirst: Bool, isLast: Bool) {
        self.rows = rows
        self.scanlines = scanlines
        self.isFirst = isFirst
        self.isLast = isLast
        filtered = OutputBytes(capacity: rows.count * scanlines.filteredRowBytes)
        stream = OutputBytes(capacity: 1)
    }

    /// Whether `compress` was done.
    var isComplete: Bool { size > 0 }

    /// The finished piece of the stream.
    var bytes: Bytes { stream.part(0, count: size).readable }

    private var input: MutableBytes { filtered.part(0, count: rows.count * scanlines.filteredRowBytes) }

    /// Filters and compresses the rows; does nothing where there is no memory for the compressor.
    func compress(filter: RowFilter, level: PNGEncoder.Level) {
        guard let compressor = try? Compressor(level: level) else { return }
        scanlines.write(rows, filter: filter, to: input)
        let bound = compressor.bound(input.count)
        stream = OutputBytes(capacity: bound + Self.framing)
        let start = isFirst ? Self.writeHeader(level, to: stream.part(0, count: 2)) : 0
        let body = stream.part(start, count: bound + Self.framing - start)
        let end = compressor.compress(input.readable, to: body.part(0, count: bound))
        size = start + (isLast ? end : Self.open(body, count: end))
    }

    /// The checksum of the filtered rows so far, given the one of all bands before.
    func adler32(after previous: UInt32) -> UInt32 { Checksum.adler32(input.readable, after: previous) }

    /// Ends the stream with its checksum.
    func append(_ adler: UInt32) {
        stream.part(size, count: 4).store(adler.bigEndian, at: 0)
        size += 4
    }

    /// Deflate with a window of 32 KB, and the level as a hint (RFC 1950); gives the bytes written.
    private static func writeHeader(_ level: PNGEncoder.Level, to output: MutableBytes) -> Int {
        output[0] = 0x78
        output[1] =
            switch level {
            case .fast, .store: 0x01
            case .small: 0xDA
            }
        return 2
    }

    /// Makes the deflate stream in the first `count` bytes one that goes on; gives its new count.
    private static func open(_ body: MutableBytes, count: Int) -> Int {
        let walk = DeflateWalk(body.part(0, count: count).readable)
        body[walk.finalBlock >> 3] &= ~(1 << UInt8(walk.finalBlock & 7))
        // Three zero bits: a stored block that is not the last. They may need one byte more.
        if walk.end & 7 > 0 { body[walk.end >> 3] &= 1 << UInt8(walk.end & 7) - 1 }
        let blockEnd = (walk.end + 3 + 7) / 8
        for index in count..<max(count, blockEnd) { body[index] = 0 }
        body.store(UInt32(0xFFFF_0000).littleEndian, at: blockEnd)
        return blockEnd + 4
    }
}

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

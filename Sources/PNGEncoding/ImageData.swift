internal import Dispatch

/// Some rows of an image and their part of the zlib stream.
///
/// The first begins with the stream's header, the last ends with its checksum. Every strip is a deflate stream
/// of its own; that of a strip which is not the last is opened for continuation: the mark of its final block
/// is cleared, and an empty stored block fills it up to a whole byte (RFC 1951, 3.2.3 and 3.2.4).
// One thread at a time works on a strip: `ImageData` gives each to one iteration and then waits for all.
final class Strip: @unchecked Sendable {
    private let rows: Range<Int>
    private let scanlines: Scanlines
    private let isFirst: Bool
    private let isLast: Bool
    private let filtered: ByteBuffer
    private var stream: ByteBuffer
    private var size = 0

    /// Room for the header before, and for the empty block or the checksum after the deflate stream.
    private static let framing = 2 + 5

    init(rows: Range<Int>, of scanlines: Scanlines, isFirst: Bool, isLast: Bool) {
        self.rows = rows
        self.scanlines = scanlines
        self.isFirst = isFirst
        self.isLast = isLast
        filtered = ByteBuffer(capacity: rows.count * scanlines.filteredRowBytes)
        stream = ByteBuffer(capacity: 1)
    }

    /// Whether `compress` has succeeded.
    var isComplete: Bool { size > 0 }

    /// The finished piece of the stream.
    var bytes: UnsafeByteView { stream.part(0, count: size).readable }

    private var input: UnsafeMutableByteView {
        filtered.part(0, count: rows.count * scanlines.filteredRowBytes)
    }

    /// Filters and compresses the rows; does nothing where there is no memory for the compressor.
    func compress(filter: RowFilter, level: PNGEncoder.Level) {
        guard let compressor = try? Compressor(level: level) else { return }
        scanlines.write(rows, filter: filter, to: input)
        let bound = compressor.bound(input.count)
        stream = ByteBuffer(capacity: bound + Self.framing)
        let start = isFirst ? Self.writeHeader(level, to: stream.part(0, count: 2)) : 0
        let body = stream.part(start, count: bound + Self.framing - start)
        let end = compressor.compress(input.readable, to: body.part(0, count: bound))
        size = start + (isLast ? end : Self.open(body, count: end))
    }

    /// The checksum of the filtered rows so far, given that of all strips before.
    func adler32(after previous: UInt32) -> UInt32 { Checksum.adler32(input.readable, after: previous) }

    /// Ends the stream with its checksum.
    func append(_ adler: UInt32) {
        stream.part(size, count: 4).store(adler.bigEndian, at: 0)
        size += 4
    }

    /// Deflate with a window of 32 KB, and the level as a hint (RFC 1950); returns the bytes written.
    private static func writeHeader(_ level: PNGEncoder.Level, to output: UnsafeMutableByteView) -> Int {
        output[0] = 0x78
        output[1] =
            switch level {
            case .fast, .store: 0x01
            case .small: 0xDA
            }
        return 2
    }

    /// Makes the deflate stream in the first `count` bytes one that continues; returns its new count.
    private static func open(_ body: UnsafeMutableByteView, count: Int) -> Int {
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

/// The image data of a PNG: filtered rows as one zlib stream, in strips.
///
/// Strips can be compressed on two threads, and encoding can be cancelled between them. How an image is divided
/// depends on its size only, so the bytes are the same with one thread.
struct ImageData {
    /// The stream, in order.
    let strips: [Strip]

    /// - Throws: `PNGEncodingError.outOfMemory`, or `.cancelled` where `isCancelled` returns true before a strip.
    init(
        _ scanlines: Scanlines, filter: RowFilter, level: PNGEncoder.Level, threads: Int,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(PNGEncodingError) {
        let height = scanlines.height
        let strips = Self.ranges(height: height, rowBytes: scanlines.filteredRowBytes, level).map {
            Strip(rows: $0, of: scanlines, isFirst: $0.lowerBound == 0, isLast: $0.upperBound == height)
        }
        let workers = threads > 1 ? min(2, strips.count) : 1
        let work: @Sendable (Int) -> Void = { worker in
            for index in stride(from: worker, to: strips.count, by: workers) where !isCancelled() {
                strips[index].compress(filter: filter, level: level)
            }
        }
        if workers > 1 {
            DispatchQueue.concurrentPerform(iterations: workers, execute: work)
        } else {
            work(0)
        }
        guard !isCancelled() else { throw .cancelled }
        guard strips.allSatisfy({ $0.isComplete }) else { throw .outOfMemory }
        var adler: UInt32 = 1
        for strip in strips { adler = strip.adler32(after: adler) }
        strips[strips.count - 1].append(adler)
        self.strips = strips
    }

    /// From this size of filtered rows on there are two strips.
    private static let leastSizeOfTwoStrips = 1 << 20
    /// Up to this size of filtered rows there are at most two strips.
    private static let greatestSizeOfTwoStrips = 10 << 20
    /// The size of further strips: a strip cannot be interrupted, and one of this size takes about 20 ms.
    private static let greatestStrip = 3 << 20
    /// The share of rows of the first of two strips; smaller, because its stream is parsed once more.
    private static let firstShare = 0.48

    /// The rows of each strip.
    static func ranges(height: Int, rowBytes: Int, _ level: PNGEncoder.Level) -> [Range<Int>] {
        let size = height * rowBytes
        guard size >= leastSizeOfTwoStrips, height > 1, level != .store else { return [0..<height] }
        guard size > greatestSizeOfTwoStrips else {
            let split = max(1, Int(Double(height) * firstShare))
            return [0..<split, split..<height]
        }
        let rows = max(1, greatestStrip / rowBytes)
        return stride(from: 0, to: height, by: rows).map { $0..<min($0 + rows, height) }
    }
}

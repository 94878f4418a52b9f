internal import Basics

/// A range of rows and their part of the zlib stream.
///
/// The first strip begins with the header of the stream, and the last one ends with its checksum. Every strip is
/// compressed as a separate deflate stream. In all but the last, the final-block flag is then cleared, and an empty
/// stored block pads the stream to a whole byte (RFC 1951, 3.2.3 and 3.2.4).
// Only one thread at a time uses a strip: `ImageData` assigns each to one iteration and then waits for all.
final class Strip: @unchecked Sendable {
    private let rows: Range<Int>
    private let scanlines: Scanlines
    private let isFirst: Bool
    private let isLast: Bool
    private var stream = ByteBuffer(capacity: 1)
    private var size = 0
    /// The checksum of the filtered rows.
    private var adler: UInt32 = 1

    /// The room for the header before the deflate stream, and for the empty block or checksum after it, in bytes.
    private static let framing = 2 + 5

    init(rows: Range<Int>, of scanlines: Scanlines, isFirst: Bool, isLast: Bool) {
        self.rows = rows
        self.scanlines = scanlines
        self.isFirst = isFirst
        self.isLast = isLast
    }

    /// Whether `compress` has succeeded.
    var isComplete: Bool { size > 0 }

    /// The compressed bytes of the strip.
    var bytes: UnsafeByteView { stream.part(0, count: size).readable }

    private var inputSize: Int { rows.count * scanlines.filteredRowBytes }

    /// Filters and compresses the rows; does nothing if memory for the compressor cannot be allocated.
    func compress(filter: FilterChoice, level: PNGEncoder.Level) {
        guard let compressor = try? Compressor(level: level) else { return }
        let bound = compressor.bound(inputSize)
        stream = ByteBuffer(capacity: bound + Self.framing)
        let start = isFirst ? Self.writeHeader(level, to: stream.part(0, count: 2)) : 0
        let body = stream.part(start, count: bound + Self.framing - start)
        if level == .fast {
            size = start + compressInBlocks(filter, to: body)
        } else {
            let filtered = ByteBuffer(capacity: inputSize)
            let input = self.filter(rows, filter, to: filtered)
            size = start + compressor.compress(input, to: body, isLast: isLast)
        }
    }

    /// Filters the rows of each block when it is compressed, while they are in the processor's cache.
    private func compressInBlocks(_ choice: FilterChoice, to body: UnsafeMutableByteView) -> Int {
        let count = (RunDeflate.blockSize - 1) / scanlines.filteredRowBytes + 1
        let filtered = ByteBuffer(capacity: min(count, rows.count) * scanlines.filteredRowBytes)
        return RunDeflate.compress(
            blocks: (rows.count - 1) / count + 1, to: body, isLast: isLast
        ) { number in
            let first = rows.lowerBound + number * count
            return filter(first..<min(first + count, rows.upperBound), choice, to: filtered)
        }
    }

    /// Returns some filtered rows, and adds them to the checksum.
    private func filter(
        _ rows: Range<Int>, _ choice: FilterChoice, to buffer: borrowing ByteBuffer
    ) -> UnsafeByteView {
        let output = buffer.part(0, count: rows.count * scanlines.filteredRowBytes)
        scanlines.write(rows, filter: choice, to: output)
        adler = Checksum.adler32(output.readable, after: adler)
        return output.readable
    }

    /// Returns the checksum of the filtered rows up to this strip, given that of the previous strips.
    func adler32(after previous: UInt32) -> UInt32 {
        Checksum.adler32(previous, followedBy: adler, count: inputSize)
    }

    /// Ends the stream with its checksum.
    func append(_ adler: UInt32) {
        stream.part(size, count: 4).store(adler.bigEndian, at: 0)
        size += 4
    }

    /// Writes the zlib header (RFC 1950) with a window of 32 KB, and returns the number of bytes written.
    private static func writeHeader(_ level: PNGEncoder.Level, to output: UnsafeMutableByteView) -> Int {
        output[0] = 0x78
        output[1] =
            switch level {
            case .fast, .standard, .store: 0x01
            case .small: 0xDA
            }
        return 2
    }

    /// Makes the deflate stream in the first `count` bytes continuable; returns its new size.
    static func open(_ body: UnsafeMutableByteView, count: Int) -> Int {
        let walk = DeflateWalk(body.part(0, count: count).readable)
        body[walk.finalBlock >> 3] &= ~(1 << UInt8(walk.finalBlock & 7))
        // Three zero bits begin a stored block that is not the last. They may need one more byte.
        if walk.end & 7 > 0 { body[walk.end >> 3] &= 1 << UInt8(walk.end & 7) - 1 }
        let blockEnd = (walk.end + 3 + 7) / 8
        for index in count..<max(count, blockEnd) { body[index] = 0 }
        body.store(UInt32(0xFFFF_0000).littleEndian, at: blockEnd)
        return blockEnd + 4
    }
}

/// The image data of a PNG: filtered rows as one zlib stream, in strips.
///
/// Strips can be compressed on two threads, and encoding can be cancelled between strips. The strips depend only on
/// the size of the image, so the number of threads does not change the bytes.
struct ImageData {
    /// The stream, in order.
    let strips: [Strip]

    /// - Throws: `PNGEncodingError.outOfMemory`, or `CancellationError` where `isCancelled` returns true before a strip.
    init(
        _ scanlines: Scanlines, filter: FilterChoice, level: PNGEncoder.Level, threads: Int,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws {
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
        Processors.run(threads: workers, work)
        guard !isCancelled() else { throw CancellationError() }
        guard strips.allSatisfy({ $0.isComplete }) else { throw PNGEncodingError.outOfMemory }
        var adler: UInt32 = 1
        for strip in strips { adler = strip.adler32(after: adler) }
        strips[strips.count - 1].append(adler)
        self.strips = strips
    }

    /// The size of filtered rows from which there are two strips.
    private static let leastSizeOfTwoStrips = 1 << 20
    /// The maximum size of filtered rows in two strips.
    private static let greatestSizeOfTwoStrips = 10 << 20
    /// The maximum size of further strips: a strip cannot be cancelled, and one of this size takes about 20 ms.
    private static let greatestStrip = 3 << 20
    /// The maximum size of strips of the smallest files.
    private static let greatestSmallStrip = 12 << 20
    /// The share of rows in the first of two strips: below 1/2, because its stream is also parsed.
    private static let firstShare = 0.48

    /// The rows of each strip.
    static func ranges(height: Int, rowBytes: Int, _ level: PNGEncoder.Level) -> [Range<Int>] {
        let size = height * rowBytes
        guard size >= leastSizeOfTwoStrips, height > 1, level != .store else { return [0..<height] }
        if level == .small {
            // Few borders, across which there are no matches; one strip takes a second or two.
            let rows = max(1, greatestSmallStrip / rowBytes)
            return stride(from: 0, to: height, by: rows).map { $0..<min($0 + rows, height) }
        }
        guard size > greatestSizeOfTwoStrips else {
            let split = max(1, Int(Double(height) * firstShare))
            return [0..<split, split..<height]
        }
        let rows = max(1, greatestStrip / rowBytes)
        return stride(from: 0, to: height, by: rows).map { $0..<min($0 + rows, height) }
    }
}

internal import Basics

/// The image data of a PNG: filtered rows as one zlib stream, in strips.
///
/// The stream begins with the header in the first strip, and ends with the checksum behind the last one. Every strip is
/// compressed as a separate deflate stream, which the next one continues.
///
/// The strips depend only on the size of the image, so the number of threads does not change the bytes.
struct ImageData {
    let scanlines: Scanlines
    let filter: FilterChoice
    let level: PNGEncoder.Level
    let method: Compressor.Method

    /// The compressed bytes of some rows.
    private struct Strip: Sendable {
        var bytes: [UInt8]
        /// The number of the filtered bytes.
        var inputSize: Int
        /// The checksum of the filtered bytes.
        var adler: UInt32
    }

    /// Compresses strips and passes each on when all before it were passed.
    ///
    /// - Parameters:
    ///   - threads: The threads that compress; two or more have one strip more in memory.
    ///   - use: Called on the calling thread.
    /// - Throws: `PNGEncodingError.outOfMemory`, or `CancellationError` where `isCancelled` returns true before a strip.
    func compress(
        threads: Int, isCancelled: @escaping @Sendable () -> Bool, _ use: ([UInt8]) -> Void
    ) throws {
        let ranges = Self.ranges(height: scanlines.height, rowBytes: scanlines.filteredRowBytes, level)
        var (adler, used): (UInt32, Int) = (1, 0)
        try OrderedWork.run(ranges.count, threads: threads) { number in
            guard !isCancelled() else { throw CancellationError() }
            return try strip(ranges[number], isFirst: number == 0, isLast: number == ranges.count - 1)
        } use: { strip in
            adler = Checksum.adler32(adler, followedBy: strip.adler, count: strip.inputSize)
            used += 1
            use(used == ranges.count ? strip.bytes + adler.bytes(.big) : strip.bytes)
        }
    }

    private func strip(
        _ rows: Range<Int>, isFirst: Bool, isLast: Bool
    ) throws(PNGEncodingError) -> Strip {
        let compressor = try Compressor(method)
        let inputSize = rows.count * scanlines.filteredRowBytes
        // The header before the stream, and the empty block behind it.
        let stream = ByteBuffer(capacity: 2 + compressor.bound(inputSize) + 5)
        let start = isFirst ? writeHeader(to: stream.part(0, count: 2)) : 0
        let body = stream.part(start, count: stream.capacity - start)
        var adler: UInt32 = 1
        let size: Int
        if method == .runs {
            size = compressInBlocks(rows, to: body, isLast: isLast, &adler)
        } else {
            let filtered = ByteBuffer(capacity: inputSize)
            let input = filter(rows, to: filtered, &adler)
            size = compressor.compress(input, to: body, isLast: isLast)
        }
        var bytes: [UInt8] = []
        stream.part(0, count: start + size).readable.append(to: &bytes)
        return Strip(bytes: bytes, inputSize: inputSize, adler: adler)
    }

    /// Filters the rows of each block when it is compressed, while they are in the processor's cache.
    private func compressInBlocks(
        _ rows: Range<Int>, to body: UnsafeMutableByteView, isLast: Bool, _ adler: inout UInt32
    ) -> Int {
        let count = (RunDeflate.blockSize - 1) / scanlines.filteredRowBytes + 1
        let filtered = ByteBuffer(capacity: min(count, rows.count) * scanlines.filteredRowBytes)
        return RunDeflate.compress(
            blocks: (rows.count - 1) / count + 1, to: body, isLast: isLast
        ) { number in
            let first = rows.lowerBound + number * count
            return filter(first..<min(first + count, rows.upperBound), to: filtered, &adler)
        }
    }

    /// Returns some filtered rows, and adds them to the checksum.
    private func filter(
        _ rows: Range<Int>, to buffer: borrowing ByteBuffer, _ adler: inout UInt32
    ) -> UnsafeByteView {
        let output = buffer.part(0, count: rows.count * scanlines.filteredRowBytes)
        scanlines.write(rows, filter: filter, to: output)
        adler = Checksum.adler32(output.readable, after: adler)
        return output.readable
    }

    /// Writes the zlib header (RFC 1950) with a window of 32 KB, and returns the number of bytes written.
    private func writeHeader(to output: UnsafeMutableByteView) -> Int {
        output[0] = 0x78
        output[1] =
            switch level {
            case .fast, .standard, .store: 0x01
            case .small: 0xDA
            }
        return 2
    }

    /// The size of filtered rows from which there are several strips.
    private static let leastSizeOfStrips = 1 << 20
    /// The greatest size of strips of the smallest files: few borders, across which there are no matches.
    private static let greatestSmallStrip = 12 << 20
    /// The greatest size of other strips, but for a part of a row: it fits into the processor's cache with its stream.
    private static let greatestStrip = 1 << 20

    /// The rows of each strip.
    static func ranges(height: Int, rowBytes: Int, _ level: PNGEncoder.Level) -> [Range<Int>] {
        let size = height * rowBytes
        guard size >= leastSizeOfStrips else { return [0..<height] }
        var count = (size - 1) / (level == .small ? greatestSmallStrip : greatestStrip) + 1
        // As many for one of two threads as for the other.
        if level != .small { count += count % 2 }
        let rows = (height - 1) / count + 1
        return stride(from: 0, to: height, by: rows).map { $0..<min($0 + rows, height) }
    }
}

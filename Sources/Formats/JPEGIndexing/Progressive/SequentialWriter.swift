internal import Containers
internal import ViewportGeometry

/// Huffman codes with a code for every number that a coefficient can have.
///
/// Frequent ones have up to 8 bits, which libjpeg-turbo decodes by one look into a table.
enum SequentialCode {
    static let dc = make([0, 0, 0, 12, 0, 4], Array(0...15))

    static let ac: HuffmanCode = {
        let frequent: [UInt8] = [
            0x01, 0x00, 0x02, 0x11, 0x03, 0x12, 0x21, 0x31, 0x04, 0x05, 0x06, 0x41, 0x51, 0x61, 0x71, 0x81,
            0x13, 0x22, 0x32, 0x23, 0x14, 0x07, 0x91, 0xA1, 0xF0, 0x42, 0x33, 0x52, 0xB1, 0xC1, 0xD1, 0xE1,
        ]
        let all = (0...15).flatMap { run in (1...15).map { UInt8(run << 4 | $0) } }
        let others = all.filter { !frequent.contains($0) }
        return make([0, 1, 2, 1, 0, 4, 0, 24, 0, others.count], frequent + others)
    }()

    private static func make(_ counts: [Int], _ values: [UInt8]) -> HuffmanCode {
        // Constant, and tested: each length has room for its codes.
        HuffmanCode(counts: counts + Array(repeating: 0, count: 16 - counts.count), values: values)!
    }

    /// Codes by what they mean, with their length in the highest 8 bits.
    static let dcWords = words(dc)
    static let acWords = words(ac)

    private static func words(_ code: HuffmanCode) -> [UInt32] {
        var result = [UInt32](repeating: 0, count: 256)
        for word in code.words { result[Int(word.value)] = UInt32(word.length) << 24 | word.bits }
        return result
    }
}

/// Writes blocks as the data of a sequential JPEG.
struct SequentialWriter {
    /// The MCUs of the JPEG.
    let range: MCURange
    private var bits = BitWriter()
    private var predictors = SIMD4<Int32>()

    init(_ range: MCURange) { self.range = range }

    /// Appends the MCUs of a row; false where a coefficient is too large for a sequential JPEG.
    mutating func append(row: Int, of blocks: BlockRows, _ header: JPEGHeader) -> Bool {
        var (writer, last) = (bits, predictors)
        bits = BitWriter()
        let lines = blocks.lines(header.components.indices, row: row, range.columns)
        var isValid = true
        let (dcWords, acWords) = (SequentialCode.dcWords, SequentialCode.acWords)
        for mcu in 0..<range.columns.count {
            for line in lines {
                for block in (mcu &* line.across)..<((mcu &+ 1) &* line.across) {
                    isValid =
                        Self.append(line.run, block, dcWords, acWords, &last[line.component], &writer)
                        && isValid
                }
            }
        }
        (bits, predictors) = (writer, last)
        return isValid
    }

    @inline(__always)
    private static func append(
        _ run: BlockRun, _ block: Int, _ dcWords: [UInt32], _ acWords: [UInt32], _ last: inout Int32,
        _ writer: inout BitWriter
    ) -> Bool {
        let dc = Int32(run[block, 0])
        guard append(dc &- last, after: 0, dcWords, &writer) else { return false }
        last = dc
        var mask = run[mask: block]
        var previous = 0
        while mask != 0 {
            let coefficient = mask.trailingZeroBitCount
            mask &= mask &- 1
            var zeros = coefficient &- previous &- 1
            previous = coefficient
            while zeros > 15 {
                append(acWords[0xF0], &writer)
                zeros &-= 16
            }
            guard
                append(
                    Int32(run[block, coefficient]), after: zeros, acWords, &writer)
            else { return false }
        }
        if previous < 63 { append(acWords[0], &writer) }
        return true
    }

    /// Appends a number behind some zeros.
    @inline(__always)
    private static func append(
        _ value: Int32, after zeros: Int, _ words: [UInt32], _ writer: inout BitWriter
    ) -> Bool {
        let category = 32 &- value.magnitude.leadingZeroBitCount
        guard category < 16 else { return false }
        let word = words[zeros << 4 | category]
        let rest = UInt64(UInt32(bitPattern: value < 0 ? value &- 1 : value)) & (1 << UInt64(category) - 1)
        writer.append(
            UInt64(word & 0xFF_FFFF) << UInt64(category) | rest,
            count: Int(truncatingIfNeeded: word >> 24) &+ category)
        return true
    }

    @inline(__always)
    private static func append(_ word: UInt32, _ writer: inout BitWriter) {
        writer.append(UInt64(word & 0xFF_FFFF), count: Int(truncatingIfNeeded: word >> 24))
    }

    /// The JPEG, with those metadata segments of the file that `keeping` chooses.
    consuming func finish(
        _ header: JPEGHeader, of file: ByteWindow, keeping: (JPEGHeader.Segment) -> Bool
    ) -> [UInt8] {
        var output = header.written(
            size: header.storedRect(range).size, dcCodes: header.dcCodes, from: file, keeping: keeping)
        bits.finish(to: &output)
        return output + JPEGSegment.endOfImage
    }
}

/// Copies runs of MCUs out of a JPEG into new compressed data.
///
/// Bits are copied unchanged, except for the first DC code of each component in each run: it is the difference from a
/// block that may not have been copied (T.81, F.1.1.5.1), and is encoded again. No other code depends on other blocks,
/// so that coefficients stay the same, and nothing is lost.
///
/// The new difference may have a category that the file's code lacks: a code word for it is added behind all others,
/// which stay as they are. Behind each restart marker DC values begin at 0 (F.2.1.3.1); a run ends there, and the new
/// data has no markers.
///
/// Before, all MCUs of a run were read to find its end. An index knows the end: then only the first MCU is read.
struct RunCopier {
    private let scanner: EntropyScanner
    private var writer = BitWriter()
    /// The last DC values of a decoder of the new data.
    private var predictors = SIMD4<Int32>()
    /// The DC codes of the new data: those of the file, and codes added for differences that do not occur in it.
    private(set) var dcCodes: [HuffmanCode?]
    private var dcWords: [[HuffmanCode.Word?]]

    /// - Parameter scanner: That of the new data: components and codes are those of all runs.
    init(_ scanner: EntropyScanner) {
        self.scanner = scanner
        dcCodes = scanner.header.dcCodes
        dcWords = scanner.dcWords
    }

    /// Appends the MCUs between two cursors in a row of data without restart markers.
    ///
    /// Only the first MCU is read: the end of the run is known.
    mutating func append(from start: MCUCursor, to end: MCUCursor) throws(JPEGIndexError) {
        var start = start
        let before = start.state.predictors
        _ = start.loadedMCUs(upTo: 1)
        guard let starts = scanner.firstDifferences(start.window.data, &start.state) else {
            throw start.error
        }
        // The index may be wrong, and the file may have become shorter.
        guard !end.state.isExhausted, end.bitPosition >= start.bitPosition else { throw start.error }
        try append(starts, of: start.window.data, after: before, to: end.bitPosition, error: start.error)
        predictors = end.state.predictors
    }

    /// Appends `count` MCUs from a cursor on, all in one row.
    mutating func append(_ count: Int, from cursor: inout MCUCursor) throws(JPEGIndexError) {
        var left = count
        while left > 0 {
            let run = cursor.loadedMCUs(upTo: min(left, cursor.mcusToRestart))
            guard run > 0 else { throw cursor.error }
            let before = cursor.state.predictors
            let data = cursor.window.data
            guard let starts = scanner.firstDifferences(data, &cursor.state),
                scanner.skip(run - 1, data, &cursor.state)
            else { throw cursor.error }
            try append(starts, of: data, after: before, to: cursor.bitPosition, error: cursor.error)
            predictors = cursor.state.predictors
            try cursor.passed(run)
            left -= run
        }
    }

    /// Appends MCUs of uniform blocks, which continue the last DC values.
    ///
    /// - Precondition: The scan's DC codes have one for no difference; `ends` has the end of a block of each AC code.
    mutating func appendUniform(_ count: Int, ends: [HuffmanCode.Word?]) {
        for _ in 0..<count {
            for group in scanner.groups {
                guard let same = dcWords[group.dcCode][0], let end = ends[group.acCode] else {
                    preconditionFailure("no codes for uniform blocks")
                }
                for _ in 0..<group.blocks {
                    writer.append(UInt64(same.bits), count: same.length)
                    writer.append(UInt64(end.bits), count: end.length)
                }
            }
        }
    }

    /// Moves most of the data to `output`, so that little is in memory.
    mutating func moveWords(to output: inout [UInt8]) { writer.moveWords(to: &output) }

    /// Appends the data that has not been moved.
    consuming func finish(to output: inout [UInt8]) { writer.finish(to: &output) }

    /// Appends a run that begins with `starts`, after the DC values `before`.
    private mutating func append(
        _ starts: [EntropyScanner.Difference], of data: UnsafeByteView, after before: SIMD4<Int32>,
        to end: UInt64, error: JPEGIndexError
    ) throws(JPEGIndexError) {
        for (index, start) in starts.enumerated() {
            let value = before[start.component] &+ start.difference
            try appendDifference(value &- predictors[start.component], of: start.component, error: error)
            let next = index + 1 < starts.count ? starts[index + 1].begin : end
            writer.append(data, from: start.end, to: next)
        }
    }

    private mutating func appendDifference(
        _ difference: Int32, of component: Int, error: JPEGIndexError
    ) throws(JPEGIndexError) {
        let category = 32 - difference.magnitude.leadingZeroBitCount
        guard category < 16 else { throw error }
        let table = scanner.header.components[component].dcTable
        if dcWords[table][category] == nil {
            // The parser has checked that the scan's tables exist.
            // Optimized tables have codes only for the differences that occur in the file.
            // A valid table has room for one more, because JPEG never uses the code of all ones (T.81, annex C).
            guard dcCodes[table]!.append(UInt8(category)) else { throw error }
            dcWords[table][category] = dcCodes[table]!.word(UInt8(category))
        }
        let word = dcWords[table][category]!
        writer.append(UInt64(word.bits), count: word.length)
        // Negative numbers are stored as one less, by their lowest bits (T.81, F.1.2.1).
        let bits = difference < 0 ? difference &- 1 : difference
        writer.append(UInt64(UInt32(bitPattern: bits)) & (1 << UInt64(category) - 1), count: category)
    }
}

extension EntropyScanner {
    /// A DC code in the file.
    struct Difference {
        var component: Int
        var difference: Int32
        var begin: UInt64
        var end: UInt64
    }

    /// Reads one MCU and finds the first DC code of each component in it; nil where the data is broken.
    func firstDifferences(_ data: UnsafeByteView, _ state: inout EntropyState) -> [Difference]? {
        var result: [Difference] = []
        for group in groups {
            for block in 0..<group.blocks {
                let begin = state.bitPosition(in: data)
                guard let difference = readDifference(group, data, &state) else { return nil }
                state.predictors[group.component] &+= difference
                if block == 0 {
                    result.append(
                        Difference(
                            component: group.component, difference: difference, begin: begin,
                            end: state.bitPosition(in: data)))
                }
                guard skipCoefficients(group, data, &state) else { return nil }
            }
        }
        return state.isExhausted ? nil : result
    }
}

/// Collects entropy-coded bits; zeros are stuffed behind bytes of ones at the end (T.81, F.1.2.3).
///
/// Words hold bits without stuffed zeros: copied bits are shifted, so that bytes of ones are elsewhere than in the
/// file.
struct BitWriter {
    /// Full words, the first bit highest.
    private var words: [UInt64] = []
    private var last: UInt64 = 0
    /// The bits in `last`, fewer than 64.
    private var used = 0

    /// Appends the lowest `count` bits of `value`, at most 32.
    @inline(__always)
    mutating func append(_ value: UInt64, count: Int) {
        guard count > 0 else { return }
        appendHigh(value << UInt64(64 - count), count: count)
    }

    /// Appends the highest `count` bits of `value`, 1 to 64; those below must be zero.
    @inline(__always)
    private mutating func appendHigh(_ value: UInt64, count: Int) {
        last |= value &>> UInt64(truncatingIfNeeded: used)
        used &+= count
        guard used >= 64 else { return }
        words.append(last)
        used &-= 64
        last = used == 0 ? 0 : value &<< UInt64(truncatingIfNeeded: count &- used)
    }

    /// Appends the bits of a file between two bit positions, without stuffed zeros.
    mutating func append(_ data: UnsafeByteView, from start: UInt64, to end: UInt64) {
        guard start < end else { return }
        var byte = Int(start >> 3)
        let endByte = Int(end >> 3)
        let skipped = Int(start & 7)
        if byte == endByte {
            append(
                UInt64(data[byte] & 0xFF >> UInt8(skipped)) >> (8 - (end & 7)),
                count: Int(end & 7) - skipped)
            return
        }
        if skipped > 0 {
            append(UInt64(data[byte] & 0xFF >> UInt8(skipped)), count: 8 - skipped)
            byte += data[byte] == 0xFF ? 2 : 1
        }
        while byte < endByte {
            if byte + 8 <= endByte, let word = data.bigEndian64(at: byte), Self.hasNoByteOfOnes(word) {
                appendHigh(word, count: 64)
                byte += 8
                continue
            }
            append(UInt64(data[byte]), count: 8)
            byte += data[byte] == 0xFF ? 2 : 1
        }
        if end & 7 > 0 { append(UInt64(data[endByte]) >> (8 - (end & 7)), count: Int(end & 7)) }
    }

    /// Moves the full words to `output`, stuffed.
    mutating func moveWords(to output: inout [UInt8]) {
        output += stuffed(lastBytes: 0)
        words.removeAll(keepingCapacity: true)
    }

    /// Appends everything to `output`: filled up with ones to a whole byte, and stuffed.
    consuming func finish(to output: inout [UInt8]) {
        let rest = (8 - used % 8) % 8
        append(1 << UInt64(rest) - 1, count: rest)
        output += stuffed(lastBytes: used / 8)
    }

    /// The full words and some bytes of the last one, stuffed.
    private func stuffed(lastBytes: Int) -> [UInt8] {
        // Stuffing doubles at most, and there is memory for the last word even where it is empty.
        unsafe [UInt8](unsafeUninitializedCapacity: 16 * (words.count + 1)) { buffer, count in
            var end = UnsafeMutableRawPointer(buffer.baseAddress!)
            for word in words { unsafe end = Self.stuff(word, count: 8, to: end) }
            unsafe end = Self.stuff(last, count: lastBytes, to: end)
            count = unsafe end - UnsafeMutableRawPointer(buffer.baseAddress!)
        }
    }

    /// The bits unstuffed, filled up with zeros to a whole byte: for other data than a JPEG's.
    consuming func finishUnstuffed() -> [UInt8] {
        let bytes = (words + [last]).flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
        }
        return Array(bytes.prefix(words.count * 8 + (used + 7) / 8))
    }

    /// Writes some bytes of a word, the highest first; returns the address behind them.
    // The caller has room for twice as many bytes.
    @unsafe @inline(__always)
    private static func stuff(
        _ word: UInt64, count: Int, to start: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        if count == 8, hasNoByteOfOnes(word) {
            unsafe start.storeBytes(of: word.bigEndian, as: UInt64.self)
            return unsafe start + 8
        }
        var end = unsafe start
        for index in 0..<count {
            let byte = UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * index))
            unsafe end.storeBytes(of: byte, as: UInt8.self)
            unsafe end += 1
            guard byte == 0xFF else { continue }
            unsafe end.storeBytes(of: 0, as: UInt8.self)
            unsafe end += 1
        }
        return unsafe end
    }

    /// As in `BitBuffer.refill`.
    @inline(__always)
    static func hasNoByteOfOnes(_ word: UInt64) -> Bool {
        (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 == 0
    }
}

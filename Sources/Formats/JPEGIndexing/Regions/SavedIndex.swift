internal import Basics
public import Files

/// The saved form, version 1.
///
/// All numbers are little-endian:
///
///     0   "JPIX", version (1 byte), components (1 byte), 2 bytes zero
///     8   interval, MCUs in a row, rows (4 bytes each), bytes of checkpoints (4 bytes)
///     24  identity: size, modified, head, tail (8 bytes each)
///     56  checkpoints: Rice codes of the differences to predictions from neighbors
///     end FNV-1a hash of everything before (8 bytes)
private enum SavedForm {
    static let magic: [UInt8] = Array("JPIX".utf8)
    static let version: UInt8 = 1
    static let headerSize = 56
}

extension JPEGIndex {
    /// The largest size of a saved index, as a share of its file: 0.25 %.
    public static var maximumSavedShare: Double { 0.0025 }

    /// Returns the index as bytes, to load with `init(saved:for:header:)`.
    ///
    /// Where they would be more than `maximumSavedShare` of the file, checkpoints are left out, down to one for
    /// each row of MCUs.
    ///
    /// - Parameters:
    ///   - identity: The identity of the file that the index was made from.
    ///   - header: The header of that file.
    public func saved(for identity: FileFingerprint, header: JPEGHeader) -> [UInt8] {
        let components = header.components.count
        var index = self
        var bytes = index.encoded(identity, components)
        while Double(bytes.count) > Self.maximumSavedShare * Double(identity.size),
            index.checkpointsPerRow > 1
        {
            index = index.thinned()
            bytes = index.encoded(identity, components)
        }
        return bytes
    }

    /// Loads an index from the bytes that `saved(for:header:)` returned.
    ///
    /// - Throws: `JPEGIndexError.staleIndex` where it belongs to another file or another state of the file, or is
    ///   damaged.
    public init(
        saved bytes: [UInt8], for identity: FileFingerprint, header: JPEGHeader
    ) throws(JPEGIndexError) {
        let end = bytes.count - 8
        guard end >= SavedForm.headerSize, bytes.starts(with: SavedForm.magic),
            bytes[4] == SavedForm.version, Int(bytes[5]) == header.components.count,
            bytes.bits(8, at: end, .little) == FNV1a.hash(bytes[..<end])
        else { throw .staleIndex }
        let numbers = (0..<4).compactMap { bytes.uint32(at: 8 + 4 * $0, .little) }
        let (interval, mcusPerRow, rows, length) = (numbers[0], numbers[1], numbers[2], numbers[3])
        guard end == SavedForm.headerSize + length, FileFingerprint(saved: bytes, at: 24) == identity,
            interval > 0, mcusPerRow == header.mcusPerRow, (0...header.mcuRows).contains(rows)
        else { throw .staleIndex }
        self.init(interval: interval, rows: rows, mcusPerRow: mcusPerRow)
        try decode(bytes[SavedForm.headerSize..<(SavedForm.headerSize + length)], identity, header)
    }

    private func encoded(_ identity: FileFingerprint, _ components: Int) -> [UInt8] {
        var rice = RiceWriter(kinds: 1 + components)
        let perRow = checkpointsPerRow
        var previous: UInt64 = 0
        for number in bitPositions.indices {
            let distance = Int64(bitPositions[number] - previous)
            previous = bitPositions[number]
            rice.append(distance - predictedDistance(number, column: number % perRow, of: perRow), kind: 0)
            let above = number >= perRow ? predictors[number - perRow] : .zero
            for component in 0..<components {
                let difference = Int64(predictors[number][component]) - Int64(above[component])
                rice.append(difference, kind: 1 + component)
            }
        }
        let payload = rice.finish()
        var writer = ByteWriter(.little, SavedForm.magic + [SavedForm.version, UInt8(components), 0, 0])
        for value in [interval, mcusPerRow, rows, payload.count] { writer.append(value, size: 4) }
        identity.append(to: &writer)
        writer.append(contentsOf: payload)
        writer.append(FNV1a.hash(writer.bytes))
        return writer.bytes
    }

    private mutating func decode(
        _ payload: ArraySlice<UInt8>, _ identity: FileFingerprint, _ header: JPEGHeader
    ) throws(JPEGIndexError) {
        var rice = RiceReader(payload, kinds: 1 + header.components.count)
        // Bits of large files are more than 32-bit numbers can count.
        var previous: Int64 = 0
        // Each of them takes a division.
        let (count, perRow, components) = (checkpointCount, checkpointsPerRow, header.components.count)
        var column = 0
        for number in 0..<count {
            guard let difference = rice.next(kind: 0) else { throw .staleIndex }
            let predicted = previous + predictedDistance(number, column: column, of: perRow)
            column = column + 1 == perRow ? 0 : column + 1
            let (position, overflow) = predicted.addingReportingOverflow(difference)
            guard !overflow, position >= max(previous, Int64(header.dataStart) << 3),
                position <= Int64(clamping: identity.size << 3)
            else { throw .staleIndex }
            previous = position
            var values = number >= perRow ? predictors[number - perRow] : .zero
            for component in 0..<components {
                guard let difference = rice.next(kind: 1 + component),
                    let value = Int16(
                        exactly: Int64(values[component]).addingReportingOverflow(difference).partialValue)
                else { throw .staleIndex }
                values[component] = value
            }
            append(UInt64(position), values)
        }
    }

    /// The distance of a checkpoint from the previous one, predicted from the left and from above.
    private func predictedDistance(_ number: Int, column: Int, of perRow: Int) -> Int64 {
        func distance(_ number: Int) -> Int64 {
            number > 0 ? Int64(bitPositions[number] - bitPositions[number - 1]) : 0
        }
        if number < perRow { return number > 1 ? distance(number - 1) : 0 }
        let above = distance(number - perRow)
        // The first distance of a row is that of the last, shorter run of the row above.
        if column < 2 || number == perRow { return number == perRow ? 0 : above }
        return (above + distance(number - 1)) / 2
    }
}

/// The parameter of Golomb-Rice codes, which adapts to the size of the numbers.
///
/// Source: the adaptation of JPEG-LS (ITU-T T.87, A.3).
private struct RiceParameter {
    private var sum: UInt64 = 32
    private var count: UInt64 = 1

    /// The fewest bits by which the count, shifted, is not below the sum.
    var bits: Int {
        let bits = max(0, count.leadingZeroBitCount - sum.leadingZeroBitCount)
        return min(40, count << UInt64(bits) < sum ? bits + 1 : bits)
    }

    mutating func update(with value: UInt64) {
        sum += min(value, 1 << 40)
        count += 1
        guard count == 32 else { return }
        sum /= 2
        count /= 2
    }
}

/// Unary parts longer than this are written as 64 plain bits instead.
private let longestUnary = 24

/// Writes signed numbers near zero in few bits, each with the parameter of its kind.
struct RiceWriter {
    private var parameters: [RiceParameter]
    private var bits = BitWriter()

    init(kinds: Int) { parameters = Array(repeating: RiceParameter(), count: kinds) }

    mutating func append(_ value: Int64, kind: Int) {
        // 0, -1, 1, -2 as 0, 1, 2, 3.
        let folded = UInt64(bitPattern: value << 1 ^ value >> 63)
        let low = parameters[kind].bits
        let high = folded >> UInt64(low)
        if high < longestUnary {
            // So many ones, and a zero.
            bits.append(1 << (high + 1) - 2, count: Int(high) + 1)
            appendLow(folded, low)
        } else {
            bits.append(1 << UInt64(longestUnary) - 1, count: longestUnary)
            appendLow(folded, 64)
        }
        parameters[kind].update(with: folded)
    }

    private mutating func appendLow(_ value: UInt64, _ count: Int) {
        if count > 32 { bits.append(value >> 32 & (1 << UInt64(count - 32) - 1), count: count - 32) }
        let low = min(count, 32)
        bits.append(value & (1 << UInt64(low) - 1), count: low)
    }

    consuming func finish() -> [UInt8] { bits.finishUnstuffed() }
}

/// Reads the numbers that a `RiceWriter` with as many kinds wrote; nil behind the end.
struct RiceReader {
    private var parameters: [RiceParameter]
    private let bytes: ArraySlice<UInt8>
    /// The next byte that is not in `buffer` yet.
    private var index: Int
    /// Bits read ahead, the next one highest; zeros behind them.
    private var buffer: UInt64 = 0
    /// How many bits `buffer` holds.
    private var bits = 0

    init(_ bytes: ArraySlice<UInt8>, kinds: Int) {
        self.bytes = bytes
        index = bytes.startIndex
        parameters = Array(repeating: RiceParameter(), count: kinds)
    }

    @inline(__always)
    mutating func next(kind: Int) -> Int64? {
        refill()
        let low = parameters[kind].bits
        let high = min((~buffer).leadingZeroBitCount, longestUnary)
        let folded: UInt64
        if high == longestUnary {
            guard take(high) != nil, let upper = take(32), let lower = take(32) else { return nil }
            folded = upper << 32 | lower
        } else {
            guard take(high + 1) != nil, let rest = take(low) else { return nil }
            folded = UInt64(high) << UInt64(low) | rest
        }
        parameters[kind].update(with: folded)
        return Int64(bitPattern: folded >> 1) ^ -Int64(folded & 1)
    }

    /// Reads up to 56 bits.
    @inline(__always)
    private mutating func take(_ count: Int) -> UInt64? {
        if bits < count { refill() }
        guard bits >= count else { return nil }
        let value = buffer >> UInt64(64 - count)
        buffer <<= UInt64(count)
        bits -= count
        return value
    }

    @inline(__always)
    private mutating func refill() {
        while bits <= 56, index < bytes.endIndex {
            buffer |= UInt64(bytes[index]) << UInt64(56 - bits)
            bits += 8
            index += 1
        }
    }
}

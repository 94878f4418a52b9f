/// The entropy-coded data of a chunk without stuffed zeros and restart markers, so that readers need not look for them.
// Owned memory, freed in deinit. One thread uses it.
@safe final class UnstuffedData {
    /// Bytes of the file that are missing here.
    private struct Gap {
        /// The first byte behind the gap.
        var offset: Int
        /// How much further this byte is from the start in the file.
        var shift: Int
        /// Whether the gap is a restart marker.
        var isRestart: Bool
    }

    /// A restart marker: its place here, its number, and the position in the file behind it.
    struct Restart {
        var offset: Int
        var number: UInt8
        var end: Int
    }

    private let bytes: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private let padding: Int
    /// The position in the file of the first byte.
    private var start = 0
    /// The number of bytes.
    private(set) var count = 0
    private(set) var restarts: [Restart] = []
    private var gaps: [Gap] = []
    private var nextGap = 0

    /// - Parameters:
    ///   - capacity: the most bytes of the file.
    ///   - padding: the zeros behind them, which readers may reach.
    init(capacity: Int, padding: Int) {
        (self.capacity, self.padding) = (capacity, padding)
        unsafe bytes = .allocate(capacity: capacity + padding)
        // All of the memory just allocated.
        unsafe bytes.initialize(repeating: 0, count: capacity + padding)
    }

    // Nobody else has the address.
    deinit { unsafe bytes.deallocate() }

    /// The number of the first bit, counted from address 0.
    var origin: UInt { unsafe UInt(bitPattern: bytes) << 3 }

    /// The bits from one of the data on.
    @inline(__always)
    func bits(at bit: Int) -> UnstuffedBits {
        precondition(bit >= 0 && bit <= 8 * count, "a bit outside of the data")
        // Codes of a block take less than the padding.
        return unsafe UnstuffedBits(origin &+ UInt(bitPattern: bit))
    }

    /// Copies the data of a chunk and a little behind it, up to a marker.
    func load(_ chunk: Chunk, hasRestarts: Bool) {
        let window = chunk.window
        gaps.removeAll(keepingCapacity: true)
        restarts.removeAll(keepingCapacity: true)
        nextGap = 0
        // Not between 0xFF and its stuffed zero.
        start = chunk.bytes.lowerBound
        if !hasRestarts, window.byte(start - 1) == 0xFF { start += 1 }
        window.loadStart(at: start)
        let data = window.data
        let end = min(data.end, start + capacity)
        var (source, target, shift) = (start, 0, 0)
        // The target is never ahead of the source, whose bytes the capacity holds.
        while source < end {
            while source &+ 8 <= end, let word = data.bigEndian64(at: source), !BitBuffer.hasOnes(word) {
                unsafe UnsafeMutableRawPointer(bytes + target).storeBytes(
                    of: word.bigEndian, as: UInt64.self)
                (source, target) = (source &+ 8, target &+ 8)
            }
            while source < end, data[source] != 0xFF {
                unsafe bytes[target] = data[source]
                (source, target) = (source &+ 1, target &+ 1)
            }
            guard source + 1 < end else { break }
            if data[source + 1] == 0 {
                unsafe bytes[target] = 0xFF
                (source, target, shift) = (source + 2, target + 1, shift + 1)
                gaps.append(Gap(offset: target, shift: shift, isRestart: false))
                continue
            }
            let first = source
            while source < end, data[source] == 0xFF { source += 1 }
            guard hasRestarts, source < end, (0xD0...0xD7).contains(data[source]) else { break }
            restarts.append(Restart(offset: target, number: data[source] & 7, end: source + 1))
            source += 1
            shift += source - first
            gaps.append(Gap(offset: target, shift: shift, isRestart: true))
        }
        count = target
        // The padding is behind the capacity.
        unsafe (bytes + count).update(repeating: 0, count: padding)
    }

    /// The position in the file of a bit from which positions are asked for.
    func firstBitPosition(_ bit: Int) -> UInt64 {
        nextGap = 0
        return bitPosition(bit)
    }

    /// The position in the file of a bit behind those asked for before; it is before a restart marker that is there.
    func bitPosition(_ bit: Int) -> UInt64 {
        while nextGap < gaps.count, gaps[nextGap].offset << 3 < bit + (gaps[nextGap].isRestart ? 0 : 1) {
            nextGap += 1
        }
        let shift = nextGap > 0 ? gaps[nextGap - 1].shift : 0
        return UInt64(start + bit >> 3 + shift) << 3 | UInt64(bit & 7)
    }
}

/// Bits of unstuffed data.
// `UnstuffedData` has the memory, and more zeros behind the data than the codes of a block take.
@safe struct UnstuffedBits: CodeBits {
    private var position: UInt
    private(set) var buffer: UInt64 = 0

    @unsafe fileprivate init(_ position: UInt) {
        self.position = position
        refill(())
    }

    @inline(__always)
    mutating func refill(_: Void) {
        let word = unsafe UnsafeRawPointer(bitPattern: position &>> 3).unsafelyUnwrapped
            .loadUnaligned(as: UInt64.self).bigEndian
        buffer = word &<< UInt64(truncatingIfNeeded: position & 7)
    }

    @inline(__always)
    mutating func drop(_ count: Int) {
        buffer &<<= UInt64(truncatingIfNeeded: count)
        position &+= UInt(bitPattern: count)
    }

    /// Passes the DC difference of a block.
    @inline(__always)
    mutating func passDifference(_ scanner: EntropyScanner, _ group: EntropyScanner.Group) {
        drop(scanner.difference(group, buffer).bits)
        refill(())
    }
}

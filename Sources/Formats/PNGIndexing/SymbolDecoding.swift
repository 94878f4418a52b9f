/// The loops that decode the symbols of a block.
///
/// Most of the time of inflating is spent here (RFC 1951, 3.2.3 and 3.2.5). A turn of the first loop takes some
/// literals, a match, or both. It checks the room of chunk and input once: a chunk has room behind its limit for one
/// turn, and the input has a margin, or zeros behind its end. The caller checks afterwards that the end was not
/// passed. The next entry is loaded while a match is copied, and a short match is one copy whatever its distance is.
///
/// The second loop is the same for a chunk whose window is unknown, in symbols of 16 bits, and simpler. `findBlock`
/// accepts bits that could be the header of a block; `InflationTeam` waits until decoding from the start proves it.
extension Inflater {
    /// Why decoding of symbols ended.
    enum Outcome {
        /// The chunk is full, or the input is nearly used up.
        case more
        case endOfBlock
        case broken
    }

    /// Decodes symbols while the chunk has room and the input has a margin.
    ///
    /// The bytes written may pass the limit of the chunk by `InflatedChunk.slack`. All state is in local variables: as
    /// members they would be stored after each symbol. Only the lowest six bits of `bits` count, so that whole entries
    /// can be subtracted.
    func decode(_ chunk: InflatedChunk) -> Outcome {
        // Tables, input and chunk outlive the call; their bounds are checked by the conditions of the loop.
        let (literals, distances) = unsafe (tables.literals, tables.distances)
        let (source, output) = unsafe (
            UnsafePointer(input.bytes.assumingMemoryBound(to: UInt8.self)),
            chunk.bytes.assumingMemoryBound(to: UInt8.self)
        )
        let limit = chunk.limit
        // A turn of the loop loads eight bytes up to three times. Behind a final part there are as many zeros.
        let inputLimit = input.isFinal ? input.count + 16 : input.count - 32
        let free = max(chunk.oldest, chunk.trackedEnd)
        var out = chunk.end
        var next = position.bit >> 3 - input.start
        var buffer: UInt64 = 0
        var bits: UInt32 = 0
        guard out < limit, next < inputLimit else { return .more }
        // Begins inside of a byte.
        unsafe Self.refill(source, &next, &buffer, &bits)
        buffer >>= UInt64(position.bit & 7)
        bits &-= UInt32(position.bit & 7)
        unsafe Self.refill(source, &next, &buffer, &bits)
        var entry = unsafe InflateTables.literal(literals, buffer)
        var outcome = Outcome.more
        // Each turn begins with 56 bits, of which the entry's are not consumed yet.
        decoding: repeat {
            if entry & InflateTables.Entry.literal != 0 {
                // Four literals, and the index of what follows, have 55 bits at most.
                unsafe Self.take(entry, output, &out, &buffer, &bits)
                entry = unsafe InflateTables.literal(literals, buffer)
                if entry & InflateTables.Entry.literal != 0 {
                    unsafe Self.take(entry, output, &out, &buffer, &bits)
                    entry = unsafe InflateTables.literal(literals, buffer)
                    if entry & InflateTables.Entry.literal != 0 {
                        unsafe Self.take(entry, output, &out, &buffer, &bits)
                        entry = unsafe InflateTables.literal(literals, buffer)
                        if entry & InflateTables.Entry.literal != 0 {
                            unsafe Self.take(entry, output, &out, &buffer, &bits)
                            entry = unsafe InflateTables.literal(literals, buffer)
                            unsafe Self.refill(source, &next, &buffer, &bits)
                            continue
                        }
                    }
                }
                unsafe Self.refill(source, &next, &buffer, &bits)
            }
            if entry & InflateTables.Entry.exception != 0 {
                if entry & InflateTables.Entry.subtable != 0 {
                    entry = unsafe InflateTables.continued(
                        literals, entry, InflateTables.literalBits, &buffer, &bits)
                    if entry & InflateTables.Entry.literal != 0 {
                        unsafe Self.take(entry, output, &out, &buffer, &bits)
                        unsafe Self.refill(source, &next, &buffer, &bits)
                        entry = unsafe InflateTables.literal(literals, buffer)
                        continue
                    }
                }
                if entry & InflateTables.Entry.exception != 0 {
                    outcome = entry & InflateTables.Entry.endOfBlock != 0 ? .endOfBlock : .broken
                    Self.pass(entry & 31, &buffer, &bits)
                    break decoding
                }
            }
            // A length takes at most 20 bits, and a distance 28, of at least 56.
            let length = Self.value(entry, buffer)
            Self.pass(entry, &buffer, &bits)
            entry = unsafe InflateTables.distance(distances, buffer)
            if entry & InflateTables.Entry.exception != 0 {
                if entry & InflateTables.Entry.subtable != 0 {
                    entry = unsafe InflateTables.continued(
                        distances, entry, InflateTables.distanceBits, &buffer, &bits)
                }
                guard entry & InflateTables.Entry.exception == 0 else {
                    outcome = .broken
                    break decoding
                }
            }
            let from = out &- Self.value(entry, buffer)
            Self.pass(entry, &buffer, &bits)
            if from < free {
                guard from >= chunk.oldest else {
                    outcome = .broken
                    break decoding
                }
                chunk.track(from..<min(from + length, chunk.trackedEnd))
            }
            // The next entry is loaded while the match is copied.
            unsafe Self.refill(source, &next, &buffer, &bits)
            entry = unsafe InflateTables.literal(literals, buffer)
            unsafe Self.copy(output, from, out, length)
            out &+= length
        } while out < limit && next < inputLimit
        chunk.end = out
        position.bit = (input.start + next) << 3 - Int(bits & 63)
        return outcome
    }

    /// Writes a literal and passes its bits.
    @inline(__always)
    private static func take(
        _ entry: UInt32, _ output: UnsafeMutablePointer<UInt8>, _ out: inout Int, _ buffer: inout UInt64,
        _ bits: inout UInt32
    ) {
        // The loop ends before the limit of the output.
        unsafe output[out] = UInt8(truncatingIfNeeded: entry >> 16)
        out &+= 1
        pass(entry, &buffer, &bits)
    }

    /// Passes the bits of an entry.
    @inline(__always)
    private static func pass(_ entry: UInt32, _ buffer: inout UInt64, _ bits: inout UInt32) {
        // The shift counts modulo 64, and the sixth bit of entries is zero.
        buffer &>>= UInt64(truncatingIfNeeded: entry)
        bits &-= entry
    }

    /// The base of a length or distance plus its extra bits.
    @inline(__always)
    private static func value(_ entry: UInt32, _ buffer: UInt64) -> Int {
        let all = buffer & (1 &<< UInt64(entry & 31) &- 1)
        return Int(truncatingIfNeeded: entry >> 16)
            &+ Int(truncatingIfNeeded: all &>> UInt64(entry >> 8 & 15))
    }

    /// Loads at least 56 bits; those above the count are the following bits of the input, and stay valid.
    @inline(__always)
    private static func refill(
        _ source: UnsafePointer<UInt8>, _ next: inout Int, _ buffer: inout UInt64, _ bits: inout UInt32
    ) {
        // The caller ensures that eight bytes can be read.
        let word = unsafe UInt64(
            littleEndian: UnsafeRawPointer(source + next).loadUnaligned(as: UInt64.self))
        buffer |= word &<< UInt64(truncatingIfNeeded: bits)
        // Only whole bytes are counted; the bits of the next one are loaded again, with the same values.
        next &+= 7 &- Int(truncatingIfNeeded: bits &>> 3 & 7)
        bits |= 56
    }

    /// Copies a match, and up to 15 bytes too many.
    @inline(__always)
    private static func copy(
        _ output: UnsafeMutablePointer<UInt8>, _ from: Int, _ to: Int, _ length: Int
    ) {
        var (source, target) = (
            unsafe UnsafeRawPointer(output + from), unsafe UnsafeMutableRawPointer(output + to)
        )
        let distance = to &- from
        // The chunk has room behind its limit. Most matches are short, whatever their distance: one branch for both.
        if (16 &- length) | (distance &- length) >= 0 {
            unsafe target.storeBytes(
                of: source.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
            return
        }
        let end = unsafe target + length
        if distance >= 16 {
            repeat {
                // As above.
                unsafe target.storeBytes(
                    of: source.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
                unsafe (source, target) = (source + 16, target + 16)
            } while unsafe target < end
        } else {
            // Each step writes eight bytes, of which as many as the distance are right; the next step mends the rest.
            let step = min(distance, 8)
            repeat {
                // As above.
                unsafe target.storeBytes(of: source.loadUnaligned(as: UInt64.self), as: UInt64.self)
                unsafe (source, target) = (source + step, target + step)
            } while unsafe target < end
        }
    }
}

extension Inflater {
    /// Decodes symbols while the chunk has room and the input has a margin: as above, with less speed.
    func decode(_ chunk: MarkedChunk) -> Outcome {
        // As above.
        let (literals, distances) = unsafe (tables.literals, tables.distances)
        let source = unsafe UnsafePointer(input.bytes.assumingMemoryBound(to: UInt8.self))
        let output = unsafe chunk.symbols
        let limit = chunk.limit
        let inputLimit = input.isFinal ? input.count + 16 : input.count - 32
        var out = chunk.end
        var next = position.bit >> 3 - input.start
        var buffer: UInt64 = 0
        var bits: UInt32 = 0
        guard out < limit, next < inputLimit else { return .more }
        unsafe Self.refill(source, &next, &buffer, &bits)
        buffer >>= UInt64(position.bit & 7)
        bits &-= UInt32(position.bit & 7)
        var outcome = Outcome.more
        decoding: repeat {
            unsafe Self.refill(source, &next, &buffer, &bits)
            var entry = unsafe InflateTables.literal(literals, buffer)
            if entry & InflateTables.Entry.subtable != 0 {
                entry = unsafe InflateTables.continued(
                    literals, entry, InflateTables.literalBits, &buffer, &bits)
            }
            if entry & InflateTables.Entry.literal != 0 {
                // The loop ends before the limit of the output.
                unsafe output[out] = UInt16(truncatingIfNeeded: entry >> 16)
                out &+= 1
                Self.pass(entry, &buffer, &bits)
                continue
            }
            if entry & InflateTables.Entry.exception != 0 {
                outcome = entry & InflateTables.Entry.endOfBlock != 0 ? .endOfBlock : .broken
                Self.pass(entry & 31, &buffer, &bits)
                break decoding
            }
            let length = Self.value(entry, buffer)
            Self.pass(entry, &buffer, &bits)
            entry = unsafe InflateTables.distance(distances, buffer)
            if entry & InflateTables.Entry.subtable != 0 {
                entry = unsafe InflateTables.continued(
                    distances, entry, InflateTables.distanceBits, &buffer, &bits)
            }
            guard entry & InflateTables.Entry.exception == 0 else {
                outcome = .broken
                break decoding
            }
            // At most a window, which is before the chunk.
            let from = out &- Self.value(entry, buffer)
            Self.pass(entry, &buffer, &bits)
            // One by one: a match may overlap what it writes, and then repeats it.
            for index in 0..<length { unsafe output[out &+ index] = output[from &+ index] }
            out &+= length
        } while out < limit && next < inputLimit
        chunk.end = out
        position.bit = (input.start + next) << 3 - Int(bits & 63)
        return outcome
    }

    /// Finds the header of a block with codes of its own, from a byte on, and reads it; false where there is none.
    ///
    /// What is found can be something else: decoding from the start has to reach it as the header of a block.
    func findBlock(from start: Int, to end: Int) throws(PNGIndexError) -> Bool {
        for bit in (start << 3)..<(end << 3) {
            position.bit = bit
            let bits = try peek()
            // Not the last block, of type 2, with at most 286 and 30 codes (RFC 1951, 3.2.7).
            guard bits & 7 == 4, bits >> 3 & 31 <= 29, bits >> 8 & 31 <= 29 else { continue }
            position.bit = bit + 17
            let lengths = try peek()
            // The code of the lengths of codes must be complete, in units of 1/128. This is checked first,
            // because reading the whole header fills tables.
            var space: UInt64 = 0
            for number in 0..<(bits >> 13 & 15 + 4) {
                let length = lengths >> (3 * number) & 7
                if length > 0 { space += 128 >> length }
            }
            guard space == 128 else { continue }
            position.bit = bit
            do throws(PNGIndexError) {
                try readBlockHeader()
                return true
            } catch .brokenData {
                continue
            } catch {
                throw error
            }
        }
        return false
    }
}

extension EntropyScanner {
    /// Reads `count` MCUs; false where the data is broken or ends, and `state` is then of no use.
    ///
    /// Restart markers are the caller's.
    func skip(_ count: Int, _ data: LentBytes, _ state: inout EntropyState) -> Bool {
        // Everything that the loop changes is a local variable: see `EntropyReading`.
        var buffer = state.buffer
        var bits = state.bits
        var position = state.position
        var invented = state.invented
        var predictors = state.predictors
        for _ in 0..<count {
            for group in groups {
                var sum: Int32 = 0
                for _ in 0..<group.blocks {
                    if bits < 32 { EntropyReading.refill(data, &buffer, &bits, &position, &invented) }
                    let (difference, used) = difference(group, buffer)
                    if used == 0 { return false }
                    sum &+= Int32(truncatingIfNeeded: difference)
                    buffer &<<= UInt64(truncatingIfNeeded: used)
                    bits &-= used
                    var coefficient = 1
                    while true {
                        if bits < 32 { EntropyReading.refill(data, &buffer, &bits, &position, &invented) }
                        let entry = group.skip[buffer]
                        let next = coefficient &+ Int(truncatingIfNeeded: entry >> 8)
                        if next < 64 && entry != 0 || next >= 128 && next < 192 {
                            let length = entry & 255
                            buffer &<<= UInt64(truncatingIfNeeded: length)
                            bits &-= Int(truncatingIfNeeded: length)
                            if next >= 128 { break }
                            coefficient = next
                            continue
                        }
                        // The codes of this entry may belong to two blocks: the first of them alone.
                        let (one, advance) = skipOne(group, buffer)
                        if one == 0 { return false }
                        buffer &<<= UInt64(truncatingIfNeeded: one)
                        bits &-= one
                        coefficient &+= advance
                        if coefficient >= 64 {
                            if coefficient > 64 && advance < 128 { return false }
                            break
                        }
                    }
                }
                predictors[group.component] &+= sum
            }
        }
        state.buffer = buffer
        state.bits = bits
        state.position = position
        state.invented = invented
        state.predictors = predictors
        return !state.isExhausted
    }

    /// The AC code that the buffer begins with: its bits with value, and how many coefficients it goes on.
    ///
    /// 128 ends the block; 0 bits where there is no code.
    @inline(never)
    private func skipOne(_ group: Group, _ buffer: UInt64) -> (bits: Int, advance: Int) {
        let (length, value) = coefficient(group, buffer)
        guard length > 0 else { return (0, 0) }
        let (run, size) = (value >> 4, value & 15)
        // Any run but 15 without a value ends the block: libjpeg, jdhuff.c, decode_mcu_slow.
        return (length + size, size == 0 && run != 15 ? 128 : run + 1)
    }

    /// Skips the AC codes of one block one by one; false where the data is broken.
    func skipCoefficients(_ group: Group, _ data: LentBytes, _ state: inout EntropyState) -> Bool {
        var coefficient = 1
        while coefficient < 64 {
            state.refill(data)
            let (bits, advance) = skipOne(group, state.buffer)
            guard bits > 0 else { return false }
            state.drop(bits)
            if advance == 128 { return true }
            coefficient += advance
        }
        return coefficient == 64
    }

    /// Reads one DC difference; nil where there is none.
    func readDifference(_ group: Group, _ data: LentBytes, _ state: inout EntropyState) -> Int32? {
        state.refill(data)
        let (difference, used) = difference(group, state.buffer)
        guard used > 0 else { return nil }
        state.drop(used)
        return Int32(truncatingIfNeeded: difference)
    }
}

extension EntropyState {
    /// Makes sure of 32 bits.
    @inline(__always)
    mutating func refill(_ data: LentBytes) {
        if bits < 32 { EntropyReading.refill(data, &buffer, &bits, &position, &invented) }
    }

    /// Goes on by bits that are in the buffer.
    @inline(__always)
    mutating func drop(_ count: Int) {
        buffer &<<= UInt64(truncatingIfNeeded: count)
        bits &-= count
    }
}

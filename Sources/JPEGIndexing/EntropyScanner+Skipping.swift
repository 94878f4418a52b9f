extension EntropyScanner {
    /// Reads `count` MCUs; false where the data is broken or ends, and `state` is then of no use.
    ///
    /// Restart markers are the caller's.
    func skip(_ count: Int, _ data: UnsafeByteView, _ state: inout EntropyState) -> Bool {
        var local = state
        for _ in 0..<count {
            for group in groups {
                var sum: Int32 = 0
                for _ in 0..<group.blocks {
                    guard let difference = readDifference(group, data, &local),
                        skipCoefficients(group, data, &local)
                    else { return false }
                    sum &+= difference
                }
                local.predictors[group.component] &+= sum
            }
        }
        state = local
        return !state.isExhausted
    }

    /// Reads one DC difference; nil where there is none.
    ///
    /// Inlined, so that a local `state` is kept in registers: see `EntropyReading`.
    @inline(__always)
    func readDifference(_ group: Group, _ data: UnsafeByteView, _ state: inout EntropyState) -> Int32? {
        state.refill(data)
        let (difference, used) = difference(group, state.buffer)
        if used == 0 { return nil }
        state.drop(used)
        return Int32(truncatingIfNeeded: difference)
    }

    /// Skips the AC codes of one block; false where the data is broken.
    @inline(__always)
    func skipCoefficients(_ group: Group, _ data: UnsafeByteView, _ state: inout EntropyState) -> Bool {
        var coefficient = 1
        while true {
            state.refill(data)
            let entry = group.skip[state.buffer]
            let before = state
            state.drop(Int(truncatingIfNeeded: entry & 255))
            let next = coefficient &+ Int(truncatingIfNeeded: entry >> 8)
            if next < 64 {
                coefficient = next
                continue
            }
            if next >= 128 && next < 192 { return true }
            state = before
            // The codes of this entry may belong to two blocks: the first of them alone.
            let (bits, advance) = skipOne(group, state.buffer)
            if bits == 0 { return false }
            state.drop(bits)
            coefficient &+= advance
            if coefficient >= 64 { return coefficient == 64 || advance == 128 }
        }
    }

    /// The AC code that the buffer begins with: its bits with value, and how many coefficients it goes on.
    ///
    /// 128 ends the block; 0 bits where there is no code.
    @inline(never)
    private func skipOne(_ group: Group, _ buffer: UInt64) -> (bits: Int, advance: Int) {
        let (length, value) = coefficientCode(group, buffer)
        guard length > 0 else { return (0, 0) }
        let (run, size) = (value >> 4, value & 15)
        // Any run but 15 without a value ends the block: libjpeg, jdhuff.c, decode_mcu_slow.
        return (length + size, size == 0 && run != 15 ? 128 : run + 1)
    }
}

extension EntropyState {
    /// Makes sure of 32 bits.
    @inline(__always)
    mutating func refill(_ data: UnsafeByteView) {
        if bits < 32 { EntropyReading.refill(data, &buffer, &bits, &position, &invented) }
    }

    /// Goes on by bits that are in the buffer.
    @inline(__always)
    mutating func drop(_ count: Int) {
        buffer &<<= UInt64(truncatingIfNeeded: count)
        bits &-= count
    }
}

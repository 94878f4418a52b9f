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
                let dc = group.dc.view
                let ac = group.skip.view
                var sum: Int32 = 0
                for _ in 0..<group.blocks {
                    if bits < 32 { EntropyReading.refill(data, &buffer, &bits, &position, &invented) }
                    let (difference, used) = group.difference(buffer, dc)
                    if used == 0 { return false }
                    sum &+= Int32(truncatingIfNeeded: difference)
                    buffer &<<= UInt64(truncatingIfNeeded: used)
                    bits &-= used
                    var coefficient = 1
                    while true {
                        if bits < 32 { EntropyReading.refill(data, &buffer, &bits, &position, &invented) }
                        let entry = ac[buffer]
                        let next = coefficient &+ Int(truncatingIfNeeded: entry >> 8)
                        let length = UInt64(truncatingIfNeeded: entry & 255)
                        if next < 64 && entry != 0 {
                            buffer &<<= length
                            bits &-= Int(truncatingIfNeeded: length)
                            coefficient = next
                            continue
                        }
                        if next >= 128 && next < 192 {
                            buffer &<<= length
                            bits &-= Int(truncatingIfNeeded: length)
                            break
                        }
                        // The codes of this entry may belong to two blocks: the first of them alone.
                        let (one, advance) = group.singleCode(buffer)
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
}

extension EntropyScanner.Group {
    /// The AC code that the buffer begins with: its bits with value, and how many coefficients it goes on.
    ///
    /// 128 ends the block; 0 bits where there is no code.
    @inline(never)
    func singleCode(_ buffer: UInt64) -> (bits: Int, advance: Int) {
        let entry = single.view[buffer]
        let (length, value) = entry != 0 ? (Int(entry & 255), Int(entry >> 8)) : longAC(buffer)
        guard length > 0 else { return (0, 0) }
        let (run, size) = (value >> 4, value & 15)
        // Any run but 15 without a value ends the block: libjpeg, jdhuff.c, decode_mcu_slow.
        return (length + size, size == 0 && run != 15 ? 128 : run + 1)
    }
}

extension EntropyScanner {
    /// Reads `count` MCUs as `skip` does, and sets their samples at one eighth from an MCU of the row on.
    func decode(
        _ count: Int, _ data: LentBytes, _ state: inout EntropyState, _ plan: OverviewPlan,
        to rows: SampleRows, column: Int
    ) -> Bool {
        var local = state
        for mcu in column..<(column + count) {
            for group in groups {
                let component = plan.components[group.component]
                let stride = rows.strides[group.component]
                let width = component.across * component.side
                let start = rows.starts[group.component] + mcu * width
                var dc = local.predictors[group.component]
                for y in 0..<component.down {
                    for x in 0..<component.across {
                        guard let difference = readDifference(group, data, &local) else { return false }
                        dc &+= difference
                        let place = start + (y * stride + x) * component.side
                        let value = dc &* component.quantization[0]
                        if component.side == 1 {
                            guard skipCoefficients(group, data, &local) else { return false }
                            rows[place] = ReducedIDCT.one(value)
                        } else {
                            guard let four = readFour(group, component, value, data, &local) else {
                                return false
                            }
                            rows[place] = four[0]
                            rows[place + 1] = four[1]
                            rows[place + stride] = four[2]
                            rows[place + stride + 1] = four[3]
                        }
                    }
                }
                local.predictors[group.component] = dc
            }
        }
        state = local
        return !state.isExhausted
    }

    /// Reads the AC codes of one block and makes its two by two samples; nil where the data is broken.
    @inline(__always)
    private func readFour(
        _ group: Group, _ component: OverviewPlan.Component, _ dc: Int32, _ data: LentBytes,
        _ state: inout EntropyState
    ) -> SIMD4<UInt8>? {
        var block = InlineArray<25, Int32>(repeating: 0)
        block[0] = ReducedIDCT.narrowed(dc)
        var coefficient = 1
        while coefficient < 64 {
            state.refill(data)
            let (bits, value) = coefficientCode(group, state.buffer)
            if bits == 0 { return nil }
            let (run, size) = (value >> 4, value & 15)
            if size == 0 {
                state.drop(bits)
                if run != 15 { return ReducedIDCT.four(block) }
                coefficient &+= 16
                continue
            }
            coefficient &+= run
            guard coefficient < 64 else { return nil }
            let slot = Int(ReducedIDCT.slots[coefficient])
            if slot >= 0 {
                let rest = Int((state.buffer &<< UInt64(bits)) &>> UInt64(64 &- size))
                let value = Int32(truncatingIfNeeded: DCEntry.extend(rest, size))
                block[slot] = ReducedIDCT.narrowed(value &* component.quantization[coefficient])
            }
            state.drop(bits &+ size)
            coefficient &+= 1
        }
        return coefficient == 64 ? ReducedIDCT.four(block) : nil
    }
}

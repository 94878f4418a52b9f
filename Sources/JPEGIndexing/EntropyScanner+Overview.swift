extension EntropyScanner {
    /// Reads `count` MCUs as `skip` does, and sets their samples at one eighth from an MCU of the row on.
    func decode(
        _ count: Int, _ data: UnsafeByteView, _ state: inout EntropyState, _ plan: OverviewPlan,
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
                        let value = dc &* component.quantization
                        if component.side == 1 {
                            guard skipCoefficients(group, data, &local) else { return false }
                            rows[place] = ReducedIDCT.one(value)
                        } else {
                            guard let sums = readSums(group, component, value, data, &local) else {
                                return false
                            }
                            let four = ReducedIDCT.four(sums)
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

    /// Reads one MCU as `decode` does, for a reader who does not know the DC values that it started from.
    ///
    /// False where the data is broken or ends.
    func decode(
        _ data: UnsafeByteView, _ state: inout EntropyState, _ plan: OverviewPlan,
        to samples: inout DCRelativeSamples
    ) -> Bool {
        var local = state
        for group in groups {
            let component = plan.components[group.component]
            var dc = local.predictors[group.component]
            for _ in 0..<group.blocks {
                guard let difference = readDifference(group, data, &local) else { return false }
                dc &+= difference
                let value = dc &* component.quantization
                if component.side == 1 {
                    guard skipCoefficients(group, data, &local) else { return false }
                    samples.append(value &+ 4)
                } else {
                    guard let sums = readSums(group, component, 0, data, &local) else { return false }
                    samples.append(sums, value)
                }
            }
            local.predictors[group.component] = dc
        }
        guard !local.isExhausted else { return false }
        state = local
        return true
    }

    /// Reads the AC codes of one block and adds up what its two by two samples are made of; nil where the data
    /// is broken.
    @inline(__always)
    private func readSums(
        _ group: Group, _ component: OverviewPlan.Component, _ dc: Int32, _ data: UnsafeByteView,
        _ state: inout EntropyState
    ) -> ReducedIDCT.Sums? {
        var sums = ReducedIDCT.Sums(repeating: 0)
        sums[0] = ReducedIDCT.narrowed(dc) &<< 15
        var coefficient = 1
        while coefficient < 64 {
            state.refill(data)
            let (bits, code) = coefficientCode(group, state.buffer)
            if bits == 0 { return nil }
            let (run, size) = (code >> 4, code & 15)
            if size == 0 {
                state.drop(bits)
                if run != 15 { return sums }
                coefficient &+= 16
                continue
            }
            coefficient &+= run
            guard coefficient < 64 else { return nil }
            let rest = Int((state.buffer &<< UInt64(bits)) &>> UInt64(64 &- size))
            let value = Int32(truncatingIfNeeded: DCEntry.extend(rest, size))
            // Coefficients that are not needed are added where nobody looks, with a factor of zero.
            let slot = component.slots[coefficient]
            sums[Int(slot.index)] &+= ReducedIDCT.narrowed(value &* slot.quantization) &* slot.factor
            state.drop(bits &+ size)
            coefficient &+= 1
        }
        return coefficient == 64 ? sums : nil
    }
}

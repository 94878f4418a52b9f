/// The samples of one row of MCUs, component by component: bounds are checked in debug builds only.
// Owned, and written by one thread.
@safe final class SampleRows {
    private let base: UnsafeMutablePointer<UInt8>
    private let count: Int
    /// Where each component begins, and the samples of one of its rows.
    let starts: [Int]
    let strides: [Int]

    init(_ plan: OverviewPlan, mcusPerRow: Int) {
        var starts: [Int] = []
        var strides: [Int] = []
        var total = 0
        for component in plan.components {
            let stride = mcusPerRow * component.across * component.side
            starts.append(total)
            strides.append(stride)
            total += stride * component.down * component.side
        }
        self.starts = starts
        self.strides = strides
        count = total
        // Freed in deinit; never read before it is set.
        unsafe base = .allocate(capacity: total)
        // All of the memory just allocated.
        unsafe base.initialize(repeating: 0, count: total)
    }

    // Nobody else holds the memory.
    deinit { unsafe base.deallocate() }

    @inline(__always)
    subscript(_ index: Int) -> UInt8 {
        get {
            assert(index >= 0 && index < count)
            // Inside, by the assertion: indices are made from the plan that made the memory.
            return unsafe base[index]
        }
        set {
            assert(index >= 0 && index < count)
            // Inside, by the assertion.
            unsafe base[index] = newValue
        }
    }
}

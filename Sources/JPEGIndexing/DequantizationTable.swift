/// What each coefficient of a block adds to the sums of `ReducedIDCT`, owned, at an address that stays.
// Written once, before anybody else sees it.
@safe final class DequantizationTable: @unchecked Sendable {
    /// What one coefficient adds, and where; by default nothing, where nobody looks.
    struct Slot {
        var index: Int32 = 15
        var quantization: Int32 = 0
        var factor: Int32 = 0
    }

    private let base: UnsafeMutablePointer<Slot>

    /// For the factors of the coefficients in zigzag order.
    init(_ quantization: [UInt16]) {
        precondition(quantization.count == 64)
        // Freed in deinit.
        unsafe base = .allocate(capacity: 64)
        for (zigzag, natural) in ReducedIDCT.naturalOrder.enumerated() {
            var slot = Slot()
            if let (index, factor) = ReducedIDCT.slot(natural: natural) {
                slot = Slot(
                    index: Int32(index), quantization: Int32(quantization[zigzag]), factor: factor)
            }
            // The order has 64 places.
            unsafe (base + zigzag).initialize(to: slot)
        }
    }

    // Views end before the plan that owns the tables.
    deinit { unsafe base.deallocate() }

    /// What it holds, for loops that must not count references.
    var view: View { unsafe View(base: UnsafePointer(base)) }

    /// A table lent by its owner.
    // The table is never written again.
    @safe struct View: @unchecked Sendable {
        // Whoever takes a view keeps the table.
        fileprivate let base: UnsafePointer<Slot>

        /// The slot of a coefficient from 0 to 63.
        @inline(__always)
        subscript(_ coefficient: Int) -> Slot {
            assert(coefficient >= 0 && coefficient < 64)
            // Inside, by the assertion; the decoder compares with 64 before.
            return unsafe base[coefficient]
        }
    }
}

/// A set of digests with open addressing: their bits are random already, so it needs no hash function.
struct DigestSet: Sendable {
    private var slots: [BatchPlan.Digest] = []
    private(set) var count = 0
    private static let empty = BatchPlan.Digest(high: 0, low: 0)

    /// Returns the slot of a digest, or the free slot for it.
    private func slot(of digest: BatchPlan.Digest) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: digest.low) & mask
        while slots[slot] != digest, slots[slot] != Self.empty { slot = (slot + 1) & mask }
        return slot
    }

    func contains(_ digest: BatchPlan.Digest) -> Bool {
        !slots.isEmpty && slots[slot(of: digest)] == digest
    }

    /// Inserts a digest; returns false if it is there already.
    @discardableResult
    mutating func insert(_ digest: BatchPlan.Digest) -> Bool {
        if count * 4 >= slots.count * 3 { grow() }
        let slot = slot(of: digest)
        guard slots[slot] != digest else { return false }
        slots[slot] = digest
        count += 1
        return true
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Self.empty, count: max(64, 2 * old.count))
        for digest in old where digest != Self.empty { slots[slot(of: digest)] = digest }
    }
}

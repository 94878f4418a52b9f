/// A cache with a limit on the total cost of its values; the least recently used are removed first.
///
/// Every operation takes constant time: a dictionary finds a value, and a linked list through the slots keeps the
/// order of use.
package struct LRUCache<Key: Hashable, Value> {
    private struct Slot {
        var key: Key
        var value: Value
        var cost: Int
        /// The slots used before and after; `none` at the ends.
        var older: Int
        var newer: Int
    }

    private static var none: Int { -1 }

    package let capacity: Int
    package private(set) var cost = 0
    private var slots: [Slot?] = []
    private var free: [Int] = []
    private var indices: [Key: Int] = [:]
    private var oldest = none
    private var newest = none

    package init(capacity: Int) {
        self.capacity = capacity
    }

    package var count: Int { indices.count }

    /// All values, in no order; does not count as a use.
    package var values: some Sequence<Value> { slots.lazy.compactMap { $0?.value } }

    /// Whether a value is cached; does not count as a use.
    package func contains(_ key: Key) -> Bool { indices[key] != nil }

    /// Returns a value and makes it the most recently used one.
    package mutating func value(_ key: Key) -> Value? {
        guard let index = indices[key] else { return nil }
        unlink(index)
        link(index)
        return slots[index]!.value
    }

    /// Inserts or replaces a value, unless its cost is above the capacity.
    package mutating func insert(_ value: Value, for key: Key, cost: Int) {
        remove(key)
        guard cost <= capacity else { return }
        while self.cost + cost > capacity, let slot = slots[oldest] { remove(slot.key) }
        let slot = Slot(key: key, value: value, cost: cost, older: Self.none, newer: Self.none)
        // Slots are used again, so that the array stays as long as the most values at a time.
        let index = free.popLast() ?? slots.count
        if index == slots.count { slots.append(slot) } else { slots[index] = slot }
        indices[key] = index
        self.cost += cost
        link(index)
    }

    package mutating func remove(_ key: Key) {
        guard let index = indices.removeValue(forKey: key) else { return }
        unlink(index)
        cost -= slots[index]!.cost
        slots[index] = nil
        free.append(index)
    }

    /// Removes the least recently used values until their cost is at most `cost`.
    package mutating func trim(toCost cost: Int) {
        while self.cost > max(cost, 0), oldest != Self.none, let slot = slots[oldest] { remove(slot.key) }
    }

    /// Removes all values whose keys meet a condition.
    package mutating func removeAll(where isRemoved: (Key) -> Bool) {
        for key in indices.keys.filter(isRemoved) { remove(key) }
    }

    private mutating func link(_ index: Int) {
        slots[index]!.older = newest
        slots[index]!.newer = Self.none
        if newest != Self.none { slots[newest]!.newer = index }
        newest = index
        if oldest == Self.none { oldest = index }
    }

    private mutating func unlink(_ index: Int) {
        let (older, newer) = (slots[index]!.older, slots[index]!.newer)
        if older != Self.none { slots[older]!.newer = newer } else { oldest = newer }
        if newer != Self.none { slots[newer]!.older = older } else { newest = older }
    }
}

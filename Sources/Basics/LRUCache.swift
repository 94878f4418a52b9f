/// Values up to a total cost; the longest unused make room for new ones.
///
/// Every operation takes constant time: a dictionary finds a value, and a list through its slots keeps the order
/// of use.
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
    private var places: [Key: Int] = [:]
    private var oldest = none
    private var newest = none

    package init(capacity: Int) {
        self.capacity = capacity
    }

    package var count: Int { places.count }

    /// Whether a value is there; that is no use of it.
    package func contains(_ key: Key) -> Bool { places[key] != nil }

    /// A value, which is the last used one then.
    package mutating func value(_ key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        unlink(place)
        link(place)
        return slots[place]!.value
    }

    /// Keeps a value, if it is no larger than all room there is.
    package mutating func insert(_ value: Value, for key: Key, cost: Int) {
        remove(key)
        guard cost <= capacity else { return }
        while self.cost + cost > capacity, let slot = slots[oldest] { remove(slot.key) }
        let slot = Slot(key: key, value: value, cost: cost, older: Self.none, newer: Self.none)
        let place = free.popLast() ?? slots.count
        if place == slots.count { slots.append(slot) } else { slots[place] = slot }
        places[key] = place
        self.cost += cost
        link(place)
    }

    package mutating func remove(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        unlink(place)
        cost -= slots[place]!.cost
        slots[place] = nil
        free.append(place)
    }

    private mutating func link(_ place: Int) {
        slots[place]!.older = newest
        slots[place]!.newer = Self.none
        if newest != Self.none { slots[newest]!.newer = place }
        newest = place
        if oldest == Self.none { oldest = place }
    }

    private mutating func unlink(_ place: Int) {
        let (older, newer) = (slots[place]!.older, slots[place]!.newer)
        if older != Self.none { slots[older]!.newer = newer } else { oldest = newer }
        if newer != Self.none { slots[newer]!.older = older } else { newest = older }
    }
}

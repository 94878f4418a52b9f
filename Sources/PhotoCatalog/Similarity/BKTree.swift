/// Hashes, ordered so that those near any other are found without looking at all.
///
/// A child stands behind the edge that is as long as its distance to its parent; by the triangle inequality only
/// edges about as long as the distance to the parent lead to near ones. Source: Burkhard and Keller, Some
/// Approaches to Best-Match File Searching, 1973.
struct BKTree: Sendable {
    private struct Node: Sendable {
        var hash: DifferenceHash
        /// The distance to the parent.
        var edge: Int
        var firstChild: Int?
        var nextSibling: Int?
    }

    private var nodes: [Node] = []

    /// How many different hashes there are.
    var count: Int { nodes.count }

    /// Adds a hash; its number, counted from 0 in the order of adding, or that which it has already.
    @discardableResult
    mutating func insert(_ hash: DifferenceHash) -> Int {
        guard !nodes.isEmpty else {
            nodes.append(Node(hash: hash, edge: 0))
            return 0
        }
        var index = 0
        while true {
            let distance = nodes[index].hash.distance(to: hash)
            if distance == 0 { return index }
            guard let child = child(of: index, at: distance) else {
                nodes.append(Node(hash: hash, edge: distance, nextSibling: nodes[index].firstChild))
                nodes[index].firstChild = nodes.count - 1
                return nodes.count - 1
            }
            index = child
        }
    }

    private func child(of parent: Int, at distance: Int) -> Int? {
        var next = nodes[parent].firstChild
        while let child = next {
            if nodes[child].edge == distance { return child }
            next = nodes[child].nextSibling
        }
        return nil
    }

    /// The numbers of all hashes that differ in so many bits at most, in no order.
    func numbers(within radius: Int, of hash: DifferenceHash) -> [Int] {
        guard !nodes.isEmpty else { return [] }
        var found: [Int] = []
        var waiting = [0]
        while let index = waiting.popLast() {
            let distance = nodes[index].hash.distance(to: hash)
            if distance <= radius { found.append(index) }
            var next = nodes[index].firstChild
            while let child = next {
                if abs(nodes[child].edge - distance) <= radius { waiting.append(child) }
                next = nodes[child].nextSibling
            }
        }
        return found
    }
}

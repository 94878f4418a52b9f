internal import GRDB

/// A perceptual hash of 64 bits: whether each of 8x8 cells is brighter than the next.
///
/// Scaled, compressed or toned versions of a picture differ in few bits. Source: Krawetz, Kind of Like That, 2013.
package struct DifferenceHash: Hashable, Sendable {
    package let bits: UInt64

    package init(bits: UInt64) { self.bits = bits }

    /// The size of the picture to hash.
    package static let size = (width: 9, height: 8)

    /// Creates a hash.
    ///
    /// - Parameter gray: 9x8 samples of luma, row by row.
    package init(gray: [UInt8]) {
        precondition(gray.count == Self.size.width * Self.size.height, "a hash needs 9x8 samples")
        var bits: UInt64 = 0
        for row in 0..<8 {
            for column in 0..<8 {
                let index = row * 9 + column
                bits = bits << 1 | (gray[index] > gray[index + 1] ? 1 : 0)
            }
        }
        self.bits = bits
    }

    /// Returns the number of bits in which two hashes differ.
    package func distance(to other: DifferenceHash) -> Int { (bits ^ other.bits).nonzeroBitCount }

    /// Whether the picture has too few features to compare: nearly all bits are equal.
    var isBlank: Bool { !(4...60).contains(bits.nonzeroBitCount) }
}

/// A tree of hashes that finds similar hashes without a scan.
///
/// The edge to a child is labeled with its distance to the parent; by the triangle inequality only edges close to the
/// distance of the query lead to similar hashes. Source: Burkhard and Keller, Some
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

    /// The number of different hashes.
    var count: Int { nodes.count }

    /// Inserts a hash and returns its number, from 0 in insertion order; existing hashes keep theirs.
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

    /// Returns the numbers of all hashes within a distance, unordered.
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

/// Digests of the pixels of a picture, independent of metadata.
package struct Fingerprint: Hashable, Sendable {
    /// SHA-256 of the size and of the upright sRGB pixels: 64 hexadecimal digits.
    package var pixels: String
    package var difference: DifferenceHash

    package init(pixels: String, difference: DifferenceHash) {
        self.pixels = pixels
        self.difference = difference
    }
}

/// Decodes pictures for the library, which does not decode itself.
package protocol FingerprintMaker: Sendable {
    /// Returns the fingerprint of a file; called on several threads, which it may block.
    func fingerprint(of path: String) throws -> Fingerprint
}

extension Fingerprint {
    /// Keyed by the digest of the file, so that it stays valid when the file is moved.
    static let table = """
        CREATE TABLE fingerprint (
            sha256 BLOB PRIMARY KEY, pixels BLOB NOT NULL, difference INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX fingerprintByPixels ON fingerprint(pixels);
        """
}

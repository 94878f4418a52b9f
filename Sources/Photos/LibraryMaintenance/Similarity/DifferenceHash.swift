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

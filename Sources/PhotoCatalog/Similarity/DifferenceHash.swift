/// What a picture looks like from afar in 64 bits: whether each of 8x8 places is brighter than the next.
///
/// Pictures that were scaled, compressed or toned differ in few bits. Source: Krawetz, Kind of Like That, 2013.
public struct DifferenceHash: Hashable, Sendable {
    public let bits: UInt64

    public init(bits: UInt64) { self.bits = bits }

    /// The pixels that a hash is made of.
    public static let size = (width: 9, height: 8)

    /// - Parameter gray: 9x8 samples of brightness, row by row.
    public init(gray: [UInt8]) {
        precondition(gray.count == Self.size.width * Self.size.height, "a hash is made of 9x8 pixels")
        var bits: UInt64 = 0
        for row in 0..<8 {
            for column in 0..<8 {
                let index = row * 9 + column
                bits = bits << 1 | (gray[index] > gray[index + 1] ? 1 : 0)
            }
        }
        self.bits = bits
    }

    /// In how many bits two hashes differ.
    public func distance(to other: DifferenceHash) -> Int { (bits ^ other.bits).nonzeroBitCount }

    /// Whether the picture has no features to be told by: nearly all bits are equal.
    var isBlank: Bool { !(4...60).contains(bits.nonzeroBitCount) }
}

internal import Basics
internal import Containers
package import ViewportGeometry

/// What a stream of AV1 states of its pictures.
///
/// Source: AV1 Bitstream & Decoding Process Specification, sections 5.3 and 5.5.
package struct AV1Sequence: Sendable {
    /// The greatest size of frames.
    package let size: PixelSize<StoredGrid>
    /// Whether frames of several sizes may follow, of which a file selects one.
    package let hasLayers: Bool
    /// The bits of a sample.
    package let depth: Int
    package let isMonochrome: Bool
    package let isFullRange: Bool
    /// The number of ITU-T H.273; 2 where none is stated.
    package let matrix: Int

    /// Reads the first sequence header of a stream, of which the rest may be missing; nil where there is none.
    package init?(stream: [UInt8]) {
        var at = 0
        while at < stream.count {
            let head = stream[at]
            at += head & 4 == 0 ? 1 : 2
            var length = max(0, stream.count - at)
            if head & 2 != 0 {
                var shift = 0
                length = 0
                while at < stream.count, shift < 35 {
                    let byte = stream[at]
                    length |= Int(byte & 0x7F) << shift
                    (at, shift) = (at + 1, shift + 7)
                    if byte & 0x80 == 0 { break }
                }
            }
            let end = min(at + length, stream.count)
            if head >> 3 & 15 == 1, at < end {
                self.init(header: StreamBits(Array(stream[at..<end])))
                return
            }
            at += length
        }
        return nil
    }

    private init?(header: StreamBits) {
        var bits = header
        let profile = bits.read(3)
        bits.skip(1)
        let isReduced = bits.read(1) == 1
        if isReduced { bits.skip(5) }
        hasLayers = !isReduced && Self.readsLayers(&bits)
        let (widthBits, heightBits) = (bits.read(4) + 1, bits.read(4) + 1)
        size = PixelSize(width: bits.read(widthBits) + 1, height: bits.read(heightBits) + 1)
        Self.skipTools(&bits, isReduced: isReduced)
        let isDeep = bits.read(1) == 1
        depth = isDeep ? (profile == 2 && bits.read(1) == 1 ? 12 : 10) : 8
        isMonochrome = profile != 1 && bits.read(1) == 1
        var numbers = [2, 2, 2]
        if bits.read(1) == 1 { numbers = (0..<3).map { _ in bits.read(8) } }
        matrix = numbers[2]
        // Red, green and blue of sRGB have the full range without a word.
        isFullRange = !isMonochrome && numbers == [1, 13, 0] || bits.read(1) == 1
        guard !bits.isExhausted else { return nil }
    }

    /// Reads times, operating points and delays; returns whether a point has several sizes.
    private static func readsLayers(_ bits: inout StreamBits) -> Bool {
        var delayLength: Int?
        if bits.read(1) == 1 {
            bits.skip(64)
            if bits.read(1) == 1 { _ = bits.readExponential() }
            if bits.read(1) == 1 {
                delayLength = bits.read(5) + 1
                bits.skip(42)
            }
        }
        let hasDelays = bits.read(1) == 1
        var hasLayers = false
        for _ in 0...bits.read(5) {
            // A bit for each size, and for each rate.
            if (bits.read(12) >> 8).nonzeroBitCount > 1 { hasLayers = true }
            if bits.read(5) > 7 { bits.skip(1) }
            if let delayLength, bits.read(1) == 1 { bits.skip(2 * delayLength + 1) }
            if hasDelays, bits.read(1) == 1 { bits.skip(4) }
        }
        return hasLayers
    }

    /// Skips the numbers of frames and the tools of the coder.
    private static func skipTools(_ bits: inout StreamBits, isReduced: Bool) {
        if !isReduced, bits.read(1) == 1 { bits.skip(7) }
        bits.skip(3)
        if !isReduced {
            bits.skip(4)
            let hasOrder = bits.read(1) == 1
            if hasOrder { bits.skip(2) }
            // 2 means that each frame says.
            let forced = bits.read(1) == 1 ? 2 : bits.read(1)
            if forced > 0, bits.read(1) == 0 { bits.skip(1) }
            if hasOrder { bits.skip(3) }
        }
        bits.skip(3)
    }

    /// The stream of an item, which counts before its configuration.
    init?(of item: HEIFItem, _ bytes: (Range<Int>?) -> [UInt8]) {
        if let sequence = AV1Sequence(stream: bytes(item.data.first)) {
            self = sequence
            return
        }
        self.init(stream: Array(bytes(item.properties.first { $0.type == "av1C" }?.box).dropFirst(12)))
    }
}

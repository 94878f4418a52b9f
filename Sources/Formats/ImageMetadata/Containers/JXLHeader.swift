internal import Basics
internal import Containers
internal import ViewportGeometry

/// The first bits of a JPEG XL codestream.
///
/// Source: ISO/IEC 18181-1, annexes D and E.
struct JXLHeader {
    /// The size before the orientation is applied.
    var size: PixelSize<StoredGrid>
    var orientation = Orientation.up
    /// What the codestream states of its colors; nil for sRGB, and for an ICC profile.
    private(set) var colors: CodedColors?

    init?(_ bytes: FileBytes) {
        guard bytes.isCodestream else { return nil }
        var bits = BitReader(bytes, at: 2)
        guard let size = Self.size(&bits) else { return nil }
        self.size = size
        // All others have their usual values.
        guard bits.take(1) == 0, let hasMore = bits.take(1) else { return }
        if hasMore == 1 {
            guard let value = bits.take(3) else { return }
            orientation = Orientation(exif: value + 1)
        }
        colors = Self.colors(&bits, hasMore: hasMore == 1)
    }

    /// Reads what follows the orientation.
    private static func colors(_ bits: inout BitReader, hasMore: Bool) -> CodedColors? {
        guard !hasMore || skipFrame(&bits), skipDepth(&bits), bits.take(1) != nil,
            let channels = bits.choice([(0, 0), (0, 1), (4, 2), (12, 1)]), channels <= mostChannels
        else { return nil }
        for _ in 0..<channels { guard skipChannel(&bits) else { return nil } }
        // Whether samples are coded as XYB; sRGB; an ICC profile.
        guard bits.take(1) != nil, bits.take(1) == 0, bits.take(1) == 0, let space = bits.enumeration(),
            space <= 1,
            let white = bits.enumeration(), white != 2 || bits.skipChromaticity(count: 1)
        else { return nil }
        // Gray has no primaries.
        let primaries = space == 1 ? 1 : bits.enumeration()
        guard let primaries, primaries != 2 || bits.skipChromaticity(count: 3), bits.take(1) == 0,
            let transfer = bits.enumeration(), bits.enumeration() != nil
        else { return nil }
        // The numbers are those of ITU-T H.273, but for the white of P3.
        var colors = CodedColors(
            primaries: primaries == 11 && white == 1 ? 12 : primaries, transfer: transfer, matrix: 0,
            isFullRange: true)
        colors.peak = hasMore && bits.take(1) == 0 ? bits.half() : usualPeak
        return [1, 11].contains(white) && primaries != 2 ? colors : nil
    }

    /// The brightest light in cd/m² where none is stated.
    private static let usualPeak = 255.0

    /// The most channels beside the colors.
    private static let mostChannels = 256

    /// Skips the size to show, the preview and the timing of an animation.
    private static func skipFrame(_ bits: inout BitReader) -> Bool {
        if bits.take(1) == 1 { guard size(&bits) != nil else { return false } }
        if bits.take(1) == 1 {
            let sides: [(Int, Int)] =
                bits.take(1) == 1
                ? [(0, 16), (0, 32), (5, 1), (9, 33)] : [(6, 1), (8, 65), (10, 321), (12, 1345)]
            guard bits.choice(sides) != nil, let ratio = bits.take(3) else { return false }
            if ratio == 0 { guard bits.choice(sides) != nil else { return false } }
        }
        if bits.take(1) == 1 {
            guard bits.choice([(0, 100), (0, 1000), (10, 1), (30, 1)]) != nil,
                bits.choice([(0, 1), (0, 1001), (8, 1), (10, 1)]) != nil,
                bits.choice([(0, 0), (3, 0), (16, 0), (32, 0)]) != nil
            else { return false }
            return bits.take(1) != nil
        }
        return true
    }

    private static func skipDepth(_ bits: inout BitReader) -> Bool {
        guard bits.take(1) == 1 else { return bits.choice([(0, 8), (0, 10), (0, 12), (6, 1)]) != nil }
        return bits.choice([(0, 32), (0, 16), (0, 24), (6, 1)]) != nil && bits.take(4) != nil
    }

    private static func skipChannel(_ bits: inout BitReader) -> Bool {
        guard bits.take(1) == 0 else { return true }
        guard let kind = bits.enumeration(), skipDepth(&bits),
            bits.choice([(0, 0), (0, 3), (0, 4), (3, 1)]) != nil,
            let name = bits.choice([(0, 0), (4, 0), (5, 16), (10, 48)])
        else { return false }
        for _ in 0..<name { guard bits.take(8) != nil else { return false } }
        switch kind {
        case 0: return bits.take(1) != nil
        case 2: return (0..<4).allSatisfy { _ in bits.take(16) != nil }
        case 5: return bits.choice([(0, 1), (2, 0), (4, 3), (8, 19)]) != nil
        default: return true
        }
    }

    private static func size(_ bits: inout BitReader) -> PixelSize<StoredGrid>? {
        guard let isSmall = bits.take(1), let height = side(&bits, isSmall == 1), let ratio = bits.take(3)
        else {
            return nil
        }
        if ratio > 0 {
            let (above, below) = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)][ratio - 1]
            return PixelSize(width: height * above / below, height: height)
        }
        return side(&bits, isSmall == 1).map { PixelSize(width: $0, height: height) }
    }

    private static func side(_ bits: inout BitReader, _ isSmall: Bool) -> Int? {
        if isSmall { return bits.take(5).map { ($0 + 1) * 8 } }
        guard let choice = bits.take(2) else { return nil }
        return bits.take([9, 13, 18, 30][choice]).map { $0 + 1 }
    }
}

/// Reads bits, the lowest bit of each byte first.
private struct BitReader {
    private let bytes: FileBytes
    /// The next byte to load.
    private var at: Int
    private var bits = 0
    private var count = 0

    init(_ bytes: FileBytes, at: Int) {
        self.bytes = bytes
        self.at = at
    }

    /// Returns the next bits, at most 32, as a number; nil if there are too few.
    mutating func take(_ width: Int) -> Int? {
        while count < width {
            guard let byte = bytes.uint8(at: at) else { return nil }
            bits |= byte << count
            count += 8
            at += 1
        }
        defer {
            bits >>= width
            count -= width
        }
        return bits & ((1 << width) - 1)
    }

    /// Reads a number by one of four codes: the bits of its width and what is added to them.
    mutating func choice(_ codes: [(width: Int, offset: Int)]) -> Int? {
        guard let code = take(2) else { return nil }
        return take(codes[code].width).map { $0 + codes[code].offset }
    }

    mutating func enumeration() -> Int? { choice([(0, 0), (0, 1), (4, 2), (6, 18)]) }

    mutating func skipChromaticity(count: Int) -> Bool {
        let codes = [(19, 0), (19, 1 << 19), (20, 1 << 20), (21, 1 << 21)]
        return (0..<(2 * count)).allSatisfy { _ in choice(codes) != nil }
    }

    /// Reads a number of 16 bits in floating point.
    mutating func half() -> Double? {
        guard let bits = take(16) else { return nil }
        let (exponent, fraction) = (bits >> 10 & 31, Double(bits & 1023) / 1024)
        let value =
            exponent == 0
            ? fraction / 16384 : (1 + fraction) * Double(sign: .plus, exponent: exponent - 15, significand: 1)
        return bits >> 15 == 1 || exponent == 31 ? nil : value
    }
}

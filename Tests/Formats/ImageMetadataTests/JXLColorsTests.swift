import Containers
import Files
import TestSupport
import Testing

@testable import ImageMetadata

/// Headers of JPEG XL codestreams, made bit by bit.
@Suite("The colors of a JPEG XL")
struct JXLColorsTests {
    /// Bits, the lowest of each byte first.
    private struct Bits {
        var bytes: [UInt8] = [0xFF, 0x0A]
        private var count = 0

        mutating func put(_ value: Int, _ width: Int) {
            for bit in 0..<width {
                if count % 8 == 0 { bytes.append(0) }
                bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(count % 8)
                count += 1
            }
        }

        /// A number from 2 to 17 of an enumeration, or 0 or 1.
        mutating func put(enumeration value: Int) {
            put(value < 2 ? value : value < 18 ? 2 : 3, 2)
            if value >= 2 { put(value < 18 ? value - 2 : value - 18, value < 18 ? 4 : 6) }
        }
    }

    /// Returns a header of 8x8 pixels.
    ///
    /// - Parameters:
    ///   - peak: "intensity_target" as a number of 16 bits in floating point; nil where it is not stated.
    ///   - isAnimated: whether the fields before the colors are there: preview, animation, alpha with a name.
    private static func header(
        primaries: Int, white: Int = 1, transfer: Int, peak: Int?, isAnimated: Bool = false,
        isGray: Bool = false
    ) -> [UInt8] {
        var bits = Bits()
        // Small, eight rows, square; not all default; more fields; upright.
        for (value, width) in [(1, 1), (0, 5), (1, 3), (0, 1), (1, 1), (0, 3)] { bits.put(value, width) }
        if isAnimated {
            // Another size to show, a preview of 16x16, ten frames per second forever.
            for (value, width) in [(1, 1), (1, 1), (3, 5), (1, 3)] { bits.put(value, width) }
            for (value, width) in [(1, 1), (1, 1), (0, 2), (1, 3)] { bits.put(value, width) }
            for (value, width) in [(1, 1), (2, 2), (9, 10), (0, 2), (0, 2), (0, 1)] { bits.put(value, width) }
            // 12 bits; buffers of 32 bits; two more channels: alpha with a name, and a usual one.
            for (value, width) in [(0, 1), (2, 2), (0, 1), (2, 2), (0, 4)] { bits.put(value, width) }
            bits.put(0, 1)
            bits.put(enumeration: 0)
            for (value, width) in [(0, 1), (0, 2), (0, 2), (1, 2), (2, 4), (65, 8), (66, 8), (1, 1)] {
                bits.put(value, width)
            }
            bits.put(1, 1)
        } else {
            // No size, preview or animation; 8 bits; no more channels.
            for (value, width) in [(0, 3), (0, 1), (0, 2), (1, 1), (0, 2)] { bits.put(value, width) }
        }
        // Not XYB, not sRGB, no profile.
        bits.put(0, 3)
        bits.put(enumeration: isGray ? 1 : 0)
        bits.put(enumeration: white)
        if !isGray { bits.put(enumeration: primaries) }
        bits.put(0, 1)
        bits.put(enumeration: transfer)
        bits.put(enumeration: 1)
        bits.put(peak == nil ? 1 : 0, 1)
        if let peak { bits.put(peak, 16) }
        bits.put(0, 64)
        return bits.bytes
    }

    /// 4000 and 1000 in floating point of 16 bits.
    private static let halves = [(0x6BD0, 4000.0), (0x63D0, 1000.0)]

    private static func boxed(_ codestream: [UInt8], isDivided: Bool) -> [UInt8] {
        let start =
            box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]) + box("ftyp", text("jxl "), big(0, 4), text("jxl "))
        return start + (isDivided ? box("jxlp", big(0, 4), codestream) : box("jxlc", codestream))
    }

    @Test("with PQ have the stated light of the brightest sample", arguments: [true, false])
    func peak(_ isAnimated: Bool) throws {
        for (primaries, white, number) in [(9, 1, 9), (11, 1, 12), (11, 11, 11), (1, 1, 1)] {
            let usual = CodedColors(primaries: number, transfer: 16, matrix: 0, isFullRange: true).profile
            for (half, light) in Self.halves {
                let stream = Self.header(
                    primaries: primaries, white: white, transfer: 16, peak: half, isAnimated: isAnimated)
                for file in [
                    stream, Self.boxed(stream, isDivided: false), Self.boxed(stream, isDivided: true),
                ] {
                    let bytes = JXLColors(FileBytes(file)).profile(embedded: usual, isGray: false)
                    let profile = try #require(bytes.flatMap(ICCProfile.init))
                    #expect(profile.highDynamicRange == HighDynamicRange(.pq, peak: light))
                    #expect(profile.numbers?.primaries == number)
                }
            }
        }
    }

    @Test("with PQ have the usual light of JPEG XL where none is stated, also gray")
    func unstated() throws {
        let usual = CodedColors(primaries: 9, transfer: 16, matrix: 0, isFullRange: true).profile(
            isGray: true)
        let file = Self.header(primaries: 1, transfer: 16, peak: nil, isGray: true)
        let bytes = JXLColors(FileBytes(file)).profile(embedded: usual, isGray: true)
        #expect(bytes.flatMap(ICCProfile.init)?.highDynamicRange == HighDynamicRange(.pq, peak: 255))
    }

    @Test("of other transfer functions, and those that the decoder has converted, keep the decoder's profile")
    func others() {
        let hlg = CodedColors(primaries: 9, transfer: 18, matrix: 0, isFullRange: true).profile
        let file = Self.header(primaries: 9, transfer: 18, peak: 0x6BD0)
        #expect(JXLColors(FileBytes(file)).profile(embedded: hlg, isGray: false) == hlg)
        let pq = Self.header(primaries: 9, transfer: 16, peak: 0x6BD0)
        #expect(JXLColors(FileBytes(pq)).profile(embedded: nil, isGray: false) == nil)
        #expect(JXLColors(FileBytes(pq)).profile(embedded: hlg, isGray: false) == hlg)
        for end in pq.indices { _ = JXLColors(FileBytes(Array(pq[..<end]))) }
    }
}

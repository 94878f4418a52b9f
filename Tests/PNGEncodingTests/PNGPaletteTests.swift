import PNGEncoding
import Testing

@Suite("A PNG palette")
struct PNGPaletteTests {
    /// An image of exactly `count` colors, each of which stands in many pixels.
    static func image(colors count: Int, channels: PNGFormat.Channels, alpha: UInt8) -> (PNGFormat, [UInt8]) {
        let format = PNGFormat(width: 120, height: 130, channels: channels)
        var generator = Xorshift(state: 3)
        var pixels: [UInt8] = []
        for index in 0..<(120 * 130) {
            let color = index < count ? index : Int(generator.next() >> 33) % count
            pixels += [UInt8(color & 255), UInt8(color >> 8) &* 90, UInt8((color * 37) & 255)]
            if channels == .rgba { pixels.append(color == 0 ? alpha : 255) }
        }
        return (format, pixels)
    }

    @Test(
        "is used up to 256 colors, with the fewest bits that hold them",
        arguments: [(1, 1), (2, 1), (3, 2), (4, 2), (5, 4), (16, 4), (17, 8), (255, 8), (256, 8)])
    func depths(_ colors: Int, _ bits: Int) throws {
        for channels in [PNGFormat.Channels.rgb, .rgba] {
            let (format, pixels) = Self.image(colors: colors, channels: channels, alpha: 100)
            let file = try PNGEncoder().encode(pixels.span, as: format)
            let decoded = DecodedPNG(file, channels: channels.rawValue)
            #expect(decoded.colorType == 3)
            #expect(decoded.bitDepth == bits)
            #expect(decoded.pixels == pixels)
        }
    }

    @Test("is not used for 257 colors")
    func tooMany() throws {
        let (format, pixels) = Self.image(colors: 257, channels: .rgb, alpha: 255)
        let decoded = DecodedPNG(try PNGEncoder().encode(pixels.span, as: format), channels: 3)
        #expect(decoded.colorType == 2)
        #expect(decoded.pixels == pixels)
    }

    @Test("is not used where it would be larger")
    func tooSmall() throws {
        let format = PNGFormat(width: 3, height: 3, channels: .rgb)
        let pixels = TestPixels.noise.bytes(format)
        let decoded = DecodedPNG(try PNGEncoder().encode(pixels.span, as: format), channels: 3)
        #expect(decoded.colorType == 2)
        #expect(decoded.pixels == pixels)
    }
}

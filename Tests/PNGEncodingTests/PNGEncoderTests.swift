import PNGEncoding
import Testing

@Suite("A PNG encoder")
struct PNGEncoderTests {
    /// Every kind of pixels with every depth.
    static let kinds: [PNGFormat] = PNGFormat.Channels.allCases.flatMap { channels in
        PNGFormat.BitDepth.allCases.map {
            PNGFormat(width: 61, height: 47, channels: channels, bitDepth: $0)
        }
    }

    @Test("writes what libpng reads back", arguments: kinds, PNGEncoder.Level.allCases)
    func roundTrip(_ format: PNGFormat, _ level: PNGEncoder.Level) throws {
        for content in TestPixels.allCases {
            let pixels = content.bytes(format)
            let file = try PNGEncoder(level: level).encode(pixels.span, as: format)
            let decoded = DecodedPNG(file, channels: format.channels.rawValue)
            #expect(decoded.pixels == pixels, "\(content)")
            #expect(decoded.width == format.width && decoded.height == format.height)
            #expect(decoded.isSRGB)
        }
    }

    @Test("writes images of any shape", arguments: [(1, 1), (1, 300), (300, 1), (2, 2), (33, 7), (257, 129)])
    func shapes(_ width: Int, _ height: Int) throws {
        for channels in PNGFormat.Channels.allCases {
            let format = PNGFormat(width: width, height: height, channels: channels)
            let pixels = TestPixels.photograph.bytes(format)
            let file = try PNGEncoder().encode(pixels.span, as: format)
            #expect(DecodedPNG(file, channels: channels.rawValue).pixels == pixels, "\(channels)")
        }
    }

    @Test(
        "gives the same bytes with one and two threads, and libpng reads them back",
        arguments: TestPixels.allCases)
    func threads(_ content: TestPixels) throws {
        // Above 1 MiB, so that it is compressed in two bands.
        for format in [
            PNGFormat(width: 640, height: 560, channels: .rgb),
            PNGFormat(width: 400, height: 350, channels: .rgba, bitDepth: .sixteen),
        ] {
            let pixels = content.bytes(format)
            let one = try PNGEncoder(threads: 1).encode(pixels.span, as: format)
            let two = try PNGEncoder(threads: 2).encode(pixels.span, as: format)
            #expect(one == two)
            #expect(DecodedPNG(two, channels: format.channels.rawValue).pixels == pixels)
        }
    }

    @Test("opens a band that ends anywhere in a byte", arguments: 0..<24)
    func bandEnds(_ seed: Int) throws {
        let format = PNGFormat(width: 1024, height: 1024 + seed, channels: .gray)
        var pixels = [UInt8](repeating: 7, count: 1024 * (1024 + seed))
        for index in 0...seed { pixels[(index * 48271) % pixels.count] = UInt8(index) }
        for level in [PNGEncoder.Level.fast, .small] {
            let file = try PNGEncoder(level: level, threads: 2).encode(pixels.span, as: format)
            #expect(DecodedPNG(file, channels: 1).pixels == pixels)
        }
    }

    @Test("is smaller at `small` than at `fast`, and at `fast` than at `store`")
    func levels() throws {
        let format = PNGFormat(width: 300, height: 200, channels: .rgb)
        let pixels = TestPixels.photograph.bytes(format)
        let sizes = try [PNGEncoder.Level.small, .fast, .store].map {
            try PNGEncoder(level: $0).encode(pixels.span, as: format).count
        }
        #expect(sizes[0] < sizes[1] && sizes[1] < sizes[2])
    }
}

import PNGEncoding
import Testing

@Suite("A PNG encoder")
struct PNGEncoderTests {
    /// All channels with all bit depths.
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
        // Above 1 MiB, so that it is compressed in two strips.
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

    @Test("continues after a strip that ends at any bit of a byte", arguments: 0..<24)
    func bandEnds(_ seed: Int) throws {
        let format = PNGFormat(width: 1024, height: 1024 + seed, channels: .gray)
        var pixels = [UInt8](repeating: 7, count: 1024 * (1024 + seed))
        for index in 0...seed { pixels[(index * 48271) % pixels.count] = UInt8(index) }
        for level in PNGEncoder.Level.allCases.filter({ $0 != .store && ($0 != .small || seed < 3) }) {
            let file = try PNGEncoder(level: level, threads: 2).encode(pixels.span, as: format)
            #expect(DecodedPNG(file, channels: 1).pixels == pixels)
        }
    }

    @Test("accepts rows with gaps and BGR samples, and writes the same file", arguments: kinds)
    func layouts(_ format: PNGFormat) throws {
        for content in TestPixels.allCases {
            let pixels = content.bytes(format)
            let expected = try PNGEncoder().encode(pixels.span, as: format)
            let rowBytes = format.width * format.bytesPerPixel
            let sampleBytes = format.bitDepth.rawValue / 8
            // Gaps with other bytes, none after the last row.
            var spread: [UInt8] = []
            for y in 0..<format.height {
                if y > 0 { spread += [UInt8](repeating: UInt8(truncatingIfNeeded: y), count: 7) }
                spread += pixels[(y * rowBytes)..<((y + 1) * rowBytes)]
            }
            #expect(try PNGEncoder().encode(spread.span, as: format, bytesPerRow: rowBytes + 7) == expected)
            var blueFirst = format
            blueFirst.sampleOrder = .bgr
            var swapped = pixels
            if format.channels.rawValue >= 3 {
                for pixel in stride(from: 0, to: pixels.count, by: format.bytesPerPixel) {
                    for byte in 0..<sampleBytes {
                        swapped.swapAt(pixel + byte, pixel + 2 * sampleBytes + byte)
                    }
                }
            }
            #expect(try PNGEncoder().encode(swapped.span, as: blueFirst) == expected, "\(content)")
        }
    }

    @Test("throws for sizes, rows and buffers that do not match")
    func hostileFormats() {
        var generator = Xorshift(state: 11)
        let numbers = [0, 1, -1, 2, 3, 7, 4096, 0x7FFF_FFFF, 0x8000_0000, .max, .min, .max / 2]
        func number() -> Int { numbers[Int(generator.next() >> 33) % numbers.count] }
        let pixels = [UInt8](repeating: 9, count: 4096)
        var written = 0
        for _ in 0..<2000 {
            let format = PNGFormat(
                width: number(), height: number(),
                channels: PNGFormat.Channels.allCases[Int(generator.next() >> 33) % 4],
                bitDepth: PNGFormat.BitDepth.allCases[Int(generator.next() >> 33) % 2])
            let bytesPerRow = generator.next() >> 63 == 0 ? nil : number()
            let file = try? PNGEncoder(threads: number()).encode(
                pixels.span, as: format, bytesPerRow: bytesPerRow)
            if let file { written += DecodedPNG(file, channels: format.channels.rawValue).height > 0 ? 1 : 0 }
        }
        #expect(written > 10)
        let small = PNGFormat(width: 2, height: 2, channels: .rgb)
        #expect(throws: PNGEncodingError.rowsOverlap(bytesPerRow: 5, minimum: 6)) {
            try PNGEncoder().encode(pixels.span, as: small, bytesPerRow: 5)
        }
        #expect(throws: PNGEncodingError.sizeMismatch(expected: 14, actual: 13)) {
            try PNGEncoder().encode(pixels.span.extracting(0..<13), as: small, bytesPerRow: 8)
        }
    }

    @Test(
        "refuses frame rates that are not positive numbers",
        arguments: [0, -1, Double.nan, Double.infinity, -Double.infinity] as [Double])
    func frameRates(_ rate: Double) {
        var animation = AnimatedPNG(
            PNGFormat(width: 1, height: 1, channels: .gray), framesPerSecond: rate)
        #expect(throws: PNGEncodingError.self) { try animation.append([UInt8(0)].span) }
        #expect(throws: PNGEncodingError.self) { try animation.finished() }
    }

    @Test("clamps frame rates to the supported range", arguments: [1e-300, 0.001, 24, 1e9])
    func extremeFrameRates(_ rate: Double) throws {
        var animation = AnimatedPNG(
            PNGFormat(width: 1, height: 1, channels: .gray), framesPerSecond: rate)
        try animation.append([UInt8(0)].span)
        #expect(DecodedPNG(try animation.finished(), channels: 1).pixels == [0])
    }

    @Test("is smaller at `small` than at `standard`, and at `standard` and `fast` than at `store`")
    func levels() throws {
        let format = PNGFormat(width: 300, height: 200, channels: .rgb)
        let pixels = TestPixels.photograph.bytes(format)
        let sizes = try [PNGEncoder.Level.small, .standard, .store, .fast].map {
            try PNGEncoder(level: $0).encode(pixels.span, as: format).count
        }
        #expect(sizes[0] < sizes[1] && sizes[1] < sizes[2] && sizes[3] < sizes[2])
    }
}

@Suite("A PNG palette")
struct PNGPaletteTests {
    /// Returns an image of exactly `count` colors, each in many pixels.
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
        "is used for up to 256 colors, with as few bits as possible",
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

    @Test("is not used if the file would be larger")
    func tooSmall() throws {
        let format = PNGFormat(width: 3, height: 3, channels: .rgb)
        let pixels = TestPixels.noise.bytes(format)
        let decoded = DecodedPNG(try PNGEncoder().encode(pixels.span, as: format), channels: 3)
        #expect(decoded.colorType == 2)
        #expect(decoded.pixels == pixels)
    }
}

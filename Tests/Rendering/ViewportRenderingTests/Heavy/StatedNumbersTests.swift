import Basics
import Foundation
import ImageMetadata
import PictureEncoding
import TestSupport
import Testing
import ViewportGeometry
import ViewportRendering
import Vips

/// Colors that files state by numbers: PNG's cICP, gAMA and cHRM, and "nclx" of HEIF and AVIF.
@Suite("Colors stated by numbers")
struct StatedNumbersTests {
    typealias Chunk = (type: String, body: [UInt8])

    /// Returns a PNG of one row of pixels with chunks before its image data.
    static func png(_ pixels: [[Int]], depth: UInt8 = 8, _ chunks: [Chunk]) -> [UInt8] {
        var maker = PNGMaker(pixels[0].count == 1 ? 0 : 2, depth)
        (maker.width, maker.height, maker.extra) = (pixels.count, 1, chunks)
        let row = pixels.joined().flatMap { depth == 8 ? [UInt8($0)] : [UInt8($0 >> 8), UInt8($0 & 255)] }
        return maker.file(stream: PNGMaker.compress([0] + row, level: 6))
    }

    static func cicp(_ numbers: UInt8...) -> Chunk { ("cICP", numbers) }
    private static func gamma(_ value: UInt32) -> Chunk { ("gAMA", value.bytes(.big)) }
    private static func chromaticities(_ values: [UInt32]) -> Chunk {
        ("cHRM", values.flatMap { $0.bytes(.big) })
    }
    private static let chromaticitiesOfSRGB = chromaticities([
        31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000,
    ])
    private static let chromaticitiesOfP3 = chromaticities([
        31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000,
    ])

    /// Returns the pixels of a file in memory at 1:1.
    static func pixels(
        _ file: [UInt8], _ change: (inout RenderOptions) -> Void = { _ in }
    ) throws -> [[Int]] {
        let picture = try Self.picture(file, change)
        var samples = picture.bytes.map { Int($0) }
        if picture.depth == 16 {
            samples = stride(from: 0, to: samples.count, by: 2).map { at in
                samples[at] + 256 * samples[at + 1]
            }
        }
        return stride(from: 0, to: samples.count, by: picture.bands).map {
            Array(samples[$0..<($0 + picture.bands)])
        }
    }

    private static func picture(
        _ bytes: [UInt8], _ change: (inout RenderOptions) -> Void = { _ in }
    ) throws -> Picture {
        let file = try ImageFile(bytes: bytes)
        var options = RenderOptions()
        change(&options)
        let viewport = Viewport(imageRect: Rect(origin: .zero, size: file.uprightSize.imageSize), scale: 1)
        return try ViewportRenderer(options: options).renderSynchronously(viewport, of: file).picture
    }

    private static func expect(_ got: [[Int]], _ wanted: [[Int]], within tolerance: Int, _ name: String) {
        #expect(got.count == wanted.count)
        for (pixel, expected) in zip(got, wanted) {
            let isNear = zip(pixel, expected).allSatisfy { abs($0 - $1) <= tolerance }
            #expect(isNear && pixel.count == expected.count, "\(name): \(pixel) instead of \(expected)")
        }
    }

    private static let colors = [
        [255, 0, 0], [0, 255, 0], [128, 128, 128], [200, 100, 50], [40, 160, 220],
    ]

    /// What Chromium 156 shows of `colors`.
    private static let shown: [(name: String, chunks: [Chunk], colors: [[Int]])] = [
        ("Display P3", [cicp(12, 13, 0, 1)], [[215, 93, 31], [0, 163, 226]]),
        ("BT.2020", [cicp(9, 13, 0, 1)], [[241, 76, 29], [0, 168, 227]]),
        ("linear", [cicp(1, 8, 0, 1)], [[229, 168, 122], [110, 208, 239]]),
        ("BT.709", [cicp(1, 1, 0, 1)], [[197, 91, 39], [28, 155, 218]]),
        ("gamma 2.2", [cicp(1, 4, 0, 1)], [[201, 100, 46], [35, 161, 221]]),
        ("gamma 2.8", [cicp(1, 5, 0, 1)], [[189, 76, 26], [17, 142, 212]]),
        ("SMPTE 240", [cicp(1, 7, 0, 1)], [[206, 115, 68], [58, 170, 224]]),
        ("xvYCC", [cicp(1, 11, 0, 1)], [[197, 91, 39], [28, 155, 218]]),
        ("SMPTE ST 428", [cicp(1, 17, 0, 1)], [[200, 87, 34], [23, 154, 224]]),
        ("sRGB", [cicp(1, 13, 0, 1)], [[200, 100, 50], [40, 160, 220]]),
        ("primaries of XYZ", [cicp(10, 13, 0, 1)], [[255, 0, 61], [0, 217, 225]]),
        (
            "cICP before sRGB, gAMA and cHRM",
            [
                ("sRGB", [0]), gamma(45455), chromaticitiesOfSRGB, cicp(12, 13, 0, 1),
            ], [[215, 93, 31], [0, 163, 226]]
        ),
        (
            "an unknown transfer function", [cicp(12, 9, 0, 1), ("sRGB", [0])],
            [[200, 100, 50], [40, 160, 220]]
        ),
        ("another matrix", [cicp(12, 13, 1, 1)], [[200, 100, 50], [40, 160, 220]]),
        ("gAMA of light", [gamma(100_000)], [[229, 168, 122], [110, 208, 239]]),
        ("gAMA of sRGB", [gamma(45455)], [[200, 100, 50], [40, 160, 220]]),
        ("gAMA and cHRM of sRGB", [gamma(45455), chromaticitiesOfSRGB], [[201, 100, 46], [35, 161, 221]]),
        ("gAMA and cHRM of P3", [gamma(45455), chromaticitiesOfP3], [[216, 93, 24], [0, 164, 227]]),
        ("gAMA of 1.8", [gamma(55555)], [[210, 119, 65], [53, 176, 227]]),
        ("sRGB before gAMA", [("sRGB", [0]), gamma(100_000)], [[200, 100, 50], [40, 160, 220]]),
        ("cHRM alone", [chromaticitiesOfP3], [[200, 100, 50], [40, 160, 220]]),
        ("gAMA of 0", [gamma(0)], [[200, 100, 50], [40, 160, 220]]),
    ]

    @Test("of a PNG are those that browsers show", arguments: shown.map(\.name))
    func png(_ name: String) throws {
        let entry = try #require(Self.shown.first { $0.name == name })
        for depth: UInt8 in [8, 16] {
            let samples = Self.colors.suffix(2).map { $0.map { depth == 8 ? $0 : $0 * 257 } }
            let file = Self.png(samples, depth: depth, entry.chunks)
            Self.expect(try Self.pixels(file), entry.colors, within: 2, "\(name), \(depth) bits")
        }
    }

    @Test("with a transfer function of SMPTE have the light of its formula", arguments: [7, 17] as [UInt8])
    func formulas(_ transfer: UInt8) throws {
        let samples = [0, 5, 20, 23, 24, 60, 128, 200, 250, 255]
        let wanted = samples.map { sample -> [Int] in
            let value = Double(sample) / 255
            let light =
                transfer == 17
                ? min(52.37 / 48 * pow(value, 2.6), 1)
                : value < 0.0912 ? value / 4 : pow((value + 0.1115) / 1.1115, 1 / 0.45)
            let shown = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
            return [Int((255 * shown).rounded())]
        }
        let gray = Self.png(samples.map { [$0] }, [Self.cicp(1, transfer, 0, 1)])
        Self.expect(try Self.pixels(gray).map { [$0[0]] }, wanted, within: 1, "\(transfer), gray")
        let colors = Self.png(samples.map { [$0, $0, $0] }, [Self.cicp(1, transfer, 0, 1)])
        Self.expect(
            try Self.pixels(colors), wanted.map { [$0[0], $0[0], $0[0]] }, within: 1, "\(transfer)")
    }

    @Test("hold for interlaced PNGs, which libvips reads")
    func interlaced() throws {
        // One pixel has one pass.
        var file = Self.png([[200, 100, 50]], [Self.cicp(12, 13, 0, 1)])
        file[28] = 1
        file.replaceSubrange(29..<33, with: PNGMaker.checksum(Array(file[12..<29])).bytes(.big))
        Self.expect(try Self.pixels(file), [[215, 93, 31]], within: 2, "interlaced")
    }

    @Test("hold for gray, and limited range is widened")
    func gray() throws {
        let light = try Self.pixels(Self.png([[128], [30]], [Self.gamma(100_000)]))
        Self.expect(light.map { [$0[0]] }, [[188], [96]], within: 2, "gray light")
        let limited = Self.png([[0], [16], [126], [235], [255]], [Self.cicp(1, 13, 0, 0)])
        Self.expect(
            try Self.pixels(limited).map { [$0[0]] }, [[0], [0], [128], [255], [255]], within: 0, "limited")
        let wide = Self.png([[4096, 60160, 32128]], depth: 16, [Self.cicp(1, 13, 0, 0)])
        Self.expect(try Self.pixels(wide) { $0.depth = 16 }, [[0, 65535, 32768]], within: 1, "16 bits")
    }

    // MARK: High dynamic range

    /// Samples of PQ and HLG in BT.2020, and their pixels by BT.2390 with a peak of 1000 cd/m², computed apart.
    private static let hdr: [(transfer: UInt8, colors: [(sample: [Double], shown: [Int])])] = [
        (
            16,
            [
                ([0, 0, 0], [0, 0, 0]), ([0.25, 0.25, 0.25], [44, 44, 44]),
                ([0.5, 0.5, 0.5], [180, 180, 180]),
                ([0.58, 0.58, 0.58], [229, 229, 229]), ([0.65, 0.65, 0.65], [249, 249, 249]),
                ([1, 1, 1], [255, 255, 255]), ([0.58, 0.3, 0.2], [255, 0, 0]),
                ([0.2, 0.5, 0.3], [0, 190, 25]),
            ]
        ),
        (
            18,
            [
                ([0, 0, 0], [0, 0, 0]), ([0.25, 0.25, 0.25], [61, 61, 61]),
                ([0.5, 0.5, 0.5], [137, 137, 137]),
                ([0.75, 0.75, 0.75], [229, 229, 229]), ([1, 1, 1], [255, 255, 255]),
                ([0.58, 0.3, 0.2], [184, 65, 45]), ([0.2, 0.5, 0.3], [0, 140, 75]),
            ]
        ),
    ]

    private static func hdrPNG(_ transfer: UInt8, _ samples: [[Double]], _ more: [Chunk] = []) -> [UInt8] {
        png(
            samples.map { $0.map { Int(($0 * 65535).rounded()) } }, depth: 16,
            [cicp(9, transfer, 0, 1)] + more)
    }

    @Test("are mapped to SDR for PQ and HLG", arguments: [16, 18] as [UInt8])
    func mapped(_ transfer: UInt8) throws {
        let colors = try #require(Self.hdr.first { $0.transfer == transfer }).colors
        let file = Self.hdrPNG(transfer, colors.map(\.sample))
        Self.expect(try Self.pixels(file), colors.map(\.shown), within: 1, "\(transfer)")
        let deep = try Self.pixels(file) { $0.depth = 16 }
        Self.expect(deep, colors.map { $0.shown.map { $0 * 257 } }, within: 257, "\(transfer), 16 bits")
        let gray = Self.hdrPNG(transfer, colors.map { [$0.sample[0]] }.filter { $0 != [0.58] && $0 != [0.2] })
        Self.expect(
            try Self.pixels(gray),
            colors.filter { $0.sample[0] == $0.sample[1] && $0.sample[0] != 0.58 }.map { [$0.shown[0]] },
            within: 1, "\(transfer), gray")
        let p3 = try Self.picture(file) { $0.colorMode = .p3 }
        #expect(p3.profile.flatMap(ICCProfile.init)?.isDisplayP3 == true)
    }

    @Test("give transfer function and peak, which a file may state")
    func peak() throws {
        func range(_ file: [UInt8]) throws -> HighDynamicRange? {
            try ImageFile(bytes: file).profile?.highDynamicRange
        }
        let gray = [[0.58, 0.58, 0.58], [0.75, 0.75, 0.75]]
        #expect(try range(Self.hdrPNG(16, gray)) == HighDynamicRange(.pq))
        #expect(try range(Self.hdrPNG(18, gray)) == HighDynamicRange(.hlg))
        #expect(try range(Self.png(Self.colors, [Self.cicp(12, 13, 0, 1)])) == nil)
        let content: Chunk = ("cLLI", UInt32(40_000_000).bytes(.big) + UInt32(4_000_000).bytes(.big))
        let bright = Self.hdrPNG(16, gray, [content])
        #expect(try range(bright) == HighDynamicRange(.pq, peak: 4000))
        Self.expect(
            try Self.pixels(bright), [[208, 208, 208], [250, 250, 250]], within: 1, "4000 cd/m²")
        let display: Chunk = (
            "mDCV", [UInt8](repeating: 0, count: 16) + UInt32(20_000_000).bytes(.big) + [0, 0, 0, 1]
        )
        #expect(try range(Self.hdrPNG(16, gray, [display]))?.peak == 2000)
        #expect(try range(Self.hdrPNG(16, gray, [display, content]))?.peak == 4000)
    }

    @Test("are kept where pixels are kept, and no PNG says sRGB in vain")
    func copies() throws {
        func chunk(_ type: String, in file: [UInt8]) -> [UInt8]? {
            let name = Array(type.utf8)
            let at = file.indices.dropLast(3).first { Array(file[$0..<($0 + 4)]) == name }
            return at.map { Array(file[($0 + 4)...].prefix(file.uint32(at: $0 - 4) ?? 0)) }
        }
        for numbers: [UInt8] in [[12, 13, 0, 1], [9, 16, 0, 1], [9, 18, 0, 1], [1, 8, 0, 1]] {
            let file = Self.png(Self.colors, [("cICP", numbers)])
            let kept = try Self.picture(file) { $0.colorMode = .keep }
            #expect(kept.bytes == Self.colors.joined().map(UInt8.init))
            let copy = try PictureEncoder(.png).encodeSynchronously(kept)
            #expect(chunk("cICP", in: copy) == numbers && chunk("sRGB", in: copy) == nil)
            #expect(try Self.pixels(copy) == Self.pixels(file), "\(numbers)")
            let shown = try PictureEncoder(.png).encodeSynchronously(Self.picture(file))
            #expect(chunk("cICP", in: shown) == nil && chunk("sRGB", in: shown) != nil)
        }
        let light = Self.png(Self.colors, [Self.gamma(100_000)])
        let copy = try PictureEncoder(.png).encodeSynchronously(
            Self.picture(light) { $0.colorMode = .keep })
        #expect(chunk("iCCP", in: copy) != nil && chunk("sRGB", in: copy) == nil)
        #expect(try Self.pixels(copy) == Self.pixels(light))
    }

    @Test(
        "of AVIF are mapped, with numbers alone and with a profile",
        .enabled(if: PictureFormat.installed.contains(.avif)), arguments: [16, 18] as [UInt8])
    func avif(_ transfer: UInt8) throws {
        let gray = [0, 64, 128, 148, 191, 255]
        // AV1 wants some pixels of each color.
        let pixels = gray.flatMap { value in (0..<16).map { _ in [value, value, value] } }
        let rows = (0..<16).flatMap { _ in pixels }
        let profile = CodedColors(
            primaries: 9, transfer: Int(transfer), matrix: 0, isFullRange: true
        ).profile
        let picture = Picture(
            size: PixelSize(width: pixels.count, height: 16), bands: 3, depth: 8, hasAlpha: false,
            profile: profile, interpretation: "srgb", bytes: rows.joined().map { UInt8($0) })
        let file = try PictureEncoder(.avif, quality: 100).encodeSynchronously(picture)
        let bare = try #require(
            HEIFCopy.of(file, primaries: 9, transfer: Int(transfer), profile: nil))
        let wanted = try Self.pixels(Self.png(gray.map { [$0, $0, $0] }, [Self.cicp(9, transfer, 0, 1)]))
        for (name, bytes) in [("with a profile", file), ("numbers", bare)] {
            let range = try ImageFile(bytes: bytes).profile?.highDynamicRange
            #expect(range?.transfer == (transfer == 16 ? .pq : .hlg))
            let shown = try Self.pixels(bytes)
            Self.expect(gray.indices.map { shown[16 * $0 + 8] }, wanted, within: 4, name)
        }
    }

    // MARK: Floats

    /// Returns a TIFF of floats with a profile; values are gray.
    private static func floats(_ values: [Float], primaries: Int?, transfer: Int, alpha: Float? = nil) throws
        -> [UInt8]
    {
        let profile = primaries.flatMap {
            CodedColors(primaries: $0, transfer: transfer, matrix: 0, isFullRange: true).profile
        }
        let samples = values.flatMap { [$0, $0, $0] + [alpha].compactMap(\.self) }
        let bytes = samples.flatMap { $0.bitPattern.bytes(.little) }
        let image = try VipsImage.pixels(
            bytes, width: values.count, height: 1, bands: alpha == nil ? 3 : 4, format: .float32,
            interpretation: "scrgb")
        return try image.withoutMetadata(profile: profile).saved(with: "tiffsave_buffer", [:])
    }

    @Test("do not make floats with a profile of light black", arguments: [1, 9, 12])
    func light(_ primaries: Int) throws {
        let values: [Float] = [0, 1, 0.18, 0.5, 0.25, 0.75, 0.05, 2]
        let wanted = [0, 255, 118, 188, 137, 225, 63, 255].map { [$0, $0, $0] }
        let file = try Self.floats(values, primaries: primaries, transfer: 8)
        Self.expect(try Self.pixels(file), wanted, within: 1, "\(primaries)")
        let deep = try Self.pixels(file) { $0.depth = 16 }
        Self.expect(deep, wanted.map { $0.map { $0 * 257 } }, within: 257, "16 bits")
        let p3 = try Self.pixels(file) { $0.colorMode = .p3 }
        Self.expect(p3, wanted, within: 1, "Display P3")
    }

    @Test("do not make opaque floats transparent", arguments: [nil, 1] as [Int?])
    func alpha(_ primaries: Int?) throws {
        let opaque = try Self.floats([0.18, 0.5], primaries: primaries, transfer: 8, alpha: 1)
        Self.expect(
            try Self.pixels(opaque), [[118, 118, 118, 255], [188, 188, 188, 255]], within: 1, "opaque")
        let half = try Self.floats([0.18], primaries: primaries, transfer: 8, alpha: 0.5)
        Self.expect(try Self.pixels(half), [[118, 118, 118, 128]], within: 1, "half")
    }
}

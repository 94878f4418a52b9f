import Foundation
import Resampling
import TestHarness
import Testing

/// Returns a one-band image resampled row by row.
func resample(
    _ rows: [[UInt8]], horizontal: AxisWeights, vertical: AxisWeights
) -> [UInt8] {
    let layout = SampleLayout(type: .uint8, bands: 1, hasAlpha: false)
    var resampler = RowResampler(
        horizontal: horizontal, vertical: vertical, layout: layout, sourceWidth: rows[0].count)
    for row in rows { resampler.push(unsafe row.span.bytes) }
    let isFinished = resampler.isFinished
    #expect(isFinished)
    return resampler.pixels
}

@Suite("Resampling")
struct RowResamplerTests {
    static let one = AxisWeights(
        from: SamplingGrid(origin: 0, step: 1, count: 1), to: SamplingGrid(origin: 0, step: 1, count: 1),
        kernel: .nearest)

    @Test("at scale 1 without an offset copies samples", arguments: ResamplingKernel.allCases)
    func identity(_ kernel: ResamplingKernel) {
        // Mitchell's cubic blurs by design: neighbors at distance 1 have a weight of 1/18.
        guard kernel != .mitchell else { return }
        let grid = SamplingGrid(origin: 0, step: 1, count: 9)
        let weights = AxisWeights(from: grid, to: grid, kernel: kernel)
        let row: [UInt8] = [0, 255, 3, 7, 200, 100, 0, 0, 255]
        #expect(resample([row], horizontal: weights, vertical: Self.one) == row)
    }

    @Test("keeps a flat picture flat at any scale and phase", arguments: ResamplingKernel.allCases)
    func flat(_ kernel: ResamplingKernel) {
        for step in [0.1, 0.37, 1, 1.5, 3, 17] {
            let source = SamplingGrid(origin: 0, step: 1, count: 40)
            let output = SamplingGrid(origin: 0.3, step: step, count: Int(39 / step))
            let weights = AxisWeights(from: source, to: output, kernel: kernel)
            let row = [UInt8](repeating: 77, count: 40)
            let out = resample([row], horizontal: weights, vertical: Self.one)
            #expect(out.allSatisfy { $0 == 77 }, "step \(step)")
        }
    }

    @Test("moved by an output pixel gives the same bytes, moved", arguments: ResamplingKernel.allCases)
    func shift(_ kernel: ResamplingKernel) {
        let source = SamplingGrid(origin: 0, step: 1, count: 400)
        let row = (0..<400).map { UInt8(truncatingIfNeeded: $0 &* 97 ^ ($0 >> 2)) }
        for step in [0.3, 1.0 / 3, 0.77, 1.1, 2.345, 7.7] {
            let here = SamplingGrid(origin: 100.123, step: step, count: 30)
            let there = SamplingGrid(origin: 100.123 + step, step: step, count: 29)
            let a = resample(
                [row], horizontal: AxisWeights(from: source, to: here, kernel: kernel), vertical: Self.one)
            let b = resample(
                [row], horizontal: AxisWeights(from: source, to: there, kernel: kernel), vertical: Self.one)
            #expect(Array(a.dropFirst()) == b, "step \(step)")
        }
    }

    @Test("of a cropped source equals resampling the whole", arguments: ResamplingKernel.allCases)
    func crop(_ kernel: ResamplingKernel) {
        let whole = SamplingGrid(origin: 0, step: 1, count: 300)
        let row = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 71 ^ ($0 >> 1)) }
        for step in [0.25, 0.9, 2.7] {
            let output = SamplingGrid(origin: 120, step: step, count: 20)
            let reach = AxisWeights.reach(from: whole, to: output, kernel: kernel)
            let part = SamplingGrid(origin: Double(reach.lowerBound), step: 1, count: reach.count)
            let a = resample(
                [row], horizontal: AxisWeights(from: whole, to: output, kernel: kernel), vertical: Self.one)
            let b = resample(
                [Array(row[reach])], horizontal: AxisWeights(from: part, to: output, kernel: kernel),
                vertical: Self.one)
            #expect(a == b, "step \(step)")
        }
    }

    @Test("gives the same vertically and horizontally", arguments: ResamplingKernel.allCases)
    func vertical(_ kernel: ResamplingKernel) {
        let source = SamplingGrid(origin: 0, step: 1, count: 60)
        let output = SamplingGrid(origin: 1.7, step: 2.3, count: 20)
        let weights = AxisWeights(from: source, to: output, kernel: kernel)
        let row = (0..<60).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let along = resample([row], horizontal: weights, vertical: Self.one)
        let down = resample(row.map { [$0] }, horizontal: Self.one, vertical: weights)
        #expect(along == down)
    }

    @Test("weights colors by alpha: a white square on transparent black keeps white edges")
    func alpha() {
        let row: [UInt8] = [0, 0, 0, 0] + [255, 255, 255, 255] + [255, 255, 255, 255] + [0, 0, 0, 0]
        let layout = SampleLayout(type: .uint8, bands: 4, hasAlpha: true)
        let weights = AxisWeights(
            from: SamplingGrid(origin: 0, step: 1, count: 4),
            to: SamplingGrid(origin: 0.5, step: 0.5, count: 6), kernel: .linear)
        var resampler = RowResampler(
            horizontal: weights, vertical: Self.one, layout: layout, sourceWidth: 4)
        resampler.push(unsafe row.span.bytes)
        let pixels = resampler.pixels
        for x in 0..<6 where pixels[4 * x + 3] > 0 {
            #expect(Array(pixels[4 * x..<4 * x + 3]) == [255, 255, 255])
        }
        #expect(pixels[3] == 64 && pixels[7] == 191)
    }

    @Test("reads existing samples only, whatever the grids are", .heavy, arguments: ResamplingKernel.allCases)
    func hostileGrids(_ kernel: ResamplingKernel) {
        let numbers = [0, 1, -1, 0.1, 3.7, 1e-300, 1e300, -1e300, .nan, .infinity, -.infinity]
        let rows = [[7, 7, 7, 7], [7, 7, 7, 7]] as [[UInt8]]
        for step in numbers {
            for origin in numbers {
                for compensation in [0, 0.04, .nan] {
                    let source = SamplingGrid(
                        origin: 0, step: step, count: 4, sharpeningCompensation: compensation)
                    for output in [
                        SamplingGrid(origin: origin, step: 1, count: 3),
                        SamplingGrid(origin: 0, step: origin, count: 3),
                    ] {
                        let weights = AxisWeights(from: source, to: output, kernel: kernel)
                        #expect(weights.starts.allSatisfy { $0 >= 0 && $0 + weights.taps <= 4 })
                        _ = AxisWeights.reach(from: source, to: output, kernel: kernel)
                        #expect(resample(rows, horizontal: weights, vertical: Self.one) == [7, 7, 7])
                    }
                }
            }
        }
        for count in [0, -1] {
            let none = SamplingGrid(origin: 0, step: 1, count: count)
            #expect(AxisWeights(from: none, to: none, kernel: kernel).count == 0)
        }
    }

    @Test("gives the same for five bands of 16 bits as for each band alone")
    func bands() {
        let weights = AxisWeights(
            from: SamplingGrid(origin: 0, step: 1, count: 12),
            to: SamplingGrid(origin: 0, step: 1.5, count: 8), kernel: .lanczos3)
        let row = (0..<60).map { UInt16($0 * 1000) }
        func run(_ samples: [UInt16], bands: Int) -> [UInt16] {
            let layout = SampleLayout(type: .uint16, bands: bands, hasAlpha: false)
            var resampler = RowResampler(
                horizontal: weights, vertical: Self.one, layout: layout, sourceWidth: 12)
            resampler.push(unsafe samples.span.bytes)
            let bytes = resampler.pixels
            return stride(from: 0, to: bytes.count, by: 2).map {
                UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
            }
        }
        let together = run(row, bands: 5)
        for band in 0..<5 {
            let alone = run((0..<12).map { row[5 * $0 + band] }, bands: 1)
            #expect((0..<8).map { together[5 * $0 + band] } == alone)
        }
    }
}

@Suite("Bytes that are resampled in integers")
struct IntegerFilterTests {
    static func axis(_ count: Int, _ step: Double) -> AxisWeights {
        AxisWeights(
            from: SamplingGrid(origin: 0, step: 1, count: count, sharpeningCompensation: 0.04),
            to: SamplingGrid(origin: 0, step: step, count: Int(Double(count) / step)), kernel: .lanczos3)
    }

    static func resample(
        _ rows: [[UInt8]], _ layout: SampleLayout, _ step: Double, _ light: LightTables?
    ) -> [UInt8] {
        let width = rows[0].count / layout.pixelBytes
        var resampler = RowResampler(
            horizontal: axis(width, step), vertical: axis(rows.count, step), layout: layout,
            sourceWidth: width, light: light)
        for row in rows { resampler.push(unsafe row.span.bytes) }
        return resampler.pixels
    }

    @Test(
        "are as exact as in floats", arguments: [1, 3, 4], [0.4, 0.9, 1.37, 2, 3.9, 7.5, 31])
    func exact(_ bands: Int, _ step: Double) {
        // As 16 bits, the same samples are resampled in floats, and are 257 times as great.
        func noise(_ x: Int, _ y: Int) -> UInt8 {
            let product = (x * y) >> 3
            return UInt8(truncatingIfNeeded: (x * x * 31) ^ (y * 57) ^ product)
        }
        let rows: [[UInt8]] = (0..<62).map { y in (0..<(62 * bands)).map { x in noise(x, y) } }
        let wide: [[UInt8]] = rows.map { row in row.flatMap { byte -> [UInt8] in [byte, byte] } }
        for isLinear in [false, true] {
            func tables(_ type: SampleLayout.SampleType) -> LightTables? {
                isLinear ? LightTables(for: type) { 0.15 * $0 + 0.85 * $0 * $0 } : nil
            }
            let bytes = Self.resample(
                rows, SampleLayout(type: .uint8, bands: bands, hasAlpha: false), step, tables(.uint8))
            let deep = Self.resample(
                wide, SampleLayout(type: .uint16, bands: bands, hasAlpha: false), step, tables(.uint16))
            #expect(!bytes.isEmpty)
            for (index, byte) in bytes.enumerated() {
                let (low, high) = (Int(deep[2 * index]), Int(deep[2 * index + 1]))
                let exact = Double(low + 256 * high) / 257
                #expect(abs(Double(byte) - exact) < (isLinear ? 0.8 : 0.6), "\(exact) is \(byte)")
            }
        }
    }

    @Test("keep every byte in both directions of a curve", arguments: [0.6, 1, 1.8, 2.4])
    func tables(_ gamma: Double) throws {
        let light = try #require(LightTables(for: .uint8) { $0 == 0 ? 0 : pow($0, gamma) })
        for byte in UInt8.min...255 {
            let row = [UInt8](repeating: byte, count: 62)
            let made = Self.resample(
                [row, row, row], SampleLayout(type: .uint8, bands: 1, hasAlpha: false), 1.5, light)
            #expect(made.allSatisfy { $0 == byte })
        }
    }
}

@Suite("Means that are shrunk")
struct StretchedKernelTests {
    /// Returns a wave with a period of `period` samples, from 28 to 228.
    static func wave(_ count: Int, period: Double) -> [Double] {
        (0..<count).map { 128 + 100 * sin(2 * .pi * (Double($0) + 0.5) / period) }
    }

    static func bytes(_ samples: [Double]) -> [UInt8] { samples.map { UInt8($0.rounded()) } }

    /// Returns the means of groups of `count` samples.
    static func means(_ samples: [Double], of count: Int) -> [Double] {
        stride(from: 0, to: samples.count, by: count).map { start in
            samples[start..<(start + count)].reduce(0, +) / Double(count)
        }
    }

    static func sharpeningCompensation(_ count: Int) -> Double { (1 - 1 / Double(count * count)) / 24 }

    /// Returns a row of samples of width `step`, shrunk to `width` samples.
    static func shrink(_ row: [UInt8], step: Double, sharpeningCompensation: Double, to width: Int) -> [UInt8]
    {
        let whole = Double(row.count) * step
        let weights = AxisWeights(
            from: SamplingGrid(
                origin: 0, step: step, count: row.count, sharpeningCompensation: sharpeningCompensation),
            to: SamplingGrid(origin: 0, step: whole / Double(width), count: width), kernel: .lanczos3)
        return resample([row], horizontal: weights, vertical: RowResamplerTests.one)
    }

    /// Returns the greatest difference, without the ends.
    static func difference(_ a: [UInt8], _ b: [UInt8]) -> Int {
        zip(a, b).dropFirst(4).dropLast(4).map { abs(Int($0) - Int($1)) }.max()!
    }

    @Test("have waves as high as shrunk pixels", arguments: [2, 4, 8])
    func waves(_ count: Int) {
        // Two means per output pixel, and waves of three or more output pixels.
        for outputs in [3.0, 4, 7, 20] {
            let pixels = Self.wave(4096, period: outputs * Double(2 * count))
            let width = 4096 / (2 * count)
            let exact = Self.shrink(Self.bytes(pixels), step: 1, sharpeningCompensation: 0, to: width)
            let means = Self.bytes(Self.means(pixels, of: count))
            let lively = Self.shrink(
                means, step: Double(count), sharpeningCompensation: Self.sharpeningCompensation(count),
                to: width)
            #expect(Self.difference(lively, exact) <= 1, "period \(outputs)")
            if outputs == 3, count > 2 {
                // Without compensation, waves are lower.
                let dull = Self.shrink(means, step: Double(count), sharpeningCompensation: 0, to: width)
                #expect(Self.difference(dull, exact) >= 3)
            }
        }
    }

    @Test("are copied at 1:1", arguments: [2, 4, 8])
    func identity(_ count: Int) {
        let row = Self.bytes(Self.wave(64, period: 5))
        #expect(
            Self.shrink(
                row, step: Double(count), sharpeningCompensation: Self.sharpeningCompensation(count), to: 64)
                == row)
    }

    @Test("keep a flat picture flat", arguments: [1.2, 2, 3.7])
    func flat(_ step: Double) {
        let row = [UInt8](repeating: 200, count: 120)
        let made = Self.shrink(row, step: 8, sharpeningCompensation: 1.0 / 24, to: Int(120 / step))
        #expect(made.allSatisfy { $0 == 200 })
    }
}

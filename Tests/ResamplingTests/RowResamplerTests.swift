import Resampling
import Testing

/// Resamples a one-band picture by its rows.
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

    @Test("at scale 1 without an offset changes nothing", arguments: ResamplingKernel.allCases)
    func identity(_ kernel: ResamplingKernel) {
        // Mitchell's cubic blurs by design: it weighs the neighbors at distance 1 by 1/18.
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

    @Test("works down the rows as along them", arguments: ResamplingKernel.allCases)
    func vertical(_ kernel: ResamplingKernel) {
        let source = SamplingGrid(origin: 0, step: 1, count: 60)
        let output = SamplingGrid(origin: 1.7, step: 2.3, count: 20)
        let weights = AxisWeights(from: source, to: output, kernel: kernel)
        let row = (0..<60).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let along = resample([row], horizontal: weights, vertical: Self.one)
        let down = resample(row.map { [$0] }, horizontal: Self.one, vertical: weights)
        #expect(along == down)
    }

    @Test("weighs colors by alpha: a white square on transparent black keeps white edges")
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

    @Test("treats five bands of 16 bits as five pictures of one")
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

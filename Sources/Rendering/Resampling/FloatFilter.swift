/// Filters rows of any samples in floats.
// These loops run for every pixel and use raw pointers, because checked subscripts take 3 times as long. Every index
// comes from the weights, which `RowResampler` compares with the size of the rows.
//
// Taps are always added in the same order. Parts of an image differ in their taps of weight 0, which then do not change
// the sum, so that parts join without seams.
struct FloatFilter {
    private let horizontal: AxisWeights
    private let vertical: AxisWeights
    private let layout: SampleLayout
    private let sourceWidth: Int
    private let light: LightTables?

    /// The last `vertical.taps` source rows as floats, colors multiplied by alpha; row *y* is at `y % taps`.
    private var ring: [Float]
    /// One row after vertical filtering, as wide as the source.
    private var line: [Float]
    /// One output row.
    private var sums: [Float]

    init(
        horizontal: AxisWeights, vertical: AxisWeights, layout: SampleLayout, sourceWidth: Int,
        light: LightTables?
    ) {
        self.horizontal = horizontal
        self.vertical = vertical
        self.layout = layout
        self.sourceWidth = sourceWidth
        self.light = light
        let samples = sourceWidth * layout.bands
        ring = Array(repeating: 0, count: samples * vertical.taps)
        // Pixels of three bands are read four floats at a time, including the last one.
        line = Array(repeating: 0, count: samples + 4)
        sums = Array(repeating: 0, count: horizontal.count * layout.bands + 4)
    }

    /// Stores a source row.
    mutating func load(_ row: RawSpan, _ y: Int) {
        let slot = y % vertical.taps
        switch layout.type {
        case .uint8: load(row, into: slot, as: UInt8.self)
        case .uint16: load(row, into: slot, as: UInt16.self)
        case .float32: load(row, into: slot, as: Float.self)
        }
    }

    /// Writes an output row.
    mutating func make(_ row: Int, into out: UnsafeMutableRawPointer) {
        filterVertically(row)
        filterHorizontally()
        switch layout.type {
        case .uint8: unsafe store(to: out, as: UInt8.self)
        case .uint16: unsafe store(to: out, as: UInt16.self)
        case .float32: unsafe store(to: out, as: Float.self)
        }
    }

    /// Converts a row's samples to floats, colors multiplied by alpha, and stores them in a slot of the ring.
    private mutating func load<S: Sample>(_ row: RawSpan, into slot: Int, as type: S.Type) {
        let (layout, pixels) = (layout, sourceWidth)
        let count = pixels * layout.bands
        unsafe row.withUnsafeBytes { bytes in
            let samples = unsafe bytes.baseAddress!.assumingMemoryBound(to: S.self)
            unsafe ring.withUnsafeMutableBufferPointer { ring in
                let out = unsafe ring.baseAddress! + slot * count
                if let light {
                    unsafe Self.decode(samples, to: out, pixels, layout, light)
                } else {
                    for index in 0..<count { unsafe out[index] = samples[index].float }
                }
                if layout.hasAlpha { unsafe Self.multiplyByAlpha(out, pixels: pixels, bands: layout.bands) }
            }
        }
    }

    /// Writes the light of colors, and alpha unchanged.
    private static func decode<S: Sample>(
        _ samples: UnsafePointer<S>, to out: UnsafeMutablePointer<Float>, _ pixels: Int,
        _ layout: SampleLayout, _ light: LightTables
    ) {
        unsafe light.decode.withUnsafeBufferPointer { table in
            for index in 0..<(pixels * layout.bands) { unsafe out[index] = table[samples[index].index] }
        }
        guard layout.hasAlpha else { return }
        for index in stride(from: layout.bands - 1, to: pixels * layout.bands, by: layout.bands) {
            unsafe out[index] = samples[index].float
        }
    }

    private static func multiplyByAlpha(_ row: UnsafeMutablePointer<Float>, pixels: Int, bands: Int) {
        for x in 0..<pixels {
            let pixel = unsafe row + x * bands
            let alpha = unsafe pixel[bands - 1]
            if bands == 4 {
                unsafe store(load(pixel) * SIMD4(alpha, alpha, alpha, 1), to: pixel)
            } else {
                for band in 0..<(bands - 1) { unsafe pixel[band] *= alpha }
            }
        }
    }

    /// Adds up the weighted rows of the ring for an output row.
    private mutating func filterVertically(_ row: Int) {
        let taps = vertical.taps
        let count = sourceWidth * layout.bands
        let first = vertical.starts[row] % taps
        unsafe vertical.weights.withUnsafeBufferPointer { weights in
            let w = unsafe weights.baseAddress! + row * taps
            unsafe ring.withUnsafeBufferPointer { ring in
                let rows = ring.baseAddress!
                unsafe line.withUnsafeMutableBufferPointer { line in
                    let out = line.baseAddress!
                    var x = 0
                    // Sixteen sums stay in registers across all rows.
                    while x + 16 <= count {
                        var (a, b) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
                        var (c, d) = (a, b)
                        var slot = first
                        for tap in 0..<taps {
                            let source = unsafe rows + slot * count + x
                            let weight = unsafe w[tap]
                            unsafe a += Self.load(source) * weight
                            unsafe b += Self.load(source + 4) * weight
                            unsafe c += Self.load(source + 8) * weight
                            unsafe d += Self.load(source + 12) * weight
                            slot = slot + 1 == taps ? 0 : slot + 1
                        }
                        unsafe Self.store(a, to: out + x)
                        unsafe Self.store(b, to: out + x + 4)
                        unsafe Self.store(c, to: out + x + 8)
                        unsafe Self.store(d, to: out + x + 12)
                        x += 16
                    }
                    while x < count {
                        var sum: Float = 0
                        for tap in 0..<taps { unsafe sum += rows[(first + tap) % taps * count + x] * w[tap] }
                        unsafe out[x] = sum
                        x += 1
                    }
                }
            }
        }
    }

    /// Resamples the filtered row to the width of the output.
    private mutating func filterHorizontally() {
        let (taps, width, bands) = (horizontal.taps, horizontal.count, layout.bands)
        unsafe line.withUnsafeBufferPointer { line in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                unsafe horizontal.weights.withUnsafeBufferPointer { weights in
                    unsafe horizontal.starts.withUnsafeBufferPointer { starts in
                        for x in 0..<width {
                            let w = unsafe weights.baseAddress! + x * taps
                            let p = unsafe line.baseAddress! + starts[x] * bands
                            let out = unsafe sums.baseAddress! + x * bands
                            if bands == 3 || bands == 4 {
                                var sum = SIMD4<Float>.zero
                                for tap in 0..<taps { unsafe sum += Self.load(p + tap * bands) * w[tap] }
                                // With three bands, the fourth float belongs to the next pixel, which overwrites it.
                                unsafe Self.store(sum, to: out)
                            } else {
                                for band in 0..<bands {
                                    var sum: Float = 0
                                    for tap in 0..<taps { unsafe sum += p[tap * bands + band] * w[tap] }
                                    unsafe out[band] = sum
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func load(_ floats: UnsafePointer<Float>) -> SIMD4<Float> {
        unsafe UnsafeRawPointer(floats).loadUnaligned(as: SIMD4<Float>.self)
    }

    @inline(__always)
    private static func store(_ value: SIMD4<Float>, to floats: UnsafeMutablePointer<Float>) {
        unsafe UnsafeMutableRawPointer(floats).storeBytes(of: value, as: SIMD4<Float>.self)
    }

    /// Writes sums as samples, with colors divided by alpha.
    private func store<S: Sample>(to out: UnsafeMutableRawPointer, as type: S.Type) {
        let samples = unsafe out.assumingMemoryBound(to: S.self)
        let (bands, width, light) = (layout.bands, horizontal.count, light)
        unsafe sums.withUnsafeBufferPointer { sums in
            guard layout.hasAlpha else {
                for index in 0..<(width * bands) {
                    let sum = unsafe sums[index]
                    unsafe samples[index] = S(rounding: light?.encoded(sum) ?? sum)
                }
                return
            }
            for x in 0..<width {
                let (from, to) = unsafe (sums.baseAddress! + x * bands, samples + x * bands)
                let alpha = unsafe from[bands - 1]
                let scale = alpha > 0 ? 1 / alpha : 0
                for band in 0..<(bands - 1) {
                    let color = unsafe from[band] * scale
                    unsafe to[band] = S(rounding: light?.encoded(color) ?? color)
                }
                unsafe to[bands - 1] = S(rounding: alpha)
            }
        }
    }
}

/// A sample type that is converted to float and back, rounded and clamped.
protocol Sample: BitwiseCopyable {
    var float: Float { get }
    /// The position in a table; 0 for floats, which have none.
    var index: Int { get }
    init(rounding value: Float)
}

extension UInt8: Sample {
    @inline(__always) var float: Float { Float(self) }
    @inline(__always) var index: Int { Int(self) }
    @inline(__always) init(rounding value: Float) { self = UInt8(Swift.min(Swift.max(value + 0.5, 0), 255)) }
}

extension UInt16: Sample {
    @inline(__always) var float: Float { Float(self) }
    @inline(__always) var index: Int { Int(self) }
    @inline(__always) init(rounding value: Float) {
        self = UInt16(Swift.min(Swift.max(value + 0.5, 0), 65535))
    }
}

extension Float: Sample {
    @inline(__always) var float: Float { self }
    @inline(__always) var index: Int { 0 }
    @inline(__always) init(rounding value: Float) { self = value }
}

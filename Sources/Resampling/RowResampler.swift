/// Resamples an image whose rows are pushed one by one, from the top.
///
/// Holds the output and as many source rows as the vertical kernel has taps, never the whole source.
package struct RowResampler: ~Copyable {
    private let horizontal: AxisWeights
    private let vertical: AxisWeights
    private let layout: SampleLayout
    private let sourceWidth: Int
    private let width: Int
    private let height: Int

    /// The last `vertical.taps` source rows as floats, colors multiplied by alpha; row *y* is at `y % taps`.
    private var ring: [Float]
    /// One row after vertical filtering, as wide as the source.
    private var line: [Float]
    /// One output row.
    private var sums: [Float]

    private(set) var rowsPushed = 0
    private(set) var rowsMade = 0

    /// The output: rows from the top, samples interleaved; complete when `isFinished`.
    package private(set) var pixels: [UInt8]

    /// - Parameter sourceWidth: The pixels of a row that is pushed; the horizontal weights refer to them.
    /// - Precondition: All source samples of the horizontal weights are in a row.
    package init(horizontal: AxisWeights, vertical: AxisWeights, layout: SampleLayout, sourceWidth: Int) {
        // The loops below read without checks.
        precondition(layout.bands > 0 && sourceWidth >= 0, "rows without samples")
        precondition(
            horizontal.starts.allSatisfy { $0 >= 0 && $0 <= sourceWidth - horizontal.taps }
                && vertical.starts.allSatisfy { $0 >= 0 }, "weights of samples that are not in a row")
        self.horizontal = horizontal
        self.vertical = vertical
        self.layout = layout
        self.sourceWidth = sourceWidth
        width = horizontal.starts.count
        height = vertical.starts.count
        let samples = sourceWidth * layout.bands
        ring = Array(repeating: 0, count: samples * vertical.taps)
        // Pixels of three bands are read four floats at a time, including the last one.
        line = Array(repeating: 0, count: samples + 4)
        sums = Array(repeating: 0, count: width * layout.bands + 4)
        pixels = Array(repeating: 0, count: width * height * layout.pixelBytes)
    }

    /// Whether all output rows are complete; further source rows are ignored.
    package var isFinished: Bool { rowsMade == height }

    /// Adds the next source row of `sourceWidth` pixels.
    ///
    /// - Parameter isCancelled: Called before each output row; one source row may produce thousands of them. The
    ///   output stays incomplete once it has returned true.
    package mutating func push(_ row: RawSpan, isCancelled: () -> Bool = { false }) {
        precondition(row.byteCount == sourceWidth * layout.pixelBytes, "a row of another width")
        let y = rowsPushed
        rowsPushed += 1
        guard !isFinished, y >= vertical.starts[rowsMade] else { return }
        switch layout.type {
        case .uint8: load(row, into: y % vertical.taps, as: UInt8.self)
        case .uint16: load(row, into: y % vertical.taps, as: UInt16.self)
        case .float32: load(row, into: y % vertical.taps, as: Float.self)
        }
        while !isFinished, vertical.end(rowsMade) <= rowsPushed {
            if isCancelled() { return }
            filterVertically(rowsMade)
            filterHorizontally()
            switch layout.type {
            case .uint8: store(rowsMade, as: UInt8.self)
            case .uint16: store(rowsMade, as: UInt16.self)
            case .float32: store(rowsMade, as: Float.self)
            }
            rowsMade += 1
        }
    }

    private mutating func store<S: Sample>(_ row: Int, as type: S.Type) {
        // Writes exactly the bytes of this row.
        unsafe pixels.withUnsafeMutableBytes { bytes in
            let start = row * width * layout.pixelBytes
            let out = unsafe bytes.baseAddress! + start
            unsafe Self.store(sums, to: out, as: type, layout: layout, width: width)
        }
    }
}

// These loops run for every pixel and use raw pointers, because checked subscripts take 3 times as long. Every index
// comes from the weights, which `init` compares with the size of the rows.
//
// Taps are always added in the same order. Parts of an image differ in their taps of weight 0, which then do not change
// the sum, so that parts join without seams.

extension RowResampler {
    /// Converts a row's samples to floats, colors multiplied by alpha, and stores them in a slot of the ring.
    private mutating func load<S: Sample>(_ row: RawSpan, into slot: Int, as type: S.Type) {
        let (layout, pixels) = (layout, sourceWidth)
        let count = pixels * layout.bands
        unsafe row.withUnsafeBytes { bytes in
            let samples = unsafe bytes.baseAddress!.assumingMemoryBound(to: S.self)
            unsafe ring.withUnsafeMutableBufferPointer { ring in
                let out = unsafe ring.baseAddress! + slot * count
                for index in 0..<count { unsafe out[index] = samples[index].float }
                if layout.hasAlpha { unsafe Self.multiplyByAlpha(out, pixels: pixels, bands: layout.bands) }
            }
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
        let (taps, width, bands) = (horizontal.taps, width, layout.bands)
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
    private static func store<S: Sample>(
        _ sums: [Float], to out: UnsafeMutableRawPointer, as type: S.Type,
        layout: SampleLayout, width: Int
    ) {
        let samples = unsafe out.assumingMemoryBound(to: S.self)
        let bands = layout.bands
        unsafe sums.withUnsafeBufferPointer { sums in
            guard layout.hasAlpha else {
                for index in 0..<(width * bands) { unsafe samples[index] = S(rounding: sums[index]) }
                return
            }
            for x in 0..<width {
                let (from, to) = unsafe (sums.baseAddress! + x * bands, samples + x * bands)
                let alpha = unsafe from[bands - 1]
                let scale = alpha > 0 ? 1 / alpha : 0
                for band in 0..<(bands - 1) { unsafe to[band] = S(rounding: from[band] * scale) }
                unsafe to[bands - 1] = S(rounding: alpha)
            }
        }
    }
}

/// The layout of a row's samples: interleaved bands of one type.
package struct SampleLayout: Equatable, Sendable {
    package enum SampleType: Sendable {
        case uint8, uint16, float32

        package var bytes: Int {
            switch self {
            case .uint8: 1
            case .uint16: 2
            case .float32: 4
            }
        }
    }

    package var type: SampleType
    package var bands: Int
    /// Whether the last band is alpha, which weights the colors, so that transparent pixels do not contribute.
    package var hasAlpha: Bool

    package init(type: SampleType, bands: Int, hasAlpha: Bool) {
        self.type = type
        self.bands = bands
        self.hasAlpha = hasAlpha
    }

    package var pixelBytes: Int { bands * type.bytes }
}

/// A sample type that is converted to float and back, rounded and clamped.
protocol Sample: BitwiseCopyable {
    var float: Float { get }
    init(rounding value: Float)
}

extension UInt8: Sample {
    @inline(__always) var float: Float { Float(self) }
    @inline(__always) init(rounding value: Float) { self = UInt8(Swift.min(Swift.max(value + 0.5, 0), 255)) }
}

extension UInt16: Sample {
    @inline(__always) var float: Float { Float(self) }
    @inline(__always) init(rounding value: Float) {
        self = UInt16(Swift.min(Swift.max(value + 0.5, 0), 65535))
    }
}

extension Float: Sample {
    @inline(__always) var float: Float { self }
    @inline(__always) init(rounding value: Float) { self = value }
}

private import CVectors

/// Filters rows of bytes without alpha in integer arithmetic: half the time of floats, and the same on every machine.
///
/// Weights have 14 bits. Samples have 15 bits where they are light; the vertical filter's result keeps 6 bits below a
/// byte, or 14 bits of light. Rounding adds less than 0.05 of a byte's step to the error of a sample.
///
/// Kernels have negative weights, so sums go beyond the range of samples: numbers of 16 bits and sums of 32 bits have
/// room for a factor of 1.99, and a filter whose weights could add up to more is left to floats. So are samples with
/// alpha, which weights colors, and light that is too flat near black for 15 bits.
///
/// Rows lie in pairs, the samples of two rows alternating, so that one instruction multiplies and adds both. AVX2
/// makes the same sums in half the time: resampling was 37 of 93 ms of a thumbnail of 1024 pixels.
// Uses raw pointers, because checked subscripts take 3 times as long. Every index comes from the weights, which
// `RowResampler` compares with the size of the rows.
struct IntegerFilter {
    private let horizontal: PairedWeights
    private let vertical: PairedWeights
    private let bands: Int
    private let light: LightTables?
    /// The samples of a row.
    private let samples: Int
    /// The samples of a row in the ring, a multiple of 16.
    private let stride: Int

    /// The last pairs of source rows; pair *p* is at `p % vertical.pairs`.
    private var ring: [Int16]
    /// One row after vertical filtering, as wide as the source.
    private var line: [Int16]
    /// Four sums for each output pixel.
    private var sums: [Int32]

    /// Returns nil where samples or weights need floats.
    init?(
        horizontal: AxisWeights, vertical: AxisWeights, layout: SampleLayout, sourceWidth: Int,
        light: LightTables?
    ) {
        guard layout.type == .uint8, !layout.hasAlpha, [1, 3, 4].contains(layout.bands),
            light?.fits15 ?? true,
            let horizontal = PairedWeights(horizontal, multiple: layout.bands == 1 ? 4 : 1),
            let vertical = PairedWeights(vertical, isAligned: true)
        else { return nil }
        self.horizontal = horizontal
        self.vertical = vertical
        self.light = light
        bands = layout.bands
        samples = sourceWidth * layout.bands
        stride = (samples + 15) / 16 * 16
        ring = Array(repeating: 0, count: 2 * stride * vertical.pairs)
        // Pairs of weights may be one pixel longer than the taps, and eight samples are read at a time.
        sums = Array(repeating: 0, count: 4 * horizontal.starts.count)
        line = Array(repeating: 0, count: stride + 2 * bands * 4 + 8)
    }

    /// Stores a source row.
    mutating func load(_ row: RawSpan, _ y: Int) {
        let count = samples
        // Pairs begin at even rows of the source, whichever rows an output row needs: each row is stored once.
        let start = y / 2 % vertical.pairs * stride * 2
        let isOdd = y % 2 == 1
        // The upper row is the first of a pair in memory.
        let first = SIMD4<UInt32>(repeating: 0xFFFF), upperHalf = SIMD4<UInt32>(repeating: 16)
        unsafe row.withUnsafeBytes { bytes in
            let from = unsafe bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
            unsafe ring.withUnsafeMutableBufferPointer { ring in
                let pairs = unsafe ring.baseAddress! + start
                var x = 0
                if let light {
                    unsafe light.decode15.withUnsafeBufferPointer { table in
                        let out = unsafe pairs + (isOdd ? 1 : 0)
                        while x < count {
                            unsafe out[2 * x] = table[Int(from[x])]
                            x += 1
                        }
                    }
                }
                #if arch(x86_64)
                if x < count, Self.isWide {
                    x = unsafe vectors_load_pairs_avx2(from, pairs, count, isOdd ? 1 : 0)
                }
                #endif
                while x + 4 <= count {
                    let four = SIMD4<UInt32>(
                        truncatingIfNeeded: unsafe UnsafeRawPointer(from + x).loadUnaligned(
                            as: SIMD4<UInt8>.self))
                    let out = unsafe UnsafeMutableRawPointer(pairs + 2 * x)
                    if isOdd {
                        let upper = unsafe out.loadUnaligned(as: SIMD4<UInt32>.self) & first
                        unsafe out.storeBytes(of: upper | four &<< upperHalf, as: SIMD4<UInt32>.self)
                    } else {
                        unsafe out.storeBytes(of: four, as: SIMD4<UInt32>.self)
                    }
                    x += 4
                }
                while x < count {
                    unsafe pairs[2 * x + (isOdd ? 1 : 0)] = Int16(from[x])
                    x += 1
                }
            }
        }
    }

    /// Writes an output row.
    mutating func make(_ row: Int, into out: UnsafeMutablePointer<UInt8>) {
        filterVertically(row)
        switch bands {
        case 1: unsafe filterGray(into: out)
        case 3: unsafe filterColors(into: out, bands: 3)
        default: unsafe filterColors(into: out, bands: 4)
        }
    }

    #if arch(x86_64)
    /// Whether the processor has vectors of twice the width.
    private static let isWide = vectors_has_avx2() == 1
    #endif

    /// Adds up the weighted rows of the ring.
    private mutating func filterVertically(_ row: Int) {
        let (pairs, stride) = (vertical.pairs, stride)
        let first = vertical.starts[row] / 2 % pairs
        #if arch(x86_64)
        if Self.isWide {
            unsafe vertical.packed.withUnsafeBytes { weights in
                let weights = unsafe weights.baseAddress!.assumingMemoryBound(to: Int32.self)
                unsafe ring.withUnsafeBufferPointer { ring in
                    unsafe line.withUnsafeMutableBufferPointer { line in
                        unsafe vectors_filter_rows_avx2(
                            ring.baseAddress!, stride, pairs, first, weights + row * pairs,
                            line.baseAddress!, light == nil ? 8 : 15)
                    }
                }
            }
            return
        }
        #endif
        // The same on processors without AVX2, on ARM, and elsewhere.
        let weights = vertical.packed[(row * pairs)..<((row + 1) * pairs)].map(PairedWeights.repeated)
        // From 14 bits of weights, and 15 bits of light, to the precision of a line.
        let shift = Int32(light == nil ? 8 : 15)
        let half = SIMD4<Int32>(repeating: 1 << (shift - 1))
        let down = SIMD4<Int32>(repeating: shift)
        unsafe weights.withUnsafeBufferPointer { weights in
            unsafe ring.withUnsafeBufferPointer { ring in
                let rows = unsafe UnsafeRawPointer(ring.baseAddress!)
                unsafe line.withUnsafeMutableBufferPointer { line in
                    let out = UnsafeMutableRawPointer(line.baseAddress!)
                    var x = 0
                    // Sixteen sums stay in registers across all rows.
                    while x < stride {
                        var (a, b, c, d) = (half, half, half, half)
                        var slot = first
                        for pair in 0..<pairs {
                            let source = unsafe rows + 4 * (slot * stride + x)
                            let weight = unsafe weights[pair]
                            unsafe a &+= Self.products(source, weight)
                            unsafe b &+= Self.products(source + 16, weight)
                            unsafe c &+= Self.products(source + 32, weight)
                            unsafe d &+= Self.products(source + 48, weight)
                            slot = slot + 1 == pairs ? 0 : slot + 1
                        }
                        unsafe Self.put(a &>> down, out + 2 * x)
                        unsafe Self.put(b &>> down, out + 2 * x + 8)
                        unsafe Self.put(c &>> down, out + 2 * x + 16)
                        unsafe Self.put(d &>> down, out + 2 * x + 24)
                        x += 16
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func put(_ sums: SIMD4<Int32>, _ out: UnsafeMutableRawPointer) {
        unsafe out.storeBytes(of: SIMD4<Int16>(truncatingIfNeeded: sums), as: SIMD4<Int16>.self)
    }

    /// Returns the sums of the products of neighbors: one instruction on x86-64.
    @inline(__always)
    private static func products(_ source: UnsafeRawPointer, _ weights: SIMD8<Int16>) -> SIMD4<Int32> {
        unsafe vectors_pair_products(source.loadUnaligned(as: SIMD8<Int16>.self), weights)
    }

    /// Resamples the line of interleaved pixels to the width of the output.
    @inline(__always)
    private mutating func filterColors(into out: UnsafeMutablePointer<UInt8>, bands: Int) {
        let pairs = horizontal.pairs
        #if arch(x86_64)
        if Self.isWide {
            // Taken out, because the closures read the other properties.
            var sums: [Int32] = []
            swap(&sums, &self.sums)
            defer { swap(&sums, &self.sums) }
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                unsafe withLine { line, starts, weights in
                    unsafe vectors_filter_pixels_avx2(
                        line.assumingMemoryBound(to: Int16.self), starts.baseAddress!, starts.count,
                        UnsafeRawPointer(weights).assumingMemoryBound(to: Int32.self), pairs, bands,
                        sums.baseAddress!)
                }
                for x in 0..<horizontal.starts.count {
                    for band in 0..<bands { unsafe out[x * bands + band] = byte(sums[4 * x + band]) }
                }
            }
            return
        }
        #endif
        unsafe withLine { line, starts, weights in
            for x in 0..<starts.count {
                var p = unsafe line + 2 * starts[x] * bands
                var sum = SIMD4<Int32>.zero
                for pair in (x * pairs)..<((x + 1) * pairs) {
                    var samples = SIMD8<Int16>.zero
                    unsafe samples.evenHalf = p.loadUnaligned(as: SIMD4<Int16>.self)
                    unsafe samples.oddHalf = (p + 2 * bands).loadUnaligned(as: SIMD4<Int16>.self)
                    unsafe sum &+= vectors_pair_products(samples, PairedWeights.repeated(weights[pair]))
                    unsafe p += 4 * bands
                }
                let pixel = unsafe out + x * bands
                for band in 0..<bands { unsafe pixel[band] = byte(sum[band]) }
            }
        }
    }

    /// Resamples the line of single samples, eight taps at a time.
    private func filterGray(into out: UnsafeMutablePointer<UInt8>) {
        let eights = horizontal.pairs / 4
        unsafe withLine { line, starts, weights in
            let weights = unsafe UnsafeRawPointer(weights)
            for x in 0..<starts.count {
                let p = unsafe line + 2 * starts[x]
                var sum = SIMD4<Int32>.zero
                for eight in 0..<eights {
                    let weight = unsafe (weights + 16 * (x * eights + eight)).loadUnaligned(
                        as: SIMD8<Int16>.self)
                    unsafe sum &+= Self.products(p + 16 * eight, weight)
                }
                unsafe out[x] = byte(sum.wrappedSum())
            }
        }
    }

    private func withLine(
        _ body: (UnsafeRawPointer, UnsafeBufferPointer<Int>, UnsafePointer<SIMD2<Int16>>) -> Void
    ) {
        unsafe line.withUnsafeBufferPointer { line in
            unsafe horizontal.starts.withUnsafeBufferPointer { starts in
                unsafe horizontal.packed.withUnsafeBufferPointer { weights in
                    unsafe body(UnsafeRawPointer(line.baseAddress!), starts, weights.baseAddress!)
                }
            }
        }
    }

    /// Returns the byte of a sum, which has 20 bits below a byte, or 28 bits of light.
    @inline(__always)
    private func byte(_ sum: Int32) -> UInt8 {
        guard let light else { return UInt8(truncatingIfNeeded: min(max((sum &+ 1 << 19) >> 20, 0), 255)) }
        return light.encoded(of15: (sum &+ 1 << 12) >> 13)
    }
}

/// Weights of 14 bits in pairs of neighbors, both in 32 bits.
struct PairedWeights {
    /// The first source sample of each output sample.
    let starts: [Int]
    /// The pairs of each output sample.
    let pairs: Int
    /// `pairs` pairs for each output sample, in order.
    let packed: [SIMD2<Int16>]

    /// Returns nil where 14 bits are not enough.
    ///
    /// - Parameters:
    ///   - isAligned: Whether pairs begin at even source samples.
    ///   - multiple: A divisor of the number of pairs.
    init?(_ weights: AxisWeights, isAligned: Bool = false, multiple: Int = 1) {
        guard weights.taps <= Self.mostTaps else { return nil }
        let count = (weights.taps + (isAligned ? 2 : 1)) / 2
        let pairs = (count + multiple - 1) / multiple * multiple
        var packed = [SIMD2<Int16>](repeating: .zero, count: pairs * weights.count)
        for output in 0..<weights.count {
            let row = weights.weights[(output * weights.taps)..<((output + 1) * weights.taps)]
            // Two more sums of 14 or 15 bits would not fit; NaN is not less than anything.
            guard row.reduce(0, { $0 + abs($1) }) < 1.99 else { return nil }
            let shift = isAligned ? weights.starts[output] & 1 : 0
            for (tap, weight) in Self.whole(row).enumerated() {
                packed[output * pairs + (tap + shift) / 2][(tap + shift) % 2] = weight
            }
        }
        self.pairs = pairs
        self.packed = packed
        starts = weights.starts
    }

    /// With more taps, the rounding of their weights would be visible.
    private static let mostTaps = 128

    /// Returns weights that add up to 2^14.
    private static func whole(_ row: ArraySlice<Float>) -> [Int16] {
        var whole = row.map { Int(($0 * 0x1p14).rounded()) }
        // The greatest weight takes what rounding leaves over.
        let greatest = whole.indices.max { whole[$0] < whole[$1] }!
        whole[greatest] += 1 << 14 - whole.reduce(0, +)
        return whole.map { Int16(clamping: $0) }
    }

    /// Returns a pair four times.
    @inline(__always)
    static func repeated(_ pair: SIMD2<Int16>) -> SIMD8<Int16> {
        // Both have the same size, and any bits are integers.
        unsafe unsafeBitCast(
            SIMD4<UInt32>(repeating: unsafeBitCast(pair, to: UInt32.self)), to: SIMD8<Int16>.self)
    }
}

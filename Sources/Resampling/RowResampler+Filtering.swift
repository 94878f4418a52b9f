// The three loops that every pixel passes. They run on raw pointers: checked subscripts cost a factor of 3
// here, and every index comes from AxisWeights, which never leaves the row.

extension RowResampler {
    /// Turns a row's samples into floats, colours multiplied by alpha.
    mutating func load<S: Sample>(_ row: RawSpan, as type: S.Type) {
        let layout = layout
        let count = sourceWidth
        unsafe row.withUnsafeBytes { bytes in
            let samples = unsafe bytes.baseAddress!.assumingMemoryBound(to: S.self)
            unsafe line.withUnsafeMutableBufferPointer { line in
                switch (layout.bands, layout.hasAlpha) {
                case (1, false):
                    for x in 0..<count { unsafe line[x] = SIMD4(samples[x].float, 0, 0, 0) }
                case (3, false):
                    for x in 0..<count {
                        let p = unsafe samples + 3 * x
                        unsafe line[x] = SIMD4(p[0].float, p[1].float, p[2].float, 0)
                    }
                case (4, true):
                    for x in 0..<count {
                        let p = unsafe samples + 4 * x
                        let alpha = unsafe p[3].float
                        unsafe line[x] = SIMD4(p[0].float, p[1].float, p[2].float, 1) * alpha
                    }
                default:
                    unsafe Self.loadAny(samples, to: line.baseAddress!, layout: layout, count: count)
                }
            }
        }
    }

    private static func loadAny<S: Sample>(
        _ samples: UnsafePointer<S>, to line: UnsafeMutablePointer<SIMD4<Float>>,
        layout: SampleLayout, count: Int
    ) {
        let bands = layout.bands
        let groups = (bands + 3) / 4
        for x in 0..<count {
            let p = unsafe samples + bands * x
            let alpha = unsafe layout.hasAlpha ? p[bands - 1].float : 1
            for group in 0..<groups {
                var value = SIMD4<Float>.zero
                for lane in 0..<min(4, bands - 4 * group) {
                    let band = 4 * group + lane
                    value[lane] = unsafe layout.hasAlpha && band == bands - 1 ? alpha : p[band].float * alpha
                }
                unsafe line[x * groups + group] = value
            }
        }
    }

    /// Makes the loaded row as wide as the output, into a slot of the ring.
    mutating func filterHorizontally(into slot: Int) {
        let taps = horizontal.taps
        let groups = groups
        let width = width
        unsafe line.withUnsafeBufferPointer { line in
            unsafe ring.withUnsafeMutableBufferPointer { ring in
                unsafe horizontal.weights.withUnsafeBufferPointer { weights in
                    unsafe horizontal.starts.withUnsafeBufferPointer { starts in
                        let out = unsafe ring.baseAddress! + slot * width * groups
                        for x in 0..<width {
                            let w = unsafe weights.baseAddress! + x * taps
                            for group in 0..<groups {
                                var p = unsafe line.baseAddress! + starts[x] * groups + group
                                var sum = SIMD4<Float>.zero
                                for tap in 0..<taps {
                                    unsafe sum += p.pointee * w[tap]
                                    unsafe p += groups
                                }
                                unsafe out[x * groups + group] = sum
                            }
                        }
                    }
                }
            }
        }
    }

    /// Adds up the rows of the ring that an output row is made of.
    mutating func filterVertically(_ row: Int) {
        let taps = vertical.taps
        let count = width * groups
        let start = vertical.starts[row]
        unsafe ring.withUnsafeBufferPointer { ring in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                unsafe sums.update(repeating: .zero)
                for tap in 0..<taps {
                    let weight = vertical.weights[row * taps + tap]
                    guard weight != 0 else { continue }
                    let source = unsafe ring.baseAddress! + ((start + tap) % taps) * count
                    for x in 0..<count { unsafe sums[x] += source[x] * weight }
                }
            }
        }
    }

    /// Writes sums as samples, colours divided by alpha again.
    static func store<S: Sample>(
        _ sums: [SIMD4<Float>], to out: UnsafeMutableRawPointer, as type: S.Type,
        layout: SampleLayout, width: Int
    ) {
        let samples = unsafe out.assumingMemoryBound(to: S.self)
        let bands = layout.bands
        let groups = (bands + 3) / 4
        unsafe sums.withUnsafeBufferPointer { sums in
            if bands == 3, !layout.hasAlpha {
                for x in 0..<width {
                    let value = unsafe sums[x]
                    unsafe samples[3 * x] = S(rounding: value.x)
                    unsafe samples[3 * x + 1] = S(rounding: value.y)
                    unsafe samples[3 * x + 2] = S(rounding: value.z)
                }
                return
            }
            for x in 0..<width {
                let alpha = unsafe layout.hasAlpha ? sums[x * groups + (bands - 1) / 4][(bands - 1) % 4] : 1
                let scale = alpha > 0 ? 1 / alpha : 0
                for band in 0..<bands {
                    let value = unsafe sums[x * groups + band / 4][band % 4]
                    let isAlpha = layout.hasAlpha && band == bands - 1
                    unsafe samples[x * bands + band] = S(rounding: isAlpha ? value : value * scale)
                }
            }
        }
    }
}

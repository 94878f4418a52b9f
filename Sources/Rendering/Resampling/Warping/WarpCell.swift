/// A square of the output, in which positions in the picture change nearly linearly, or not.
package struct WarpCell: Sendable {
    /// The side of a cell in pixels.
    package static let side = 8

    /// The positions of the corners at the left and the right of the top, and of the bottom.
    package var topLeft: SIMD2<Double>
    package var topRight: SIMD2<Double>
    package var bottomLeft: SIMD2<Double>
    package var bottomRight: SIMD2<Double>
    /// Whether positions between the corners have to be computed one by one.
    package var isExact: Bool
    /// The pixels of the picture between two pixels of the output that are beside each other, and below each other.
    package var steps: SIMD2<Double>

    package init(
        topLeft: SIMD2<Double>, topRight: SIMD2<Double>, bottomLeft: SIMD2<Double>,
        bottomRight: SIMD2<Double>, isExact: Bool, steps: SIMD2<Double>
    ) {
        (self.topLeft, self.topRight, self.bottomLeft, self.bottomRight) = (
            topLeft, topRight, bottomLeft, bottomRight
        )
        (self.isExact, self.steps) = (isExact, steps)
    }

    /// The most pixels of the picture between two samples.
    ///
    /// A mean of linear interpolations at 1.4 pixels blurs as much as one of all pixels, on average. At 1.7, it differs from
    /// the mean of a photograph's pixels by 46 decibels or more.
    private static let spacing = 1.7
    /// The steps up to which a pixel is one sample.
    private static let single = 1.05
    /// The most samples of a pixel along an axis.
    private static let mostSamples = 12.0

    /// The samples of a pixel across and down.
    var samples: SIMD2<Int> { SIMD2(Self.samples(steps.x), Self.samples(steps.y)) }

    private static func samples(_ step: Double) -> Int {
        step > single ? Int(min(max((step / spacing).rounded(.up), 2), mostSamples)) : 1
    }

    /// Whether samples are interpolated by cubics, which blur by less: where pixels are about as large as the output's.
    var isCubic: Bool { steps.max() <= Self.spacing }
}

/// The cubic of Catmull and Rom: it passes through the samples, and is as sharp as them at 1:1.
enum WarpCubic {
    /// Returns the weights of the four samples around a position.
    ///
    /// - Parameter x: the distance from the second one, 0 to 1.
    @inline(__always)
    static func weights(_ x: Float) -> SIMD4<Float> {
        let (square, cube) = (x * x, x * x * x)
        return SIMD4(
            -0.5 * x + square - 0.5 * cube, 1 - 2.5 * square + 1.5 * cube,
            0.5 * x + 2 * square - 1.5 * cube, -0.5 * square + 0.5 * cube)
    }

    /// The bits of weights as integers.
    static let bits = 14
    /// The bits of the positions in the table.
    static let tableBits = 10

    /// Two pairs of weights as integers, each in halves of a word, for positions from 0 to 1.
    static let pairs: [SIMD2<Int32>] = (0...1 << tableBits).map { position in
        let floats = weights(Float(position) / Float(1 << tableBits)) * Float(1 << bits)
        var whole = SIMD4<Int32>(floats.rounded(.toNearestOrEven))
        // Their sum is 1.
        whole[position < 1 << (tableBits - 1) ? 1 : 2] += Int32(1 << bits) - whole.wrappedSum()
        return SIMD2(pair(whole[0], whole[1]), pair(whole[2], whole[3]))
    }

    /// Returns two numbers of 16 bits in a word.
    @inline(__always)
    static func pair(_ first: Int32, _ second: Int32) -> Int32 { first & 0xFFFF | second << 16 }
}

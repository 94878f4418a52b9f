/// The conversion of luma and chroma to RGB, with exactly the roundings of libheif.
///
/// Each sample of chroma serves two by two pixels. Sums are in single precision, rounded half away from zero.
///
/// Source: ITU-T H.273, section 8.3; libheif's Op_YCbCr_to_RGB.
package struct YCbCrConversion: Sendable {
    /// By the value of a sample.
    private let luma: [Float]
    private let redOfRed: [Float]
    private let greenOfBlue: [Float]
    private let greenOfRed: [Float]
    private let blueOfBlue: [Float]

    /// Creates the conversion of a matrix; nil for one that has no weights of red and blue, or is rare.
    ///
    /// - Parameter matrix: the number in ITU-T H.273; 2, "unspecified", is that of BT.601.
    package init?(matrix: Int, isFullRange: Bool) {
        let factors: (redOfRed: Float, greenOfBlue: Float, greenOfRed: Float, blueOfBlue: Float)
        switch matrix {
        case 1: factors = Self.factors(red: 0.2126, blue: 0.0722)
        // libheif's own numbers, of six digits.
        case 2: factors = (1.402, -0.344136, -0.714136, 1.772)
        case 5, 6: factors = Self.factors(red: 0.299, blue: 0.114)
        case 9: factors = Self.factors(red: 0.2627, blue: 0.0593)
        default: return nil
        }
        let values = (0...255).map { Float($0) }
        // libheif's numbers for 255 / 219 and 255 / 224, which it states in four digits.
        luma = isFullRange ? values : values.map { ($0 - 16) * 1.1689 }
        let chroma = values.map { isFullRange ? $0 - 128 : ($0 - 128) * 1.1429 }
        // Products of the 256 values of a sample, rounded as libheif rounds them for each pixel.
        redOfRed = chroma.map { factors.redOfRed * $0 }
        greenOfBlue = chroma.map { factors.greenOfBlue * $0 }
        greenOfRed = chroma.map { factors.greenOfRed * $0 }
        blueOfBlue = chroma.map { factors.blueOfBlue * $0 }
    }

    private static func factors(red: Float, blue: Float) -> (Float, Float, Float, Float) {
        let green = blue + red - 1
        return (2 * (1 - red), 2 * blue * (1 - blue) / green, 2 * red * (1 - red) / green, 2 * (1 - blue))
    }

    /// Writes RGB of the pixels on a line of a picture, from a first one in equal steps.
    ///
    /// - Parameters:
    ///   - step: the distance to the next pixel: 1 or -1 on one axis, 0 on the other.
    ///   - offset: the position of the first sample in `samples`.
    /// - Precondition: all of the line is inside of the picture.
    package func convert(
        _ picture: HEVCPicture, from first: (x: Int, y: Int), step: (x: Int, y: Int), count: Int,
        into samples: inout [UInt8], at offset: Int
    ) {
        let (y, cb, cr) = (picture.luma.span, picture.blue.span, picture.red.span)
        let tables = (luma.span, redOfRed.span, greenOfBlue.span, greenOfRed.span, blueOfBlue.span)
        var output = samples.mutableSpan
        var at = offset
        var (column, row) = first
        for _ in 0..<count {
            let chroma = (row >> 1) * picture.chromaWidth + (column >> 1)
            let light = tables.0[Int(y[row * picture.width + column])]
            let (b, r) = (Int(cb[chroma]), Int(cr[chroma]))
            output[at] = Self.rounded(light + tables.1[r])
            output[at + 1] = Self.rounded(light + tables.2[b] + tables.3[r])
            output[at + 2] = Self.rounded(light + tables.4[b])
            at += 3
            column += step.x
            row += step.y
        }
    }

    private static func rounded(_ value: Float) -> UInt8 { UInt8(min(max(value, 0), 255) + 0.5) }
}

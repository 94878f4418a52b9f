internal import ImageMetadata
internal import ImageReading
private import Platform

/// Converts 8-bit RGB of a profile with curves and a matrix, such as Display P3 and Adobe RGB, to sRGB.
///
/// Phones write such profiles into every photo, and starting libvips and LittleCMS costs more than converting a viewport. The
/// results are those of LittleCMS' own shortcut for such profiles, which computes with 14 fractional bits, and of libvips'
/// profile of sRGB.
///
/// Source: LittleCMS 2.14, cmsopt.c and cmsgamma.c.
struct SRGBConversion {
    /// The light of samples, in 1/16384, for red, green and blue.
    private let light: [[Int]]
    /// Rows of the matrix from light to light of sRGB, in 1/16384.
    private let matrix: [[Int]]

    private static let one = 1 << 14

    /// Returns nil where the options request other colors than sRGB, or the format has other samples or another kind of
    /// profile.
    init?(_ options: RenderOptions, _ format: SourcePixelFormat) {
        guard options.colorMode == .srgb, options.depth == 8, format.layout.type == .uint8,
            format.interpretation == "srgb", format.layout.bands == (format.layout.hasAlpha ? 4 : 3),
            let profile = format.profile.flatMap(ICCProfile.init), !profile.isSRGB,
            let model = profile.matrixModel
        else { return nil }
        self.init(model)
    }

    /// Returns nil for the primaries of sRGB, where LittleCMS joins the curves instead.
    init?(_ model: ICCProfile.MatrixModel) {
        let rows = Self.fromXYZ.map { row in
            model.colorants.map { color in row[0] * color[0] + row[1] * color[1] + row[2] * color[2] }
        }
        let isIdentity = (0..<9).allSatisfy { index in
            let expected: Double = index % 4 == 0 ? 1 : 0
            return abs(rows[index / 3][index % 3] - expected) < 1.0 / 1024
        }
        guard !isIdentity, rows.joined().allSatisfy({ abs($0) < 16 }) else { return nil }
        matrix = rows.map { $0.map(Self.fixed) }
        var light: [[Int]] = []
        for curve in model.curves {
            let values = (0...255).map { sample in
                let position = Float(Double(sample) / 255)
                return Double(Float(curve.formula(Double(position))))
            }
            guard values.allSatisfy({ abs($0) < 16 }) else { return nil }
            light.append(values.map(Self.fixed))
        }
        self.light = light
    }

    private static func fixed(_ value: Double) -> Int { Int((value * Double(one) + 0.5).rounded(.down)) }

    /// Returns the format of converted pixels.
    func format(_ format: SourcePixelFormat) -> SourcePixelFormat {
        var format = format
        format.profile = nil
        return format
    }

    /// Returns converted pixels; alpha is kept.
    func converted(_ picture: StoredPicture, hasAlpha: Bool) -> StoredPicture {
        let bands = hasAlpha ? 4 : 3
        var bytes = picture.bytes
        let samples = Self.samples
        let (red, green, blue) = (light[0], light[1], light[2])
        let (first, second, third) = (matrix[0], matrix[1], matrix[2])
        for at in stride(from: 0, to: bytes.count - bands + 1, by: bands) {
            let (r, g, b) = (red[Int(bytes[at])], green[Int(bytes[at + 1])], blue[Int(bytes[at + 2])])
            func sample(_ row: [Int]) -> UInt8 {
                let sum = (row[0] * r + row[1] * g + row[2] * b + Self.one / 2) >> 14
                return samples[min(max(sum, 0), Self.one)]
            }
            (bytes[at], bytes[at + 1], bytes[at + 2]) = (sample(first), sample(second), sample(third))
        }
        return StoredPicture(bytes: bytes, width: picture.width, height: picture.height)
    }
}

/// The profile of sRGB in libvips, which LittleCMS made.
extension SRGBConversion {
    /// The matrix from XYZ to light of sRGB: the inverse of the colorants, which are stated in 1/65536.
    private static let fromXYZ: [[Double]] = {
        let columns = [[0x6F94, 0x38EE, 0x0390], [0x62A5, 0xB790, 0x18DE], [0x249D, 0x0F83, 0xB6BE]].map {
            $0.map { Double($0) / 65536 }
        }
        func cofactor(_ row: Int, _ column: Int) -> Double {
            let (r, s) = ((row + 1) % 3, (row + 2) % 3)
            let (c, d) = ((column + 1) % 3, (column + 2) % 3)
            return columns[c][r] * columns[d][s] - columns[d][r] * columns[c][s]
        }
        let determinant = (0..<3).reduce(0) { $0 + columns[$1][0] * cofactor(0, $1) }
        return (0..<3).map { row in (0..<3).map { cofactor($0, row) / determinant } }
    }()

    /// The sample of each light in 1/16384.
    private static let samples: [UInt8] = (0...one).map { light in
        let value = interpolated(saturated(Double(Float(Double(light) / Double(one))) * 65535))
        let wide = saturated(Double(Float(Double(value) / 65535)) * 65535)
        return UInt8((wide * 65281 + 8_388_608) >> 24)
    }

    /// The inverse of the profile's curve at 4096 lights, in 16 bits.
    private static let inverse: [Int] = {
        let curve = (0...1023).map { saturated(light(ofSRGB: Double($0) / 1023) * 65535) }
        var interval = 0
        return (0...4095).map { index in
            let light = Double(index) * 65535 / 4095
            while interval < 1022, Double(curve[interval + 1]) <= light { interval += 1 }
            let (below, above) = (Double(curve[interval]), Double(curve[interval + 1]))
            let (start, end) = (Double(interval) * 65535 / 1023, Double(interval + 1) * 65535 / 1023)
            let slope = (end - start) / (above - below)
            return saturated(slope * light + (end - slope * above))
        }
    }()

    private static func light(ofSRGB sample: Double) -> Double {
        sample <= 0.04045 ? sample / 12.92 : pow((sample + 0.055) / 1.055, 2.4)
    }

    /// Rounds to 16 bits.
    private static func saturated(_ value: Double) -> Int {
        min(max(Int((value + 0.5).rounded(.down)), 0), 65535)
    }

    /// Interpolates the inverse curve, in 16 bits.
    private static func interpolated(_ light: Int) -> Int {
        guard light < 65535 else { return inverse[4095] }
        let product = light * 4095
        let position = product + (product + 0x7FFF) / 0xFFFF
        let (index, rest) = (position >> 16, position & 0xFFFF)
        return inverse[index] + (((inverse[index + 1] - inverse[index]) * rest + 0x8000) >> 16)
    }
}

internal import ImageMetadata
private import Platform
internal import Vips

/// Converts samples of PQ and HLG to sRGB, Display P3 or gray, mapped to SDR.
struct HDRConversion {
    private let range: HighDynamicRange
    /// From light of the picture to light of the result, row by row; nil for gray.
    private let matrix: [[Double]]?
    private let depth: Int
    /// The light of evenly spaced samples: mapped where samples are light, else the light of the scene.
    private let light: [Double]
    /// The mapped light of HLG at evenly spaced roots of light.
    private let mapped: [Double]

    private static let steps = 4095
    private static let roots = 4095

    /// - Parameter primaries: those of the result, by their number of ITU-T H.273.
    ///
    /// Returns nil for profiles of SDR.
    init?(_ profile: ICCProfile, toPrimaries primaries: Int, depth: Int) {
        guard let range = profile.highDynamicRange else { return nil }
        self.range = range
        self.depth = depth
        matrix = profile.matrix(toPrimaries: primaries)
        let samples = (0...Self.steps).map { Double($0) / Double(Self.steps) }
        switch range.transfer {
        case .pq:
            light = samples.map { range.mapped(HighDynamicRange.light(ofPQ: $0)) }
            mapped = []
        case .hlg:
            light = samples.map(HighDynamicRange.scene(ofHLG:))
            mapped = (0...Self.roots).map { step in
                let root = Double(step) / Double(Self.roots)
                return range.mapped(root * root * range.peak)
            }
        }
    }

    /// Returns an image of 1 or 3 bands with other colors; nil for other bands.
    func converted(_ image: VipsImage) throws(VipsError) -> VipsImage? {
        guard image.bands == 1 || image.bands == 3 && matrix != nil else { return nil }
        let samples = Samples(bytes: try image.pixels().copied(), format: image.format)
        let count = image.width * image.height
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * image.bands * depth / 8)
        for pixel in 0..<count {
            if image.bands == 1 {
                append(shown(gray: lookup(light, samples[pixel])), to: &bytes)
            } else {
                let at = 3 * pixel
                let (r, g, b) = shown(
                    lookup(light, samples[at]), lookup(light, samples[at + 1]), lookup(light, samples[at + 2])
                )
                append(r, to: &bytes)
                append(g, to: &bytes)
                append(b, to: &bytes)
            }
        }
        let isDeep = depth == 16
        let space = image.bands == 1 ? (isDeep ? "grey16" : "b-w") : (isDeep ? "rgb16" : "srgb")
        return try VipsImage.pixels(
            bytes, width: image.width, height: image.height, bands: image.bands,
            format: isDeep ? .uint16 : .uint8, interpretation: space)
    }

    private func shown(gray light: Double) -> Double {
        range.transfer == .pq ? light : lit(light, range.gain(ofBrightness: light))
    }

    /// Returns the light of the result.
    private func shown(_ red: Double, _ green: Double, _ blue: Double) -> (Double, Double, Double) {
        var (r, g, b) = (red, green, blue)
        if range.transfer == .hlg {
            let shares = HighDynamicRange.brightness
            let gain = range.gain(ofBrightness: shares[0] * r + shares[1] * g + shares[2] * b)
            (r, g, b) = (lit(r, gain), lit(g, gain), lit(b, gain))
        }
        guard let matrix else { return (r, g, b) }
        func sum(_ row: [Double]) -> Double { row[0] * r + row[1] * g + row[2] * b }
        return (sum(matrix[0]), sum(matrix[1]), sum(matrix[2]))
    }

    /// Returns the mapped light of HLG from the scene's.
    private func lit(_ scene: Double, _ gain: Double) -> Double {
        lookup(mapped, (scene * gain / range.peak).squareRoot())
    }

    /// Returns the value of a table at a position from 0 to 1.
    private func lookup(_ table: [Double], _ position: Double) -> Double {
        // NaN, too, becomes 0.
        let place = (position > 0 ? min(position, 1) : 0) * Double(table.count - 1)
        let index = min(Int(place), table.count - 2)
        return table[index] + (table[index + 1] - table[index]) * (place - Double(index))
    }

    /// Appends the sample of light, which is cut off outside of the result's colors.
    private func append(_ light: Double, to bytes: inout [UInt8]) {
        let light = min(max(light, 0), 1)
        let value = Self.samples[Int((light * 65535).rounded())]
        guard depth == 16 else {
            bytes.append(UInt8((UInt32(value) * 255 + 32767) / 65535))
            return
        }
        #if _endian(little)
        bytes += [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
        #else
        bytes += [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]
        #endif
    }

    /// The samples of 16 bits on the curve of sRGB, by light in 1/65535.
    private static let samples: [UInt16] = (0...65535).map { step in
        let light = Double(step) / 65535
        let sample = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
        return UInt16((sample * 65535).rounded())
    }

    /// Samples in memory as numbers from 0 to 1.
    private struct Samples {
        let bytes: [UInt8]
        let format: SampleFormat

        subscript(index: Int) -> Double {
            switch format {
            case .uint8: return Double(bytes[index]) / 255
            case .uint16: return Double(word(2 * index)) / 65535
            default:
                let (first, second) = (UInt32(word(4 * index)), UInt32(word(4 * index + 2)))
                #if _endian(little)
                return Double(Float(bitPattern: second << 16 | first))
                #else
                return Double(Float(bitPattern: first << 16 | second))
                #endif
            }
        }

        private func word(_ at: Int) -> UInt16 {
            #if _endian(little)
            return UInt16(bytes[at + 1]) << 8 | UInt16(bytes[at])
            #else
            return UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1])
            #endif
        }
    }
}

internal import Pictures
internal import ViewportGeometry

/// Raw video in YUV4MPEG2: 8 bits, 4:4:4, limited range, with BT.709's matrix.
///
/// The header has no field for the matrix; readers must be told.
enum RawVideo {
    /// Returns the header of a stream.
    static func header(_ size: PixelSize<OutputGrid>, _ rate: FrameRate) -> [UInt8] {
        let rate = "\(rate.numerator):\(rate.denominator)"
        return Array(
            "YUV4MPEG2 W\(size.width) H\(size.height) F\(rate) Ip A1:1 C444 XCOLORRANGE=LIMITED\n".utf8)
    }

    /// Returns a frame: its marker and three planes.
    ///
    /// - Throws: `RenderingError.cannotEncode` for pictures that are not sRGB of 8 bits.
    static func frame(_ picture: Picture) throws(RenderingError) -> [UInt8] {
        let marker = Array("FRAME\n".utf8)
        let rgba = try picture.rgba()
        let area = picture.size.area
        var bytes = marker + [UInt8](repeating: 0, count: 3 * area)
        var planes = bytes.mutableSpan
        let pixels = rgba.span
        for index in 0..<area {
            let (r, g, b) = (Int(pixels[4 * index]), Int(pixels[4 * index + 1]), Int(pixels[4 * index + 2]))
            // Source: ITU-R BT.709-6, items 3.2 to 3.5. In 1/65536, half a unit is added for rounding.
            let y = (11_966 * r + 40_254 * g + 4064 * b + 0x8000) >> 16 + 16
            let cb = (-6596 * r - 22_189 * g + 28_784 * b + 0x8000) >> 16 + 128
            let cr = (28_784 * r - 26_145 * g - 2639 * b + 0x8000) >> 16 + 128
            planes[marker.count + index] = UInt8(y)
            planes[marker.count + area + index] = UInt8(cb)
            planes[marker.count + 2 * area + index] = UInt8(cr)
        }
        return bytes
    }
}

/// A number of frames per second, as a fraction: "30", "29.97", "30000/1001".
package struct FrameRate: Hashable, Sendable {
    package let numerator: Int
    package let denominator: Int

    /// - Precondition: from 1 to 1000.
    package init(_ framesPerSecond: Int) {
        precondition((1...1000).contains(framesPerSecond))
        (numerator, denominator) = (framesPerSecond, 1)
    }

    /// Parses a rate from 0.001 to 1000.
    package init?(parsing text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(Self.fraction)
        guard (1...2).contains(parts.count), let first = parts[0], let last = parts.last!, last.top > 0 else {
            return nil
        }
        let (top, bottom) =
            parts.count == 1 ? first : (first.top * last.bottom, first.bottom * last.top)
        guard (0.001...1000).contains(Double(top) / Double(bottom)) else { return nil }
        var (a, b) = (top, bottom)
        while b != 0 { (a, b) = (b, a % b) }
        (numerator, denominator) = (top / a, bottom / a)
    }

    /// Returns a decimal number with up to six digits before and after the point.
    private static func fraction(_ text: Substring) -> (top: Int, bottom: Int)? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), (1...6).contains(parts[0].utf8.count),
            parts.count == 1 || (1...6).contains(parts[1].utf8.count),
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let top = Int(parts.joined())
        else { return nil }
        let digits = parts.count == 1 ? 0 : parts[1].utf8.count
        return (top, (0..<digits).reduce(1) { power, _ in power * 10 })
    }

    /// Frames per second.
    package var value: Double { Double(numerator) / Double(denominator) }

    package var text: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}

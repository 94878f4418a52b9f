private import Platform
package import ViewportGeometry

/// Measures of the difference between two pictures, and parts of them.
package enum Comparing {
    /// Returns the greatest difference of two samples; nil if the pictures have different sizes.
    package static func greatestDifference(_ a: [UInt8], _ b: [UInt8]) -> Int? {
        guard a.count == b.count else { return nil }
        return zip(a, b).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }

    /// Returns the samples of a rectangle of a picture.
    package static func part<Grid>(
        _ rect: PixelRect<Grid>, of samples: [UInt8], rowBytes: Int, pixelBytes: Int
    ) -> [UInt8] {
        var part: [UInt8] = []
        for row in rect.y..<rect.maxY {
            let start = row * rowBytes + rect.x * pixelBytes
            part += samples[start..<(start + rect.width * pixelBytes)]
        }
        return part
    }

    /// Returns the peak signal-to-noise ratio of 8-bit samples in decibels; 99 if they are equal.
    package static func psnr(_ a: [UInt8], _ b: [UInt8]) -> Double {
        let squares = zip(a, b).reduce(0.0) { sum, pair in
            let difference = Double(pair.0) - Double(pair.1)
            return sum + difference * difference
        }
        return squares == 0 ? 99 : 10 * log10(255 * 255 * Double(a.count) / squares)
    }
}

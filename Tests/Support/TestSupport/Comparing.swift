private import Platform

/// Measures of the difference between two pictures.
package enum Comparing {
    /// Returns the greatest difference of two samples; nil if the pictures have different sizes.
    package static func greatestDifference(_ a: [UInt8], _ b: [UInt8]) -> Int? {
        guard a.count == b.count else { return nil }
        return zip(a, b).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
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

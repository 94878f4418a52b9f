private import Platform

/// How far two pictures are apart.
package enum Comparing {
    /// The greatest difference of two samples; nil where the pictures have different sizes.
    package static func greatestDifference(_ a: [UInt8], _ b: [UInt8]) -> Int? {
        guard a.count == b.count else { return nil }
        return zip(a, b).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }

    /// The peak signal-to-noise ratio of 8-bit samples, in decibels; 99 for equal ones.
    package static func psnr(_ a: [UInt8], _ b: [UInt8]) -> Double {
        let squares = zip(a, b).reduce(0.0) { sum, pair in
            let difference = Double(pair.0) - Double(pair.1)
            return sum + difference * difference
        }
        return squares == 0 ? 99 : 10 * log10(255 * 255 * Double(a.count) / squares)
    }
}

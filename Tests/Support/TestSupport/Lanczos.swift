private import Foundation
package import Vips

/// The reference for thumbnails: all pixels, weighted in one step in double precision, without rounding.
package enum Lanczos {
    /// Returns a picture of a whole image.
    package static func picture(of image: VipsImage, width: Int, height: Int) throws -> [Double] {
        try picture(
            of: image.pixels().copied().map(Double.init), columns: image.width, bands: image.bands,
            width: width, height: height)
    }

    /// Returns a picture of samples of any scale.
    package static func picture(
        of samples: [Double], columns: Int, bands: Int, width: Int, height: Int
    ) -> [Double] {
        let rows = samples.count / columns / bands
        let across = weights(of: columns, to: width)
        let down = weights(of: rows, to: height)
        let lying = (0..<rows).flatMap { y in
            across.flatMap { first, weights in
                (0..<bands).map { band in
                    weights.enumerated().reduce(0.0) {
                        $0 + $1.element * samples[(y * columns + first + $1.offset) * bands + band]
                    }
                }
            }
        }
        return down.flatMap { first, weights in
            (0..<(width * bands)).map { place in
                weights.enumerated().reduce(0.0) {
                    $0 + $1.element * lying[(first + $1.offset) * width * bands + place]
                }
            }
        }
    }

    /// Returns the peak signal-to-noise ratio of 8-bit samples in decibels.
    package static func psnr(_ samples: [UInt8], _ exact: [Double]) throws -> Double {
        let squares = zip(samples, exact).map { (Double($0) - $1) * (Double($0) - $1) }
        return 10 * log10(255 * 255 * Double(exact.count) / squares.reduce(0, +))
    }

    /// Returns the first source pixel and the weights for every output pixel of a row.
    private static func weights(of count: Int, to size: Int) -> [(Int, [Double])] {
        let step = Double(count) / Double(size)
        return (0..<size).map { place in
            let center = (Double(place) + 0.5) * step
            let first = max(0, Int((center - 3 * step).rounded()))
            let end = min(count, Int((center + 3 * step).rounded()))
            let weights = (first..<end).map { kernel((Double($0) + 0.5 - center) / step) }
            let sum = weights.reduce(0, +)
            return (first, weights.map { $0 / sum })
        }
    }

    private static func kernel(_ x: Double) -> Double {
        guard x != 0 else { return 1 }
        guard abs(x) < 3 else { return 0 }
        return 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
    }
}

private import Platform

/// A reconstruction filter: the weight of a source sample by its distance from an output sample.
public enum ResamplingKernel: String, CaseIterable, Codable, Sendable {
    /// The source sample that contains the position.
    case nearest
    /// A triangle of radius 1.
    case linear
    /// Catmull-Rom's cubic (B 0, C 1/2), radius 2.
    case cubic
    /// Mitchell and Netravali's cubic (B 1/3, C 1/3), radius 2.
    case mitchell
    /// Lanczos' windowed sinc of three lobes.
    case lanczos3
}

extension ResamplingKernel {
    /// The distance in source samples at scale 1 beyond which weights are 0.
    package var radius: Double {
        switch self {
        case .nearest: 0.5
        case .linear: 1
        case .cubic, .mitchell: 2
        case .lanczos3: 3
        }
    }

    /// Returns the weight at a distance; the weights of a sample are normalized afterwards.
    func weight(at distance: Double) -> Double {
        let x = abs(distance)
        guard x < radius else { return 0 }
        return switch self {
        case .nearest: 1
        case .linear: 1 - x
        case .cubic: Self.cubic(x, b: 0, c: 0.5)
        case .mitchell: Self.cubic(x, b: 1.0 / 3, c: 1.0 / 3)
        case .lanczos3: Self.sinc(x) * Self.sinc(x / 3)
        }
    }

    /// Source: Mitchell and Netravali, Reconstruction Filters in Computer Graphics, 1988, equation 8.
    private static func cubic(_ x: Double, b: Double, c: Double) -> Double {
        let far = x >= 1
        let cube = far ? -b - 6 * c : 12 - 9 * b - 6 * c
        let square = far ? 6 * b + 30 * c : -18 + 12 * b + 6 * c
        let linear = far ? -12 * b - 48 * c : 0
        let constant = far ? 8 * b + 24 * c : 6 - 2 * b
        return (((cube * x + square) * x + linear) * x + constant) / 6
    }

    private static func sinc(_ x: Double) -> Double {
        x < 1e-9 ? 1 : sin(.pi * x) / (.pi * x)
    }
}

/// A kernel that is stretched to the width of the output samples; distances are in source samples.
struct StretchedKernel {
    /// The distance in source samples beyond which weights are 0.
    let reach: Double
    let isNearest: Bool

    private let kernel: ResamplingKernel
    private let stretch: Double
    private let sharpeningCompensation: Double

    init(_ kernel: ResamplingKernel, from source: SamplingGrid, to output: SamplingGrid) {
        self.kernel = kernel
        isNearest = kernel == .nearest
        // Shrinking widens the kernel, so that every source sample counts. Enlarging interpolates with the
        // kernel as it is.
        stretch = isNearest ? 1 : max(1, output.step / source.step)
        // None at 1:1, where samples are copied; complete from a ratio of 2 on.
        sharpeningCompensation = isNearest ? 0 : source.sharpeningCompensation * min(1, stretch - 1)
        // Compensation reads one more neighbor on each side.
        reach = kernel.radius * stretch + (sharpeningCompensation == 0 ? 0 : 1)
    }

    /// Returns the weight at a distance in source samples; the weights of a sample are normalized afterwards.
    func weight(at distance: Double) -> Double {
        let weight = kernel.weight(at: distance / stretch)
        guard sharpeningCompensation != 0 else { return weight }
        let before = kernel.weight(at: (distance - 1) / stretch)
        let after = kernel.weight(at: (distance + 1) / stretch)
        return weight + sharpeningCompensation * (2 * weight - before - after)
    }
}

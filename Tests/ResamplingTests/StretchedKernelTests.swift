import Foundation
import Resampling
import Testing

@Suite("Means that are shrunk")
struct StretchedKernelTests {
    /// A wave of `period` samples, from 28 to 228.
    static func wave(_ count: Int, period: Double) -> [Double] {
        (0..<count).map { 128 + 100 * sin(2 * .pi * (Double($0) + 0.5) / period) }
    }

    static func bytes(_ samples: [Double]) -> [UInt8] { samples.map { UInt8($0.rounded()) } }

    /// The means of every `count` samples.
    static func means(_ samples: [Double], of count: Int) -> [Double] {
        stride(from: 0, to: samples.count, by: count).map { start in
            samples[start..<(start + count)].reduce(0, +) / Double(count)
        }
    }

    static func sharpeningCompensation(_ count: Int) -> Double { (1 - 1 / Double(count * count)) / 24 }

    /// Rows of `count` samples, shrunk to `width`.
    static func shrink(_ row: [UInt8], step: Double, sharpeningCompensation: Double, to width: Int) -> [UInt8]
    {
        let whole = Double(row.count) * step
        let weights = AxisWeights(
            from: SamplingGrid(
                origin: 0, step: step, count: row.count, sharpeningCompensation: sharpeningCompensation),
            to: SamplingGrid(origin: 0, step: whole / Double(width), count: width), kernel: .lanczos3)
        return resample([row], horizontal: weights, vertical: RowResamplerTests.one)
    }

    /// The greatest difference, away from the ends.
    static func difference(_ a: [UInt8], _ b: [UInt8]) -> Int {
        zip(a, b).dropFirst(4).dropLast(4).map { abs(Int($0) - Int($1)) }.max()!
    }

    @Test("show waves as high as all pixels do", arguments: [2, 4, 8])
    func waves(_ count: Int) {
        // Two means to an output pixel, and waves down to three output pixels.
        for outputs in [3.0, 4, 7, 20] {
            let pixels = Self.wave(4096, period: outputs * Double(2 * count))
            let width = 4096 / (2 * count)
            let exact = Self.shrink(Self.bytes(pixels), step: 1, sharpeningCompensation: 0, to: width)
            let means = Self.bytes(Self.means(pixels, of: count))
            let lively = Self.shrink(
                means, step: Double(count), sharpeningCompensation: Self.sharpeningCompensation(count),
                to: width)
            #expect(Self.difference(lively, exact) <= 1, "period \(outputs)")
            if outputs == 3, count > 2 {
                // Without sharpeningCompensation.
                let dull = Self.shrink(means, step: Double(count), sharpeningCompensation: 0, to: width)
                #expect(Self.difference(dull, exact) >= 3)
            }
        }
    }

    @Test("stay as they are where they are shown one for one", arguments: [2, 4, 8])
    func identity(_ count: Int) {
        let row = Self.bytes(Self.wave(64, period: 5))
        #expect(
            Self.shrink(
                row, step: Double(count), sharpeningCompensation: Self.sharpeningCompensation(count), to: 64)
                == row)
    }

    @Test("keep a flat picture flat", arguments: [1.2, 2, 3.7])
    func flat(_ step: Double) {
        let row = [UInt8](repeating: 200, count: 120)
        let made = Self.shrink(row, step: 8, sharpeningCompensation: 1.0 / 24, to: Int(120 / step))
        #expect(made.allSatisfy { $0 == 200 })
    }
}

import Foundation
import TestHarness
import TestSupport
import Testing
import Thumbnails
import Vips

/// Patterns finer than the pixels of a thumbnail: what a reduction leaves of them is moiré.
enum FinePattern: String, CaseIterable {
    /// Rings from the lowest frequency in the center to the highest at the edges.
    case zonePlate
    /// A weave with periods of 2.2 and 3.1 pixels.
    case fabric
    /// Black strokes of one pixel on white, as letters of seven pixels.
    case text

    static let (width, height) = (400, 300)

    /// Gray samples from 0 to 255.
    var samples: [UInt8] {
        let (width, height) = (Self.width, Self.height)
        var random = SplitMix64(seed: 7)
        let letters = (0..<4096).map { _ in random.next() }
        return (0..<(width * height)).map { (place: Int) -> UInt8 in
            let (x, y) = (place % width, place / width)
            switch self {
            case .zonePlate:
                let (dx, dy) = (Double(x) - 199.5, Double(y) - 149.5)
                let phase: Double = .pi * (dx * dx + dy * dy) / 400
                return UInt8((127.5 + 120 * cos(phase)).rounded())
            case .fabric:
                let across = sin(Double(x) * 2 * Double.pi / 2.2)
                let down = sin(Double(y) * 2 * Double.pi / 3.1)
                return UInt8((127.5 + 60 * across + 60 * down).rounded())
            case .text:
                let (column, row) = (x % 6, y % 10)
                guard column < 5, row < 7 else { return 255 }
                let letter: UInt64 = letters[y / 10 * 67 + x / 6]
                let stroke = (letter >> UInt64(row * 5 + column)) & 1
                return stroke == 1 ? 0 : 255
            }
        }
    }
}

@Suite("Thumbnails of fine patterns")
struct MoireTests {
    /// The widths: made of all pixels, of 1/2, of 1/4 and of 1/8, just above and below a factor of two.
    static let widths = [210, 200, 150, 103, 100, 51, 50, 30, 25, 12]

    /// sRGB's curve, from samples to light.
    static func light(_ sample: Double) -> Double {
        let x = sample / 255
        return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)
    }

    static func sample(_ light: Double) -> Double {
        let light = min(max(light, 0), 1)
        return 255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055)
    }

    /// Returns a reduction of all pixels in one step.
    static func reference(_ samples: [UInt8], _ width: Int, _ height: Int, isLinear: Bool) -> [Double] {
        let source = samples.map { isLinear ? light(Double($0)) : Double($0) }
        let made = Lanczos.picture(
            of: source, columns: FinePattern.width, bands: 1, width: width, height: height)
        return made.map { isLinear ? sample($0) : min(max($0, 0), 255) }
    }

    /// Returns the lowest PSNR in decibels, which also limits the energy of moiré.
    ///
    /// Two pixels of a level per pixel of the thumbnail leave waves near the level's own limit.
    static func bound(_ width: Int, isLinear: Bool) -> Double {
        switch width {
        case _ where isLinear: 46
        case 101...: 49
        case 100: 30
        case 50...: 32
        default: 41
        }
    }

    @Test(
        "equal a reduction of all pixels", arguments: FinePattern.allCases, ["jpg", "png"])
    func error(_ pattern: FinePattern, _ ending: String) throws {
        let making = try Making()
        let samples = pattern.samples
        let image = try VipsImage.pixels(
            samples, width: FinePattern.width, height: FinePattern.height, bands: 1, format: .uint8,
            interpretation: "b-w")
        let path = making.folder.path("pattern.\(ending)")
        try image.save(
            path, with: ending == "jpg" ? "jpegsave" : "pngsave", ending == "jpg" ? ["Q": .int(100)] : [:])
        for isLinear in [false, true] {
            for width in Self.widths {
                let made = try making.make(path, ["\(width)"]) { $0.isLinear = isLinear }.thumbnails[0]
                let exact = Self.reference(samples, made.width, made.height, isLinear: isLinear)
                let quality = try Lanczos.psnr(made.samples(), exact)
                let bound = Self.bound(width, isLinear: isLinear)
                #expect(quality > bound, "\(width) pixels, linear: \(isLinear)")
            }
        }
    }
}

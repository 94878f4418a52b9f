private import Platform

/// A transfer function of pictures of high dynamic range, and how their light is mapped to that of SDR.
///
/// There is one rule: light is that of a display of `peak` cd/m², and the electro-electrical transfer function of
/// ITU-R BT.2390-10, section 5.4.1, maps each of red, green and blue to a display whose white has 203 cd/m², the
/// reference white of ITU-R BT.2408. Darker light is shown as it is; the shoulder begins at `kneeStart`.
package struct HighDynamicRange: Hashable, Sendable {
    /// The transfer function by ITU-R BT.2100.
    package enum Transfer: String, Sendable {
        /// Perceptual quantization: samples are light in cd/m².
        case pq
        /// Hybrid log-gamma: samples are light of the scene.
        case hlg

        package var name: String { rawValue.uppercased() }
    }

    package let transfer: Transfer
    /// The brightest light in cd/m² that the picture has on a display.
    package let peak: Double

    /// The light of white in SDR in cd/m².
    package static let white = 203.0
    /// The peak of pictures that state none, and of all HLG: that of the reference display of BT.2100.
    package static let usualPeak = 1000.0
    /// The most light that PQ expresses.
    private static let mostLight = 10_000.0
    /// The number of values of `light`.
    static let steps = 4096

    /// - Parameter peak: the brightest light as stated; nil or implausible for the usual one.
    package init(_ transfer: Transfer, peak: Double? = nil) {
        self.transfer = transfer
        let stated = transfer == .hlg ? nil : peak.flatMap { (1...Self.mostLight).contains($0) ? $0 : nil }
        // A picture without light above white is shown as it is.
        self.peak = max(stated ?? Self.usualPeak, Self.white)
    }

    /// Creates it from the number of ITU-T H.273; nil for other transfer functions.
    init?(transfer: Int, peak: Double?) {
        switch transfer {
        case 16: self.init(.pq, peak: peak)
        case 18: self.init(.hlg)
        default: return nil
        }
    }

    /// The mapped light of evenly spaced gray samples, from 0 to 1.
    var light: [Double] {
        (0..<Self.steps).map { step in
            let sample = Double(step) / Double(Self.steps - 1)
            return switch transfer {
            case .pq: mapped(Self.light(ofPQ: sample))
            case .hlg: mapped(displayed(Self.scene(ofHLG: sample)))
            }
        }
    }
}

extension HighDynamicRange {
    /// Returns light in cd/m² as a share of SDR's white, from 0 to 1.
    ///
    /// Source: ITU-R BT.2390-10, section 5.4.1, with a black of 0.
    package func mapped(_ light: Double) -> Double {
        let (whole, most) = (Self.pq(ofLight: peak), Self.pq(ofLight: Self.white) / Self.pq(ofLight: peak))
        let signal = min(max(Self.pq(ofLight: light) / whole, 0), 1)
        let knee = 1.5 * most - 0.5
        guard signal > knee, knee < 1 else { return min(max(light, 0) / Self.white, 1) }
        let t = (signal - knee) / (1 - knee)
        let (square, cube) = (t * t, t * t * t)
        let curved =
            (2 * cube - 3 * square + 1) * knee + (cube - 2 * square + t) * (1 - knee)
            + (3 * square - 2 * cube) * most
        return min(Self.light(ofPQ: curved * whole) / Self.white, 1)
    }

    /// Returns the light in cd/m² of a sample of PQ from 0 to 1.
    ///
    /// Source: ITU-R BT.2100-2, table 4.
    package static func light(ofPQ sample: Double) -> Double {
        let power = pow(min(max(sample, 0), 1), 1 / m2)
        return mostLight * pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
    }

    /// Returns the sample of PQ of light in cd/m².
    static func pq(ofLight light: Double) -> Double {
        let power = pow(min(max(light, 0), mostLight) / mostLight, m1)
        return pow((c1 + c2 * power) / (1 + c3 * power), m2)
    }

    /// Returns the light of the scene, from 0 to 1, of a sample of HLG from 0 to 1.
    ///
    /// Source: ITU-R BT.2100-2, table 5.
    package static func scene(ofHLG sample: Double) -> Double {
        let sample = min(max(sample, 0), 1)
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        return sample <= 0.5 ? sample * sample / 3 : (exp((sample - c) / a) + b) / 12
    }

    /// Returns the light in cd/m² of the scene's light on the display, where all colors have as much.
    private func displayed(_ scene: Double) -> Double { scene * gain(ofBrightness: scene) }

    /// Returns the factor from the scene's light to cd/m², given the brightness of the scene's color.
    ///
    /// The gamma of the system is 1.2 at the usual peak.
    package func gain(ofBrightness brightness: Double) -> Double {
        brightness > 0 ? peak * pow(brightness, 0.2) : 0
    }

    /// The share of red, green and blue in brightness.
    package static let brightness = [0.2627, 0.678, 0.0593]

    private static var m1: Double { 2610.0 / 16384 }
    private static var m2: Double { 2523.0 / 32 }
    private static var c1: Double { 3424.0 / 4096 }
    private static var c2: Double { 2413.0 / 128 }
    private static var c3: Double { 2392.0 / 128 }
}

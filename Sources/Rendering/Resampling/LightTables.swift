/// The light of samples of one type, and the samples of light, as tables.
///
/// Both are fractions of the maximum, from 0 to 1, unless a unit is named.
package struct LightTables: Sendable {
    let type: SampleLayout.SampleType
    /// The light of each sample.
    let decode: [Float]
    /// The same in units of 1/32767, for samples of 8 bits.
    let decode15: [Int16]
    /// The sample of each light in units of 1/32768, for samples of 8 bits.
    private let encode15: [UInt8]

    /// Returns nil for samples of floats, which have no tables.
    ///
    /// - Parameter curve: Returns the light of a sample.
    package init?(for type: SampleLayout.SampleType, _ curve: (Double) -> Double) {
        guard type != .float32 else { return nil }
        self.type = type
        let greatest = type == .uint8 ? 255 : 65535
        // Damaged profiles have curves that fall; then the greatest light so far counts.
        var last: Float = 0
        decode = (0...greatest).map { sample in
            last = max(last, Float(curve(Double(sample) / Double(greatest))))
            return last
        }
        guard type == .uint8 else {
            (decode15, encode15) = ([], [])
            return
        }
        decode15 = decode.map { Int16(($0 * 32767).rounded()) }
        var encode: [UInt8] = []
        encode.reserveCapacity(Self.steps + 1)
        for sample in 0..<greatest {
            // A sample ends where the next one is as near, on the scale of the samples.
            let middle = curve((Double(sample) + 0.5) / Double(greatest))
            let end = Int((middle * Double(Self.steps)).rounded(.up))
            encode += repeatElement(UInt8(sample), count: max(0, end - encode.count))
        }
        encode += repeatElement(255, count: max(0, Self.steps + 1 - encode.count))
        encode15 = encode
    }

    private static let steps = 32768

    /// Whether 15 bits suffice for bytes; a plain power is too flat near black.
    var fits15: Bool {
        !decode15.isEmpty && zip(decode15, decode15.dropFirst()).allSatisfy { Int($1) - Int($0) >= 4 }
    }

    /// Returns the sample of 8 bits for light in units of 1/32768; light outside is clamped.
    @inline(__always)
    func encoded(of15 light: Int32) -> UInt8 {
        encode15[Int(min(max(light, 0), Int32(Self.steps)))]
    }

    /// Returns the sample for light from 0 to 1; light outside is clamped.
    func encoded(_ light: Float) -> Float {
        // The first sample with as much light, or the one before it.
        var (low, high) = (0, decode.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if decode[middle] < light { low = middle + 1 } else { high = middle }
        }
        guard low > 0, decode[low] > decode[low - 1] else { return Float(low) }
        let between = (light - decode[low - 1]) / (decode[low] - decode[low - 1])
        return Float(low - 1) + min(max(between, 0), 1)
    }
}

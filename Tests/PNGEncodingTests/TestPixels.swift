import PNGEncoding

/// Pixels made by a rule, the same on every run.
enum TestPixels: String, CaseIterable, Sendable {
    /// Smooth with a little noise, as a photograph.
    case photograph
    /// Every byte random: deflate stores it.
    case noise
    /// One color.
    case flat
    /// Few colors in sharp shapes, as a screenshot.
    case shapes
    /// Rows that repeat with a shift.
    case pattern

    /// `count` bytes for rows of `rowBytes`.
    func bytes(_ count: Int, rowBytes: Int, distance: Int) -> [UInt8] {
        var generator = Xorshift(state: 0x9E37_79B9_7F4A_7C15)
        return (0..<count).map { index in
            let x = index % rowBytes
            let y = index / rowBytes
            let channel = x % distance
            switch self {
            case .photograph:
                let smooth = (x / distance + 2 * y) / 3 + 40 * channel
                return UInt8(truncatingIfNeeded: smooth + Int(generator.next() >> 61))
            case .noise: return UInt8(truncatingIfNeeded: generator.next() >> 32)
            case .flat: return UInt8(truncatingIfNeeded: 200 + channel)
            case .shapes:
                let isInside = (x / distance / 7 + y / 5) % 3 == 0
                return isInside ? UInt8(truncatingIfNeeded: 60 * channel + 20) : 255
            case .pattern: return UInt8(truncatingIfNeeded: (x &* 7 &+ y &* 3) & 0x7F)
            }
        }
    }

    func bytes(_ format: PNGFormat) -> [UInt8] {
        let rowBytes = format.width * format.bytesPerPixel
        return bytes(format.height * rowBytes, rowBytes: rowBytes, distance: format.bytesPerPixel)
    }
}

struct Xorshift {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

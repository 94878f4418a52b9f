/// A random number generator with the same numbers on every run.
package struct Xorshift: Sendable {
    private var state: UInt64

    /// - Parameter state: The seed, not 0.
    package init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    /// Returns a number from 0 up to, but not including, `limit`.
    package mutating func below(_ limit: Int) -> Int { Int(next() >> 33) % limit }

    /// Returns a copy of a file with some bytes of a range changed, removed or repeated, or truncated.
    package mutating func mutated(_ file: [UInt8], in range: Range<Int>) -> [UInt8] {
        var result = file
        for _ in 0...below(4) {
            guard result.count > range.lowerBound + 2 else { break }
            let offset = range.lowerBound + below(min(range.upperBound, result.count) - range.lowerBound)
            switch below(8) {
            case 0...2: result[offset] ^= 1 << UInt8(below(8))
            case 3: result[offset] = UInt8(truncatingIfNeeded: next())
            case 4: result[offset] = 0xFF
            case 5: result.remove(at: offset)
            case 6: result.insert(UInt8(truncatingIfNeeded: next()), at: offset)
            default: if below(4) == 0 { result.removeSubrange(offset...) }
            }
        }
        return result
    }

    /// Returns a copy with changes anywhere behind a number of bytes.
    package mutating func mutated(_ file: [UInt8], from start: Int = 0) -> [UInt8] {
        mutated(file, in: start..<Int.max)
    }
}

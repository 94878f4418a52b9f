/// A generator of numbers that are the same on every run.
package struct Xorshift: Sendable {
    private var state: UInt64

    /// Any seed but 0.
    package init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    /// 0 up to, not including, `limit`.
    package mutating func below(_ limit: Int) -> Int { Int(next() >> 33) % limit }
}

/// The bytes of a file, lent for one call: bounds are checked in debug builds, where the fuzzer runs.
///
/// Whoever makes one promises that the memory outlives it. Code that reads at positions found in the file
/// compares them with `count` first.
// The memory is only read, and the pointer stays in this file.
@safe struct LentBytes: @unchecked Sendable {
    private let base: UnsafeRawPointer
    let count: Int

    // The caller promises the life of the memory; a buffer without an address is empty and never read.
    @unsafe init(_ buffer: UnsafeRawBufferPointer) {
        // Any address does for no bytes.
        unsafe base = buffer.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
        count = buffer.count
    }

    @inline(__always)
    subscript(_ index: Int) -> UInt8 {
        assert(index >= 0 && index < count)
        // Inside, by the assertion; callers compare with `count`.
        return unsafe base.load(fromByteOffset: index, as: UInt8.self)
    }

    /// Eight bytes from `offset` on, the first in the highest bits.
    @inline(__always)
    func bigEndian64(_ offset: Int) -> UInt64 {
        assert(offset >= 0 && offset + 8 <= count)
        // Inside, by the assertion; callers compare with `count`.
        return unsafe UInt64(bigEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// A copy of some bytes; the range must be inside.
    func array(_ range: Range<Int>) -> [UInt8] {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        // Inside, by the precondition.
        return unsafe Array(UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
    }
}

extension LentBytes {
    /// Lends the memory of a span to `body`.
    static func of<Result: ~Copyable, Failure: Error>(
        _ span: RawSpan, _ body: (LentBytes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The span keeps the memory alive during the call.
        try unsafe span.withUnsafeBytes { (buffer) throws(Failure) -> Result in
            // `body` ends before the span does.
            try body(unsafe LentBytes(buffer))
        }
    }
}

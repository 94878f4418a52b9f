/// Some bytes of a file that follow each other, found by their positions in the file: bounds are checked in debug
/// builds, where the fuzzer runs.
///
/// Whoever makes one promises that the memory outlives it. Code that reads at positions found in the file compares
/// them with `count` first, and does not go back before `start`.
// The memory is only read, and the address stays in this file.
@safe struct UnsafeByteView: @unchecked Sendable {
    /// The address that the first byte of the file would have.
    private let origin: UInt
    /// The position of the first byte.
    let start: Int
    /// The position behind the last byte: the count of the file's where all are here.
    let count: Int

    // The caller promises the life of the memory; a buffer without an address is empty and never read.
    @unsafe init(_ buffer: UnsafeRawBufferPointer, at start: Int = 0) {
        origin = UInt(bitPattern: buffer.baseAddress) &- UInt(bitPattern: start)
        self.start = start
        count = start + buffer.count
    }

    @inline(__always)
    private func address(_ index: Int) -> UnsafeRawPointer {
        // Inside of a buffer that has an address.
        unsafe UnsafeRawPointer(bitPattern: origin &+ UInt(bitPattern: index)).unsafelyUnwrapped
    }

    @inline(__always)
    subscript(_ index: Int) -> UInt8 {
        assert(index >= start && index < count)
        // Inside, by the assertion; callers compare with `count`.
        return unsafe address(index).load(as: UInt8.self)
    }

    /// Eight bytes from `offset` on, the first in the highest bits.
    @inline(__always)
    func bigEndian64(_ offset: Int) -> UInt64 {
        assert(offset >= start && offset + 8 <= count)
        // Inside, by the assertion; callers compare with `count`.
        return unsafe UInt64(bigEndian: address(offset).loadUnaligned(as: UInt64.self))
    }

    /// A copy of some bytes; the range must be inside.
    func array(_ range: Range<Int>) -> [UInt8] {
        precondition(range.lowerBound >= start && range.upperBound <= count)
        guard !range.isEmpty else { return [] }
        // Inside, by the precondition.
        return unsafe Array(UnsafeRawBufferPointer(start: address(range.lowerBound), count: range.count))
    }
}

extension UnsafeByteView {
    /// Lends the memory of a span to `body`.
    static func of<Result: ~Copyable, Failure: Error>(
        _ span: RawSpan, _ body: (UnsafeByteView) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The span keeps the memory alive during the call.
        try unsafe span.withUnsafeBytes { (buffer) throws(Failure) -> Result in
            // `body` ends before the span does.
            try body(unsafe UnsafeByteView(buffer))
        }
    }
}

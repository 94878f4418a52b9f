/// Bytes that closures supply.
package final class SuppliedBytes: RandomAccessBytes {
    package let count: Int
    package let isRemote: Bool
    private let announce: @Sendable ([Range<Int>]) -> Void
    private let supply: @Sendable (Range<Int>) throws -> [UInt8]

    /// - Parameters:
    ///   - announce: receives the ranges that will be read.
    ///   - supply: Returns the bytes of a range.
    package init(
        count: Int, isRemote: Bool, announce: @escaping @Sendable ([Range<Int>]) -> Void,
        supply: @escaping @Sendable (Range<Int>) throws -> [UInt8]
    ) {
        (self.count, self.isRemote) = (count, isRemote)
        (self.announce, self.supply) = (announce, supply)
    }

    package func willRead(_ ranges: [Range<Int>]) { announce(ranges.map { $0.clamped(to: 0..<count) }) }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError) {
        let bytes: [UInt8]
        do {
            bytes = try supply(position..<(position + buffer.count))
        } catch {
            throw .unreadable("\(error)")
        }
        guard bytes.count == buffer.count else {
            throw .unreadable("its source returned \(bytes.count) of \(buffer.count) bytes")
        }
        // As many as the buffer has room for.
        unsafe buffer.copyBytes(from: bytes)
    }
}

package import Files

/// A file of which the rest cannot be read.
package final class BrokenFile: RandomAccessBytes {
    package let count: Int
    private let bytes: [UInt8]

    /// - Parameter readable: the number of bytes that can be read, in pages of 16 kB.
    package init(_ bytes: [UInt8], readable: Int) {
        self.bytes = Array(bytes[..<readable])
        count = bytes.count
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError) {
        guard position + buffer.count <= bytes.count else { throw .unreadable("its disk is broken") }
        // The buffer has room for them.
        unsafe buffer.copyBytes(from: bytes[position..<(position + buffer.count)])
    }
}

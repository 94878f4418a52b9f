/// Bytes that can be read at any position: an open file, or what a caller supplies.
///
/// Several threads may read at the same time.
package protocol RandomAccessBytes: AnyObject, Sendable {
    /// The number of bytes.
    var count: Int { get }

    /// Fills a buffer with the bytes from a position on.
    ///
    /// - Throws: `FileError` where not all of them can be read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError)
}

extension RandomAccessBytes {
    /// Returns a copy of the bytes of a range.
    package func bytes(_ range: Range<Int>) throws(FileError) -> [UInt8] {
        var failure: FileError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            do throws(FileError) {
                // The buffer has room for the range.
                try unsafe read(into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)
                count = range.count
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
}

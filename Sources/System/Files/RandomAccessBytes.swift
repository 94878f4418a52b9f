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

    /// Whether each read may take as long as a request over a network: readers then read no more than they need.
    var isRemote: Bool { get }

    /// Announces ranges that will be read soon, so that a remote file is asked for them together.
    func willRead(_ ranges: [Range<Int>])

    /// Throws where what was read is not of one version of the file, or could not be read.
    func check() throws(FileError)
}

extension RandomAccessBytes {
    /// False.
    package var isRemote: Bool { false }

    /// Does nothing.
    package func willRead(_ ranges: [Range<Int>]) {}

    /// Does nothing.
    package func check() throws(FileError) {}
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

package import Basics
package import Files

/// The bytes of a container: in memory, or of a file that is read in pieces.
///
/// A byte that cannot be read is zero, and `check` throws from then on. Walkers check what they have read before they
/// return it.
package protocol ContainerBytes: ByteSource {
    /// Throws the error of the first read that failed.
    func check() throws(FileError)

    /// Whether each piece takes as long as a request over a network.
    var isRemote: Bool { get }

    /// Requests short ranges together that are likely to be read; of these, no more than themselves is read later.
    func expect(_ ranges: [Range<Int>])
}

extension ContainerBytes {
    /// False.
    package var isRemote: Bool { false }

    /// Does nothing.
    package func expect(_ ranges: [Range<Int>]) {}
}

extension Array: ContainerBytes where Element == UInt8 {
    /// Bytes in memory can always be read.
    package func check() throws(FileError) {}
}

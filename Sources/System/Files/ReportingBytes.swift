internal import Synchronization

/// The bytes of a file that tell how much of them has been read: the progress of a pass over the file.
package final class ReportingBytes: RandomAccessBytes {
    private let base: any RandomAccessBytes
    private let report: @Sendable (Double) -> Void
    private let done = Atomic(0)

    /// - Parameter report: receives the share that is read, on the threads that read.
    package init(_ base: any RandomAccessBytes, _ report: @escaping @Sendable (Double) -> Void) {
        (self.base, self.report) = (base, report)
    }

    package var count: Int { base.count }
    package var isRemote: Bool { base.isRemote }

    package func willRead(_ ranges: [Range<Int>]) { base.willRead(ranges) }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError) {
        try unsafe base.read(into: buffer, at: position)
        let done = done.wrappingAdd(buffer.count, ordering: .relaxed).newValue
        // Some bytes are read by two threads.
        report(min(1, Double(done) / Double(max(1, count))))
    }
}

extension RandomAccessBytes {
    /// The same bytes, of which the share that is read is reported.
    package func reporting(_ report: @escaping @Sendable (Double) -> Void) -> ReportingBytes {
        ReportingBytes(self, report)
    }
}

internal import CJPEGIndex
internal import Files
internal import JPEGIndexing
internal import Synchronization

/// The bytes of a C caller's source, for one call of the library.
///
/// Several calls share a source; each has an object, so that a failure belongs to the call that it occurred in.
// The caller promises that its function may be called by several threads; the pointers are only passed to it.
@safe final class CallerBytes: RandomAccessBytes, @unchecked Sendable {
    private typealias Read =
        @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int, Int64) -> Int64

    let count: Int
    private let context: UnsafeMutableRawPointer?
    private let function: Read
    private let failure = Mutex<String?>(nil)

    /// Nil where the source has no function or a negative size.
    init?(_ source: vji_source) {
        guard let function = unsafe source.read, let count = Int(exactly: unsafe source.size), count >= 0
        else {
            return nil
        }
        self.count = count
        unsafe context = source.context
        unsafe self.function = function
    }

    /// The first failure of the function, as a sentence without a period.
    var failureReason: String? { failure.withLock { $0 } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError) {
        var done = 0
        while done < buffer.count {
            let wanted = buffer.count - done
            // The rest of the buffer, by the condition of the loop.
            let read = unsafe function(context, buffer.baseAddress! + done, wanted, Int64(position + done))
            guard read > 0, read <= wanted else {
                let reason =
                    read == 0
                    ? "the source ended after \(position + done) of \(count) bytes"
                    : read < 0
                        ? "the read function failed at byte \(position + done) with \(read)"
                        : "the read function returned \(read) for \(wanted) bytes"
                failure.withLock { $0 = $0 ?? reason }
                throw .unreadable(reason)
            }
            done += Int(read)
        }
    }
}

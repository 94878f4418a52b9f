internal import Files
private import Synchronization
internal import Vips

/// Saving that is stopped by what its listener throws.
extension VipsImage {
    /// Writes the image with one of libvips' savers; memory does not follow its size.
    ///
    /// - Parameter progress: told the share that is done; what it throws stops the saver and is thrown.
    /// - Throws: `SavingError`, or what `progress` throws.
    func save(
        _ output: String, with saver: String, _ arguments: [String: VipsArgument],
        progress: @escaping @Sendable (Double) throws -> Void
    ) throws {
        let shield = FailSafeSource()
        let stop = Stop()
        do throws(VipsError) {
            try shielded(by: shield).save(output, with: saver, arguments) { share in
                guard stop.reason.withLock({ $0 == nil }) else { return true }
                do {
                    try progress(share)
                } catch {
                    stop.reason.withLock { $0 = error }
                    shield.stop()
                }
                return true
            }
        } catch {
            throw SavingError.cannotWrite(error)
        }
        if let reason = stop.reason.withLock({ $0 }) { throw reason }
        if let failure = shield.failure { throw SavingError.cannotRead(failure) }
        try progress(1)
    }
}

/// Which side of a saver failed.
enum SavingError: Error {
    case cannotRead(VipsError)
    case cannotWrite(VipsError)

    /// The same for people: what a format cannot hold was found before, so that the disk is left as the cause.
    func naming(_ file: String) -> any Error {
        switch self {
        case .cannotRead(let error): RenderingError.damaged(file: file, detail: error.log)
        case .cannotWrite(let error):
            FileError.unwritable(error.log.isEmpty ? "the disk may be full" : error.log)
        }
    }
}

/// Why a saver was stopped.
private final class Stop: Sendable {
    let reason = Mutex<(any Error)?>(nil)
}

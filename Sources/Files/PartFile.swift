private import Synchronization

#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// A file under a hidden name beside the one that it will become.
///
/// Who writes it holds its lock, so that others know it from one whose writer has died.
package final class PartFile: Sendable {
    private let descriptor: Int32
    let path: String
    private static let count = Atomic(0)

    /// Opens a new file in a folder.
    ///
    /// - Parameter mode: the permissions that it may have; the process's mask takes some away.
    package init(in folder: String, mode: UInt16 = 0o666) throws(FileError) {
        while true {
            let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
            let path = TemporaryName.beside("\(folder)/\(number)")
            let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
            guard descriptor >= 0 else {
                // A process of the same number left it.
                if errno == EEXIST || errno == EINTR { continue }
                throw errno == ENOENT ? .noFolder(folder) : .unwritable(systemReason())
            }
            // Some file systems know no locks: there the process's number has to do.
            Claim.take(descriptor)
            (self.descriptor, self.path) = (descriptor, path)
            return
        }
    }

    deinit { close(descriptor) }

    /// The hidden name.
    var name: String { OutputFile.name(of: path) }

    /// Writes all bytes behind those that are there.
    package func append(_ bytes: [UInt8]) throws(FileError) { try OutputFile.write(bytes, to: descriptor) }

    /// Says when the file was last written, in nanoseconds since 1970.
    package func setModified(_ nanoseconds: Int) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time = timespec(
            tv_sec: rest < 0 ? seconds - 1 : seconds, tv_nsec: rest < 0 ? rest + 1_000_000_000 : rest)
        // Two times, of access and of modification, which the call reads.
        _ = unsafe futimens(descriptor, [time, time])
    }

    /// Gives the file its name, in place of what has it; it can still be written to.
    package func publish(as name: String) throws(FileError) {
        guard unsafe rename(path, name) == 0 else { throw .unwritable(systemReason()) }
    }

    /// Takes the file away.
    package func discard() { _ = unsafe unlink(path) }

    /// Writes a whole file: nothing is ever seen of it before it is whole, and nothing left when that fails.
    ///
    /// - Parameter modified: when the file is to say that it was written; nanoseconds since 1970.
    package static func write(
        _ bytes: [UInt8], to path: String, modified: Int? = nil, mode: UInt16 = 0o666
    ) throws(FileError) {
        let part = try PartFile(in: OutputFile.folder(of: path), mode: mode)
        do throws(FileError) {
            try part.append(bytes)
            if let modified { part.setModified(modified) }
            try part.publish(as: path)
        } catch {
            part.discard()
            throw error
        }
    }
}

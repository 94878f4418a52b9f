#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// A copy of a file under a hidden name, on the disk and ready to be given its own name.
package struct FileCopy: Sendable {
    /// The hidden path.
    package let path: String

    /// Why there is no copy.
    package enum Failure: Error, Equatable, Sendable {
        case source(FileError)
        case destination(FileError)
        /// There is no room left; nothing else can be copied either.
        case full
    }

    /// Copies a file beside the place that it is to have, with its times, and waits until it is on the disk.
    ///
    /// A hidden file of the same name, as a killed process leaves it, is written over.
    ///
    /// - Parameter read: gets the bytes as they were read.
    /// - Throws: `Failure`; nothing is left behind.
    package init(
        of source: String, beside destination: String, read: (Span<UInt8>) -> Void
    ) throws(Failure) {
        path = "\(OutputFile.folder(of: destination))/\(Self.hiddenName(OutputFile.name(of: destination)))"
        let from: InputPieces
        do { from = try InputPieces(source) } catch { throw .source(error) }
        let to = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard to >= 0 else { throw Self.failure() }
        defer { close(to) }
        do throws(Failure) {
            try Self.copy(from, to, read)
        } catch {
            unsafe unlink(path)
            throw error
        }
    }

    /// How the hidden names begin.
    package static let prefix = ".viewport-import-"

    /// The hidden name of a file's copy, the same each time; one that would be too long is cut, and keeps apart
    /// from others that begin like it by a number.
    private static func hiddenName(_ name: String) -> String {
        guard !FileName.fits(prefix + name) else { return prefix + name }
        // FNV-1a, which is enough to tell the names of a folder apart.
        let number = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return FileName.cut("\(prefix)\(number)-\(name)", before: "")
    }

    private static func copy(
        _ from: InputPieces, _ to: Int32, _ read: (Span<UInt8>) -> Void
    ) throws(Failure) {
        while true {
            let isWritten: Bool?
            do {
                isWritten = try from.next { piece in
                    read(piece)
                    return OutputFile.write(piece, to: to)
                }
            } catch {
                throw .source(error)
            }
            guard let isWritten else { break }
            guard isWritten else { throw failure() }
        }
        copyTimes(from.descriptor, to)
        guard fsync(to) == 0 else { throw failure() }
        // What is read to check the copy comes from the disk where the system allows it.
        #if !canImport(Darwin)
            _ = posix_fadvise(to, 0, 0, POSIX_FADV_DONTNEED)
        #endif
    }

    /// What the system's last error means for the copy.
    private static func failure() -> Failure {
        errno == ENOSPC || errno == EDQUOT ? .full : .destination(.unwritable(systemReason()))
    }

    /// The copy was written when the file was, as far as those are concerned who look at it.
    private static func copyTimes(_ from: Int32, _ to: Int32) {
        guard let nanoseconds = FileStatus(descriptor: from)?.modified else { return }
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time = timespec(
            tv_sec: rest < 0 ? seconds - 1 : seconds, tv_nsec: rest < 0 ? rest + 1_000_000_000 : rest)
        // The array lives until the call returns.
        unsafe futimens(to, [time, time])
    }
}

extension FileCopy {
    /// Gives the copy its name, unless something has it already; whether it did.
    package func publish(as destination: String) throws(FileError) -> Bool {
        guard try FileLink.make(path, as: destination) else { return false }
        Folder.remove(path)
        return true
    }

    /// Takes the copy away.
    package func discard() { Folder.remove(path) }
}

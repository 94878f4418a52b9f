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
        FileStatus.setModified(nanoseconds, of: descriptor)
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

/// The hidden name that a result has while it is made, and the removal of those whose maker was killed.
///
/// The name tells the machine and the process: ".view.png.viewport-HOST-PID.part".
package enum TemporaryName {
    private static let mark = ".viewport-"
    private static let ending = ".part"
    /// Seconds after which a name is not a process's any more that has its number: numbers are used again.
    private static let longestWork = 86_400

    /// The hidden path beside a result; a long name is cut, for file systems end at 255 bytes.
    static func beside(_ output: String) -> String {
        let name =
            "\(PathText.shown(OutputFile.name(of: output)).prefix(32))\(mark)\(host)-\(getpid())\(ending)"
        return "\(OutputFile.folder(of: output))/.\(name)"
    }

    /// Removes what processes of this machine that are no more have left in a folder.
    ///
    /// Whoever works holds a lock on what it makes, and has the number that the name says. What has neither, or no
    /// lock for a day, is left over. Other machines' and other programs' files are not touched.
    package static func sweep(_ folder: String) {
        for name in Folder.names(in: folder) {
            guard let process = process(of: name) else { continue }
            let path = "\(folder)/\(name)"
            var status = stat()
            // `status` is written by the call and outlives it.
            guard unsafe lstat(path, &status) == 0 else { continue }
            let isOld = ProcessEnvironment.now / 1_000_000_000 - modified(status) > longestWork
            guard isOld || !isRunning(process), let claim = Claim(path) else { continue }
            withExtendedLifetime(claim) { OutputFolder.remove(path) }
        }
    }

    /// The process of this machine that a name is from; nil for all other names.
    private static func process(of name: String) -> pid_t? {
        guard name.hasPrefix("."), name.hasSuffix(ending) else { return nil }
        let parts = name.dropLast(ending.count).split(separator: "-", omittingEmptySubsequences: false)
        guard let number = parts.last.flatMap({ pid_t($0) }), number > 0,
            name.hasSuffix("\(mark)\(host)-\(number)\(ending)")
        else { return nil }
        return number
    }

    private static func isRunning(_ process: pid_t) -> Bool { kill(process, 0) == 0 || errno == EPERM }

    private static func modified(_ status: stat) -> Int {
        #if canImport(Darwin)
        Int(status.st_mtimespec.tv_sec)
        #else
        Int(status.st_mtim.tv_sec)
        #endif
    }

    /// The machine's name, as far as it may stand in a file's.
    private static let host: String = {
        guard let name = ProcessEnvironment.hostName else { return "localhost" }
        return String(name.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }()
}

/// A lock on a file or a folder that is being made; it ends with its process.
final class Claim: Sendable {
    private let descriptor: Int32

    /// Nil where somebody else has it, or nothing is there.
    init?(_ path: String) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        guard Self.take(descriptor) else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    /// Owns what is open already and locks it, where its file system knows locks.
    init(owning descriptor: Int32) {
        Self.take(descriptor)
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Locks what is open already, until it is closed.
    @discardableResult
    static func take(_ descriptor: Int32) -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
}

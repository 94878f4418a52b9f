private import Platform
private import Synchronization

/// A temporary file that is renamed to its destination.
///
/// Its writer holds a lock on it; files of killed writers have none.
package final class PartFile: Sendable {
    private let descriptor: Int32
    let path: String
    private static let count = Atomic(0)

    /// Opens a new file in a folder.
    ///
    /// - Parameter mode: The permissions, before the process's umask is applied.
    package init(in folder: String, mode: UInt16 = 0o666) throws(FileError) {
        while true {
            let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
            let path = TemporaryName.beside("\(folder)/\(number)")
            let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
            guard descriptor >= 0 else {
                // An earlier process with the same ID left it.
                if errno == EEXIST || errno == EINTR { continue }
                throw errno == ENOENT ? .noFolder(folder) : .unwritable(systemReason())
            }
            // Some file systems have no locks: there only the process ID protects it.
            Claim.take(descriptor)
            (self.descriptor, self.path) = (descriptor, path)
            return
        }
    }

    deinit { FileLock.end(descriptor) }

    /// The hidden name.
    var name: String { OutputFile.name(of: path) }

    /// Appends bytes.
    package func append(_ bytes: [UInt8]) throws(FileError) { try append(bytes[...]) }

    func append(_ bytes: ArraySlice<UInt8>) throws(FileError) {
        guard OutputFile.write(bytes.span, to: descriptor) else { throw .unwritable(systemReason()) }
    }

    /// Sets the modification time, in nanoseconds since 1970.
    package func setModified(_ nanoseconds: Int) {
        FileStatus.setModified(nanoseconds, of: descriptor)
    }

    /// Waits until the bytes are on disk.
    package func synchronize() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw .unwritable(systemReason()) }
    }

    /// Renames the file, replacing an existing one; it can still be written to.
    package func publish(as name: String) throws(FileError) {
        guard unsafe rename(path, name) == 0 else { throw .unwritable(systemReason()) }
    }

    /// Gives the file the permissions of another one, and its owner if the process may do that.
    private func takeOwnerAndMode(of path: String) {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe stat(path, &status) == 0 else { return }
        _ = fchown(descriptor, status.st_uid, status.st_gid)
        _ = fchmod(descriptor, status.st_mode & 0o7777)
    }

    /// Lets others lock the file, which is complete.
    func unlock() { flock(descriptor, LOCK_UN) }

    /// Removes the file.
    package func discard() { _ = unsafe unlink(path) }

    /// Writes a file atomically.
    ///
    /// - Parameter modified: the modification time of the file, in nanoseconds since 1970.
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

extension PartFile {
    /// Writes a file atomically unless there is one already, and waits until it is on disk; returns false if there is one.
    ///
    /// - Parameter modified: the modification time of the file, in nanoseconds since 1970.
    package static func writeNew(
        _ bytes: [UInt8], to path: String, modified: Int? = nil
    ) throws(FileError) -> Bool {
        let part = try PartFile(in: OutputFile.folder(of: path))
        do throws(FileError) {
            try part.append(bytes)
            if let modified { part.setModified(modified) }
            // A name that is taken by an empty file after a crash would never be given to the picture again.
            try part.synchronize()
            if try Renaming.toNewName(part.path, path) { return true }
        } catch {
            part.discard()
            throw error
        }
        part.discard()
        return false
    }

    /// Replaces contents that are known, and waits until the new ones are on disk.
    ///
    /// The file keeps its permissions, and its owner if the process may set it. Its other hard links keep the former contents.
    ///
    /// - Parameter former: the contents to replace; nil if there is no file.
    /// - Returns: false if the file has other contents, because another program has written it since; it is kept.
    package static func replace(
        _ former: [UInt8]?, with bytes: [UInt8], at path: String
    ) throws(FileError) -> Bool {
        guard let former else { return try writeNew(bytes, to: path) }
        guard (try? InputFile.contents(path)) == former else { return false }
        let part = try PartFile(in: OutputFile.folder(of: path))
        defer { part.discard() }
        try part.append(bytes)
        part.takeOwnerAndMode(of: path)
        try part.synchronize()
        guard try Renaming.exchange(part.path, path) else {
            // The file system cannot exchange files: only the check above protects.
            try part.publish(as: path)
            return true
        }
        // Another program may have written it since the check.
        guard (try? InputFile.contents(part.path)) == former else {
            _ = try Renaming.exchange(part.path, path)
            return false
        }
        return true
    }
}

/// The names of temporary files, and the removal of those of killed processes.
///
/// A name contains the host and the process: ".view.png.viewport-HOST-PID.part".
package enum TemporaryName {
    private static let mark = ".viewport-"
    private static let ending = ".part"
    /// The age in seconds after which a process ID is assumed to be reused.
    private static let longestWork = 86_400

    /// The hidden path next to a result; long names are cut, because file systems allow 255 bytes.
    static func beside(_ output: String) -> String {
        let name =
            "\(PathText.shown(OutputFile.name(of: output)).prefix(32))\(mark)\(host)-\(getpid())\(ending)"
        return "\(OutputFile.folder(of: output))/.\(name)"
    }

    /// Removes temporary files of killed processes of this host in a folder.
    ///
    /// A running writer holds a lock on its file, whose name has the process ID. A file without a lock is removed if
    /// its process has ended or if it is a day old. Files of other hosts and programs are not touched.
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

    /// Whether a name is that of a temporary file, of any host.
    static func isOne(_ name: FilePath) -> Bool {
        name.isHidden && name.hasSuffix(ending) && name.text.contains(mark)
    }

    /// The process ID in a name of this host; nil for other names.
    private static func process(of name: String) -> pid_t? {
        guard isOne(FilePath(name)) else { return nil }
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

    /// The host's name, without characters that file names cannot have.
    private static let host: String = {
        guard let name = ProcessEnvironment.hostName else { return "localhost" }
        return String(name.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }()
}

/// A lock on a file or folder that is being written; the system releases it when the process ends.
final class Claim: Sendable {
    private let descriptor: Int32

    /// Returns nil if another process holds it, or nothing is there.
    init?(_ path: String) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        guard Self.take(descriptor) else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    /// Takes ownership of an open descriptor and locks it, if the file system has locks.
    init(owning descriptor: Int32) {
        Self.take(descriptor)
        self.descriptor = descriptor
    }

    deinit { FileLock.end(descriptor) }

    /// Locks an open descriptor until it is closed.
    @discardableResult
    static func take(_ descriptor: Int32) -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
}

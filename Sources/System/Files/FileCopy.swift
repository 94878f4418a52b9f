private import Platform
private import Synchronization

/// A copy of a file under a temporary name, synchronized to disk and ready to be renamed.
///
/// The temporary file is locked: two programs that copy to the same destination never write into one file.
package struct FileCopy: Sendable {
    /// The hidden path.
    package let path: String
    /// The source's state, which was the same before, during and after the copy.
    package let source: FileMoment
    private let claim: Claim
    private static let count = Atomic(0)

    /// Why there is no copy.
    package enum Failure: Error, Equatable, Sendable {
        case source(FileError)
        case destination(FileError)
        /// The disk is full; no other file can be copied either.
        case full
    }

    /// Copies a file with its times next to its destination, and waits until the copy is on disk.
    ///
    /// - Parameter read: Called with the bytes in order.
    /// - Throws: `Failure`, also if the source changes during the copy; the temporary file is removed then.
    package init(
        of source: String, beside destination: String, read: (Span<UInt8>) -> Void
    ) throws(Failure) {
        let from: InputPieces
        do { from = try InputPieces(source) } catch { throw .source(error) }
        try self.init(
            of: source, beside: destination, modified: FileStatus(descriptor: from.descriptor)?.modified,
            moment: from.moment, now: { from.moment }
        ) { write throws(FileError) in
            while let isWritten = try from.next({ piece in
                read(piece)
                return write(piece)
            }) {
                guard isWritten else { return }
            }
        }
    }

    /// Writes bytes that are part of a file, such as an entry of an archive, next to their destination, and waits until
    /// they are on disk.
    ///
    /// - Parameters:
    ///   - source: The path of the file that has the bytes.
    ///   - modified: The modification time of the copy, in nanoseconds since 1970.
    ///   - moment: The state in which the file has to stay.
    ///   - produce: Called with a function that takes the bytes in order, and returns false when it can take no more.
    /// - Throws: `Failure`; the temporary file is removed then.
    package init(
        of source: String, beside destination: String, modified: Int?, moment: FileMoment?,
        now: () -> FileMoment? = { nil },
        produce: (_ write: (Span<UInt8>) -> Bool) throws(FileError) -> Void
    ) throws(Failure) {
        guard let moment else { throw .source(.unreadable("it is no regular file")) }
        let to: Int32
        (path, to) = try Self.open(beside: destination)
        claim = Claim(owning: to)
        do throws(Failure) {
            try Self.write(to, modified, produce)
            guard now() ?? moment == moment, FileMoment(source) == moment else {
                throw .source(.unreadable("it was changed while it was read; run it again"))
            }
        } catch {
            unsafe unlink(path)
            throw error
        }
        self.source = moment
    }

    /// The prefix of hidden names.
    package static let prefix = ".viewport-import-"

    /// Creates a new file; an existing one with the hidden name, perhaps a link, is never written through.
    private static func open(beside destination: String) throws(Failure) -> (path: String, file: Int32) {
        let folder = OutputFile.folder(of: destination)
        while true {
            let number = count.wrappingAdd(1, ordering: .relaxed).newValue
            let name = "\(prefix)\(getpid())-\(number)-\(OutputFile.name(of: destination))"
            let path = "\(folder)/\(FileName.cut(name, before: ""))"
            let file = unsafe Files.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if file >= 0 { return (path, file) }
            guard errno == EEXIST || errno == EINTR else { throw failure() }
        }
    }

    private static func write(
        _ to: Int32, _ modified: Int?, _ produce: (_ write: (Span<UInt8>) -> Bool) throws(FileError) -> Void
    ) throws(Failure) {
        var writing: Failure?
        do {
            try produce { piece in
                if writing == nil, !OutputFile.write(piece, to: to) { writing = failure() }
                return writing == nil
            }
        } catch {
            throw .source(error)
        }
        if let writing { throw writing }
        // The copy has the time of the file's content, not that of copying.
        if let modified { FileStatus.setModified(modified, of: to) }
        guard fsync(to) == 0 else { throw failure() }
        // The copy is verified from the disk, not the page cache, if the system allows it.
        #if !canImport(Darwin)
        _ = posix_fadvise(to, 0, 0, POSIX_FADV_DONTNEED)
        #endif
    }

    /// Returns the failure that the system's last error is.
    private static func failure() -> Failure {
        errno == ENOSPC || errno == EDQUOT ? .full : .destination(.unwritable(systemReason()))
    }
}

extension FileCopy {
    /// Renames the copy to its destination; returns false if that exists.
    package func publish(as destination: String) throws(FileError) -> Bool {
        try Renaming.toNewName(path, destination)
    }

    /// Renames the copy to its destination, replacing what is there.
    package func replace(_ destination: String) throws(FileError) { try Folder.move(path, to: destination) }

    /// Removes the copy.
    package func discard() { Folder.remove(path) }

    /// Removes copies in a folder that were left by killed processes.
    package static func sweep(_ folder: String) {
        for name in Folder.names(in: folder) where name.hasPrefix(prefix) {
            guard let claim = Claim("\(folder)/\(name)") else { continue }
            withExtendedLifetime(claim) { _ = Folder.remove("\(folder)/\(name)") }
        }
    }
}

/// Renaming that never replaces a file that another process has just created.
enum Renaming {
    /// Renames a file or folder; returns false if the new name exists.
    static func toNewName(_ path: String, _ name: String) throws(FileError) -> Bool {
        if call(path, name, noReplace) { return true }
        switch errno {
        case EEXIST, ENOTEMPTY: return false
        case EINVAL, ENOSYS, ENOTSUP:
            // The file system has no such renaming. A link replaces nothing either; for folders, and without links, only
            // the check protects.
            if FileLink.makeOnSameDisk(path, as: name) {
                Folder.remove(path)
                return true
            }
            guard errno != EEXIST, !OutputFolder.isThere(name) else { return false }
            try Folder.move(path, to: name)
            return true
        default: throw .unwritable(systemReason())
        }
    }

    /// Exchanges two files or folders; returns false if the file system cannot.
    static func exchange(_ path: String, _ other: String) throws(FileError) -> Bool {
        if call(path, other, exchange) { return true }
        switch errno {
        case EINVAL, ENOSYS, ENOTSUP: return false
        default: throw .unwritable(systemReason())
        }
    }

    #if canImport(Darwin)
    private static let (noReplace, exchange) = (UInt32(RENAME_EXCL), UInt32(RENAME_SWAP))

    private static func call(_ path: String, _ name: String, _ flags: UInt32) -> Bool {
        unsafe PathText.withCString(path) { path in
            unsafe PathText.withCString(name) { unsafe renamex_np(path, $0, flags) == 0 }
        }
    }
    #else
    /// Linux's RENAME_NOREPLACE and RENAME_EXCHANGE.
    private static let (noReplace, exchange) = (UInt32(1), UInt32(2))

    private typealias Rename =
        @convention(c) (
            Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
        ) -> Int32

    /// Swift's module of the C library omits renameat2(2).
    private static let rename: Rename? = {
        guard let symbol = unsafe dlsym(nil, "renameat2") else { return nil }
        // All C libraries that have it declare this signature.
        return unsafe unsafeBitCast(symbol, to: Rename.self)
    }()

    private static func call(_ path: String, _ name: String, _ flags: UInt32) -> Bool {
        guard let rename = unsafe rename else {
            errno = ENOSYS
            return false
        }
        return unsafe PathText.withCString(path) { path in
            unsafe PathText.withCString(name) { unsafe rename(AT_FDCWD, path, AT_FDCWD, $0, flags) == 0 }
        }
    }
    #endif
}

extension Folder {
    /// Renames a file or folder within a file system, without replacing anything; returns false if the new name exists.
    ///
    /// - Throws: `FileError`, also if the new name is on another file system.
    package static func moveToNewName(_ path: String, _ name: String) throws(FileError) -> Bool {
        try Renaming.toNewName(path, name)
    }
}

/// Hard links.
package enum FileLink {
    /// Creates a hard link; returns false if the file system does not allow it.
    ///
    /// The bytes are stored once, and either name can be removed. A symbolic link is not followed.
    package static func makeOnSameDisk(_ path: String, as other: String) -> Bool {
        unsafe link(path, other) == 0
    }
}

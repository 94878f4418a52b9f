private import Basics
internal import Platform
private import Synchronization

/// A file that stays open: its contents are read even if its name is reused or removed.
///
/// Nothing is memory-mapped: missing bytes of a file that is truncated while it is read are an error, not a signal.
/// After reading, `check` throws if the file was changed meanwhile.
///
/// Files were mapped first, and one that was truncated meanwhile ended the process by SIGBUS. Now they are read by
/// pread(2), which gets the position with each call, so that threads share the descriptor without a lock. Header,
/// metadata and pixels of a picture come from one open file. `check` compares identity, size and modification time with
/// those at the beginning: a picture of two states is an error and gets into no cache. A write that restores size and
/// time is not noticed.
///
/// The same type stands for what only looks like a file: a part of another file, such as the JPEG in a raw file, bytes
/// in memory, and what a server or a program supplies. So all readers have one kind of input. Libraries that need a
/// path get `descriptorPath`. On Linux it leads to the open file itself; a part or a remote file is copied for it once.
package final class OpenFile: Sendable {
    /// The path that it was opened with, or a name for messages.
    package let path: String
    /// Whether it was opened by a path.
    package let hasPath: Bool
    /// The status when it was opened.
    package let status: FileStatus
    private let descriptor: Int32
    /// The file of which this one is a part, and the position of its first byte there.
    private let whole: (file: OpenFile, start: Int)?
    /// What supplies the bytes of a file that is not on this machine.
    package let source: (any RandomAccessBytes)?
    /// A copy of a part, made when another library needs a path of it.
    private let copy = Once<OpenFile>()
    /// A path for other libraries, on systems that cannot open a descriptor by a path.
    private let otherPath: String?
    /// A temporary file for bytes, removed on deinit.
    private let temporaryPath: String?
    /// The first failure to read.
    private let failure = Mutex<FileError?>(nil)

    /// The size in bytes.
    package let count: Int

    /// Opens the file at a path.
    ///
    /// - Throws: `FileError`, as `InputFile.check` does.
    package init(_ path: String) throws(FileError) {
        // A pipe without a writer would block; the flag has no effect on regular files.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Self.openingError() }
        do throws(FileError) {
            status = try Self.settledStatus(descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        self.path = path
        hasPath = true
        self.descriptor = descriptor
        count = status.size
        (otherPath, temporaryPath, whole, source) = (nil, nil, nil, nil)
    }

    /// A part of another open file, which can be read as if it were a file.
    ///
    /// - Precondition: The range is inside of the file and not empty.
    package init(_ range: Range<Int>, of file: OpenFile) {
        precondition(range.lowerBound >= 0 && range.upperBound <= file.count && !range.isEmpty)
        (path, hasPath, status) = (file.path, file.hasPath, file.status)
        (descriptor, count) = (-1, range.count)
        (otherPath, temporaryPath, whole, source) = (nil, nil, (file, range.lowerBound), nil)
    }

    /// Keeps the file of a descriptor open.
    ///
    /// The descriptor is duplicated; its offset is neither used nor changed.
    ///
    /// - Parameter name: The name in messages.
    /// - Throws: `FileError` if it is not a regular file or not open for reading.
    package init(descriptor original: Int32, name: String) throws(FileError) {
        let descriptor = fcntl(original, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw .unreadable(systemReason()) }
        do throws(FileError) {
            guard fcntl(descriptor, F_GETFL) & O_ACCMODE != O_WRONLY else {
                throw .unreadable("its descriptor is for writing only")
            }
            status = try Self.settledStatus(descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        path = name
        hasPath = false
        self.descriptor = descriptor
        count = status.size
        (otherPath, temporaryPath, whole, source) = (Self.path(of: descriptor), nil, nil, nil)
    }

    /// Stores bytes in an unnamed file, so that code for files can read them: in memory, or in a temporary file if
    /// the system has no files in memory.
    ///
    /// - Parameter name: The name in messages.
    package init(bytes: some Collection<UInt8>, name: String) throws(FileError) {
        guard !bytes.isEmpty else { throw .empty }
        let (descriptor, temporary) = try Self.makeFile()
        do throws(FileError) {
            try OutputFile.write(Array(bytes), to: descriptor)
            guard let status = FileStatus(descriptor: descriptor) else {
                throw .unreadable(systemReason())
            }
            self.status = status
        } catch {
            close(descriptor)
            if let temporary { unsafe unlink(temporary) }
            throw error
        }
        path = name
        hasPath = false
        self.descriptor = descriptor
        count = status.size
        (otherPath, temporaryPath, whole, source) = (temporary, temporary, nil, nil)
    }

    /// Reads a file that is not on this machine, or bytes that a program supplies.
    ///
    /// - Parameters:
    ///   - source: supplies the bytes, which must not change.
    ///   - name: the name in messages.
    ///   - status: identifies the version of the bytes.
    package init(source: any RandomAccessBytes, name: String, status: FileStatus) throws(FileError) {
        guard source.count > 0 else { throw .empty }
        (path, hasPath, self.status) = (name, false, status)
        (descriptor, count) = (-1, source.count)
        (otherPath, temporaryPath, whole) = (nil, nil, nil)
        self.source = source
    }

    /// Copies a file to a temporary one.
    private init(
        copying file: OpenFile, _ progress: @escaping @Sendable (Double) -> Void
    ) throws(FileError) {
        #if os(Linux)
        if let copy = try (file.source as? any TransferableBytes)?.localCopy(progress) {
            descriptor = try copy.duplicatedDescriptor()
            (path, hasPath, status, count) = (file.path, false, file.status, file.count)
            (otherPath, temporaryPath, whole, source) = (nil, nil, nil, nil)
            return
        }
        #endif
        guard let made = makeTemporaryFile("viewport-") else { throw .unwritable(systemReason()) }
        _ = fcntl(made.descriptor, F_SETFD, FD_CLOEXEC)
        do throws(FileError) {
            for start in stride(from: 0, to: file.count, by: 1 << 20) {
                try OutputFile.write(
                    file.bytes(start..<min(start + 1 << 20, file.count)), to: made.descriptor)
                progress(Double(start) / Double(file.count))
            }
        } catch {
            close(made.descriptor)
            unsafe unlink(made.path)
            throw error
        }
        (path, hasPath, status, count) = (file.path, false, file.status, file.count)
        descriptor = made.descriptor
        #if os(Linux)
        // Its descriptor has a path: nothing is left behind, however the process ends.
        unsafe unlink(made.path)
        (otherPath, temporaryPath) = (nil, nil)
        #else
        (otherPath, temporaryPath) = (made.path, made.path)
        #endif
        (whole, source) = (nil, nil)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if let temporaryPath { unsafe unlink(temporaryPath) }
    }

    /// A path of the open file for other libraries; the original path if the system has no paths for descriptors.
    ///
    /// A part of a file, and a file that is not on this machine, are copied for it.
    package var descriptorPath: String {
        if descriptor < 0 { return copiedPath }
        #if os(Linux)
        // It opens the same file again, with a separate offset, even if its name is reused or removed.
        return "/proc/self/fd/\(descriptor)"
        #else
        return otherPath ?? path
        #endif
    }

    /// The path of a copy; one of an empty file where it cannot be copied, which `check` reports.
    private var copiedPath: String {
        do throws(FileError) {
            return try copied { _ in }.descriptorPath
        } catch {
            keep(error)
            return "/dev/null"
        }
    }

    private func copied(_ progress: @escaping @Sendable (Double) -> Void) throws(FileError) -> OpenFile {
        try copy.value(cancelled: .cancelled) { () throws(FileError) in
            try isRemote ? OpenFile(copying: self, progress) : OpenFile(bytes: contents(), name: path)
        }
    }

    /// Copies a file that is not on this machine, for libraries that need a path of it; `check` reports failures.
    ///
    /// - Parameter progress: receives the share that is there.
    package func makeCopy(_ progress: @escaping @Sendable (Double) -> Void) {
        do throws(FileError) {
            _ = try copied(progress)
        } catch {
            keep(error)
        }
    }

    /// Keeps the first failure to read.
    ///
    /// What a cancelled task did not read can be read by others.
    private func keep(_ error: FileError) {
        if error != .cancelled { failure.withLock { $0 = $0 ?? error } }
    }

    /// Throws if the file was written since it was opened, or could not be read.
    ///
    /// In a cancelled task it also throws where reads may have ended early: decoders take that for the end of the data.
    package func check() throws(FileError) {
        if let failure = failure.withLock({ $0 }) { throw failure }
        guard isUnchanged else { throw .changed }
        do throws(FileError) {
            try source?.check()
            try whole?.file.check()
        } catch {
            keep(error)
            throw error
        }
        if hasSource, Task.isCancelled { throw .cancelled }
    }

    /// Whether something else than a descriptor supplies the bytes.
    private var hasSource: Bool { source != nil || whole?.file.hasSource == true }

    /// Whether the file was not written since it was opened.
    package var isUnchanged: Bool {
        if source != nil { return failure.withLock { $0 } != .changed }
        return whole.map(\.file.isUnchanged) ?? (FileStatus(descriptor: descriptor) == status)
    }

    /// Whether another library needed a copy of it.
    package var isCopied: Bool { copy.valueIfMade != nil }

    /// Whether its bytes are not on this machine.
    package var isRemote: Bool { source?.isRemote ?? whole?.file.isRemote ?? false }

    /// Announces ranges that will be read soon to what supplies the bytes.
    package func willRead(_ ranges: [Range<Int>]) {
        source?.willRead(ranges)
        if let whole {
            whole.file.willRead(ranges.map { ($0.lowerBound + whole.start)..<($0.upperBound + whole.start) })
        }
    }

    /// Returns all bytes.
    package func contents() throws(FileError) -> [UInt8] { try bytes(0..<count) }

    /// Returns the first bytes, up to `length`.
    package func prefix(_ length: Int) throws(FileError) -> [UInt8] { try bytes(0..<min(length, count)) }

    /// Fills a buffer from a position on.
    ///
    /// - Throws: `FileError.changed` if the file has become shorter; `check` throws it from then on.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError) {
        if descriptor < 0 {
            do throws(FileError) {
                guard position <= count - buffer.count else { throw .changed }
                // The caller's buffer, which outlives the call.
                if let source { try unsafe source.read(into: buffer, at: position) }
                if let whole { try unsafe whole.file.read(into: buffer, at: whole.start + position) }
                return
            } catch {
                keep(error)
                throw error
            }
        }
        var done = 0
        while done < buffer.count {
            // Inside of the buffer, by the condition of the loop.
            let count = unsafe pread(
                descriptor, buffer.baseAddress! + done, buffer.count - done, position + done)
            if count > 0 { done += count }
            if count > 0 || count < 0 && errno == EINTR { continue }
            let error: FileError = count == 0 ? .changed : .unreadable(systemReason())
            keep(error)
            throw error
        }
    }

    /// Returns the status of a readable file, once its modification time is unambiguous.
    ///
    /// Some systems round modification times to clock ticks: a second write within the same tick would not be
    /// detected. So this waits for the end of the tick.
    private static func settledStatus(_ descriptor: Int32) throws(FileError) -> FileStatus {
        var status = stat()
        // `status` is written by the call and outlives it.
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(systemReason()) }
        try InputFile.checkKind(status)
        guard status.st_size > 0 else { throw .empty }
        let found = FileStatus(status)
        let now = ProcessEnvironment.now
        // Compared before it is subtracted: a file system may hold any time.
        guard found.modified <= now, found.modified > now - longestTick else { return found }
        usleep(UInt32((longestTick - (now - found.modified)) / 1000 + 1))
        guard let settled = FileStatus(descriptor: descriptor) else { throw .unreadable(systemReason()) }
        guard settled.size > 0 else { throw .empty }
        return settled
    }

    /// The tick of a slow clock, in nanoseconds.
    private static let longestTick = 10_000_000

    private static func openingError() -> FileError {
        switch errno {
        case ENOENT, ENOTDIR: .missing
        case ENXIO: .unreadable("it is a socket or a device")
        default: .unreadable(systemReason())
        }
    }

    /// Creates a file for bytes: in memory without a path, or a temporary one.
    private static func makeFile() throws(FileError) -> (descriptor: Int32, path: String?) {
        #if os(Linux)
        // Swift's module of the C library omits memfd_create(2).
        typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
        if let symbol = unsafe dlsym(nil, "memfd_create") {
            // The type that sys/mman.h declares.
            let create = unsafe unsafeBitCast(symbol, to: Create.self)
            let closeOnExec: UInt32 = 1
            let descriptor = unsafe create("viewport", closeOnExec)
            if descriptor >= 0 { return (descriptor, nil) }
        }
        #endif
        guard let file = makeTemporaryFile("viewport-") else { throw .unwritable(systemReason()) }
        _ = fcntl(file.descriptor, F_SETFD, FD_CLOEXEC)
        return (file.descriptor, file.path)
    }

    /// The path of a descriptor's file, where the system cannot open a descriptor by a path.
    private static func path(of descriptor: Int32) -> String? {
        #if canImport(Darwin)
        var buffer = [CChar](repeating: 0, count: Int(MAXPATHLEN))
        // The buffer is as long as the call may write.
        guard unsafe fcntl(descriptor, F_GETPATH, &buffer) == 0 else { return nil }
        return pathText(buffer)
        #else
        return nil
        #endif
    }
}

/// Creates an empty file with a new name in the folder for temporary files; nil, with `errno` set, on failure.
func makeTemporaryFile(_ prefix: String) -> (descriptor: Int32, path: String)? {
    let name = "\(ProcessEnvironment.temporaryFolder)/\(prefix)XXXXXX"
    var template = (PathText.bytes(name) + [0]).map { CChar(bitPattern: $0) }
    // The template is changed in place and ends with its zero.
    let descriptor = unsafe template.withUnsafeMutableBufferPointer { unsafe mkstemp($0.baseAddress!) }
    return descriptor < 0 ? nil : (descriptor, pathText(template))
}

private func pathText(_ characters: [CChar]) -> String {
    PathText.decode(characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
}

extension OpenFile: RandomAccessBytes {}

extension FileFingerprint {
    /// Identifies an open file.
    package init(_ file: OpenFile) throws(FileError) {
        try self.init(file, modified: Int64(file.status.modified))
    }
}

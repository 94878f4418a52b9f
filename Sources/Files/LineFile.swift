#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// A file that lines are written to one by one, by one process alone: each is there when the call returns.
package final class LineFile: Sendable {
    private enum Target: Sendable {
        case descriptor(Int32)
        /// A new file, locked, and the lock on the one that it replaces.
        case replacement(PartFile, of: Output, FileLock)
    }

    private let target: Target

    /// Standard output; that its reader goes away is an error of `append` from now on, not the process's end.
    package init() {
        _ = signal(SIGPIPE, SIG_IGN)
        target = .descriptor(STDOUT_FILENO)
    }

    /// A new file that replaces what has its name when it is `publish`ed; nil where another process writes there.
    ///
    /// A pipe or a device is written to as it is.
    package init?(replacing output: Output) throws(FileError) {
        try output.check()
        if output.isSpecial {
            let descriptor = unsafe open(output.path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .unwritable(systemReason()) }
            target = .descriptor(descriptor)
        } else {
            let path = try output.target()
            guard let lock = try FileLock(path, .alone) else { return nil }
            // Whoever had the lock may have written.
            try output.check()
            target = .replacement(try PartFile(in: OutputFile.folder(of: path)), of: output, lock)
        }
    }

    /// Whether it is a file that replaces another.
    package var isReplacing: Bool {
        if case .replacement = target { true } else { false }
    }

    /// Gives the file its name; lines may still be added.
    package func publish() throws(FileError) {
        guard case .replacement(let part, let output, _) = target else { return }
        do throws(FileError) {
            try output.publish(part.path)
        } catch {
            part.discard()
            throw error
        }
    }

    package func append(_ line: String) throws(FileError) {
        let bytes = Array((line + "\n").utf8)
        switch target {
        case .descriptor(let descriptor): try OutputFile.write(bytes, to: descriptor)
        case .replacement(let part, _, _): try part.append(bytes)
        }
    }
}

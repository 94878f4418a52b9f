#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

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
        var name = [UInt8](repeating: 0, count: 256)
        // The buffer is longer than any name, and its last byte stays zero.
        let isKnown = unsafe name.withUnsafeMutableBytes { bytes in
            unsafe gethostname(bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count - 1) == 0
        }
        let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        guard isKnown, !text.isEmpty else { return "localhost" }
        return String(text.prefix(64).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
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

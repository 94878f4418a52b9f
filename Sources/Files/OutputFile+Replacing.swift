#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

extension OutputFile {
    /// Lets something else write a file under a hidden name in the same folder, then gives it its name.
    ///
    /// - Parameter write: gets the path to write to; when it throws, nothing is left behind.
    package static func replace(_ path: String, _ write: (_ temporary: String) throws -> Void) throws {
        try check(path)
        let temporary = TemporaryName.beside(path)
        do {
            try write(temporary)
        } catch {
            unsafe unlink(temporary)
            throw error
        }
        guard unsafe rename(temporary, path) == 0 else {
            let reason = systemReason()
            unsafe unlink(temporary)
            throw FileError.unwritable(reason)
        }
    }
}

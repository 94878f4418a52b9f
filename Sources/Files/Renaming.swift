#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// Renaming that never replaces what somebody else put there meanwhile.
enum Renaming {
    /// Gives a file or folder a name that nothing has; false where something has it.
    static func toNewName(_ path: String, _ name: String) throws(FileError) -> Bool {
        if call(path, name, noReplace) { return true }
        switch errno {
        case EEXIST, ENOTEMPTY: return false
        case EINVAL, ENOSYS, ENOTSUP:
            // A disk without such renaming: the look before is all there is.
            guard !OutputFolder.isThere(name) else { return false }
            try Folder.move(path, to: name)
            return true
        default: throw .unwritable(systemReason())
        }
    }

    /// Lets a file or folder and another change names; false where the disk cannot.
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

        /// The module of the C library leaves renameat2(2) out.
        private static let rename: Rename? = {
            guard let symbol = unsafe dlsym(nil, "renameat2") else { return nil }
            // It has this signature in every C library that has it.
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

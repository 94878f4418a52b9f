#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

extension Folder {
    /// Something in a folder.
    package struct Entry: Sendable {
        package enum Kind: Equatable, Sendable {
            case file(FileStatus)
            case folder
            /// A symbolic link, which is not followed here.
            case link
            /// A socket, a device: nothing that is read.
            case other
        }

        /// As `PathText` has it.
        package var name: String
        package var kind: Kind
    }

    /// Everything in a folder with what the file system knows of it, in no order; symbolic links are not followed.
    ///
    /// - Throws: `FileError` where the folder cannot be read to its end, so that nobody takes it for empty.
    package static func entries(in path: String) throws(FileError) -> [Entry] {
        guard let folder = unsafe opendir(path) else {
            throw errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable(systemReason())
        }
        defer { unsafe closedir(folder) }
        let descriptor = unsafe dirfd(folder)
        var entries: [Entry] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(folder) else { break }
            let found: Entry? = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                // The name is a C string inside of the entry, which lives until the next call.
                unsafe tuple.withMemoryRebound(
                    to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)
                ) { name in
                    guard let kind = unsafe FileStatus.kind(of: name, in: descriptor) else { return nil }
                    return unsafe Entry(name: PathText.decode(cString: name), kind: kind)
                }
            }
            if let found, found.name != ".", found.name != ".." { entries.append(found) }
        }
        guard errno == 0 else { throw .unreadable(systemReason()) }
        return entries
    }
}

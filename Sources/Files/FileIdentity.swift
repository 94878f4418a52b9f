#if canImport(Darwin)
    private import Darwin
#else
    private import Glibc
#endif

/// Which file a path stands for: all its links, hard and symbolic, have the same.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// The file at a path, links followed, or standard input's for "-"; nil where nothing is there.
    package init?(_ path: String) {
        var status = stat()
        // `status` is written by the call and outlives it.
        let result = path == "-" ? unsafe fstat(STDIN_FILENO, &status) : unsafe stat(path, &status)
        guard result == 0 else { return nil }
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }

    /// The folders that a file lies in, up to the root: by its name, and by where its links lead.
    static func folders(above path: String) -> Set<FileIdentity> {
        var found: Set<FileIdentity> = []
        for start in [path, ProcessEnvironment.resolvedPath(path)].compactMap(\.self) {
            guard var folder = ProcessEnvironment.resolvedPath(OutputFile.folder(of: start)) else { continue }
            while let identity = FileIdentity(folder), found.insert(identity).inserted, folder != "/" {
                folder = OutputFile.folder(of: folder)
            }
        }
        return found
    }

    /// Where an output's path leads: a link stays, and what it leads to is written.
    static func target(of path: String) throws(FileError) -> String {
        guard Folder.isLink(path) else { return path }
        guard let target = ProcessEnvironment.resolvedPath(path) else {
            throw .kept("is a link that leads nowhere; remove it or choose another name")
        }
        return target
    }
}

internal import Digests
package import Files

/// The files of an output: one, those of a folder, or a Deep Zoom descriptor with its folder of tiles.
package struct StoredTree {
    /// The path of the output.
    private let path: String
    /// The files with their paths relative to the output's folder, in order.
    private(set) var files: [(path: String, name: String)] = []
    /// The sum of the sizes.
    package private(set) var bytes = 0

    package init(_ path: String) {
        self.path = path
        let folder = OutputFile.folder(of: path)
        if Folder.isFolder(path, followingLinks: true) {
            add(folder: path, named: "")
        } else {
            add(path, named: OutputFile.name(of: path))
            if path.hasSuffix(".dzi") {
                let tiles = OutputFile.name(of: String(path.dropLast(4))) + "_files"
                add(folder: "\(folder)/\(tiles)", named: tiles + "/")
            }
        }
    }

    private mutating func add(_ path: String, named name: String) {
        guard let status = FileStatus(path) else { return }
        files.append((path, name))
        bytes += status.size
    }

    /// Adds the files of a folder, in byte order of their names.
    private mutating func add(folder: String, named prefix: String) {
        for name in (try? Folder.listing(of: folder)) ?? [] {
            if name.hasSuffix("/") {
                add(folder: "\(folder)/\(name.dropLast())", named: prefix + name)
            } else {
                add("\(folder)/\(name)", named: prefix + name)
            }
        }
    }

    /// Whether it has more than one file, or a folder.
    package var isFolder: Bool { files.count != 1 || files[0].path != path }

    /// The number of files if it is more than one file.
    package var fileCount: Int? { isFolder ? files.count : nil }

    /// Returns the SHA-256 of the file; of several, that of the lines that `sha256sum` prints for them.
    package func sha256() throws(FileError) -> String {
        guard isFolder else { return try Self.sha256(path) }
        var lines: [UInt8] = []
        for file in files { lines += "\(try Self.sha256(file.path))  \(file.name)\n".utf8 }
        return SHA256.hash(lines.span).hexadecimal
    }

    private static func sha256(_ path: String) throws(FileError) -> String {
        let pieces = try InputPieces(path)
        var hash = SHA256()
        while try pieces.next({ hash.update($0) }) != nil {}
        return hash.finalize().hexadecimal
    }
}

extension StoredThumbnail {
    /// Creates the output that a tree is.
    package init(
        _ size: some CustomStringConvertible, _ width: Int, _ height: Int, _ tree: StoredTree, _ path: String
    ) throws(FileError) {
        self.init(
            size: size.description, width: width, height: height, bytes: tree.bytes,
            sha256: try tree.sha256(),
            path: path)
        files = tree.fileCount
    }
}

internal import Basics
internal import CatalogStorage
package import Files
public import Foundation

/// A file in the trash of a library.
public struct TrashedFile: Hashable, Codable, Sendable {
    /// The path below the library's root from which it was moved.
    package var file: FilePath
    /// The path in the trash, below the library's root.
    package var trashFile: FilePath
    package var bytes: Int
    /// The size of the file in bytes.
    public var fileSize: Int { bytes }
    /// When it was moved there; nil if no operation of the log has moved it, so that `undo` does not restore it.
    public var date: Date?
}

extension TrashedFile {
    private enum CodingKeys: String, CodingKey {
        case file = "path"
        case trashFile = "trashPath"
        case bytes = "fileSize"
        case date
    }
}

extension TrashedFile: CustomStringConvertible {
    /// The former path and the size: "2014/a.jpg, 4.2 MB".
    public var description: String { "\(file), \(bytes.readableBytes)" }
}

extension TrashedFile {
    /// The path below the library's root from which it was moved.
    public var path: String { file.text }
    /// The path in the trash, below the library's root.
    public var trashPath: String { trashFile.text }
}

extension PhotoLibrary {
    /// Returns the files in the trash by their paths there.
    public func trash() async throws -> [TrashedFile] {
        let known = try await read { try $0.operations.trashedFiles() }
        let folder = TrashFolder(root: root)
        return try await BackgroundQueue.run {
            folder.files().map { path, bytes in
                let step = known[path]
                return TrashedFile(
                    file: step?.file ?? TrashFolder.originalPath(of: path), trashFile: path, bytes: bytes,
                    date: step?.date)
            }
        }
    }

    /// Removes all files in the trash for good; operations that moved them cannot be undone any more.
    ///
    /// - Returns: The number of files and their size.
    /// - Throws: `LibraryError`, of the kind `busy` while another process edits the library.
    @discardableResult
    public func emptyTrash() async throws -> (count: Int, bytes: Int) {
        let lock = try lockEditing()
        defer { withExtendedLifetime(lock) {} }
        try await repairOperations()
        let folder = TrashFolder(root: root)
        let (files, left) = try await BackgroundQueue.run {
            let files = folder.files()
            folder.empty()
            return (files, folder.files())
        }
        if let first = left.first {
            if let fault = Folder.writingFault(root), fault.isReadOnlyStorage {
                throw LibraryError.unwritable(root, fault)
            }
            throw LibraryError(.unwritable(self.path(of: first.path), reason: "it cannot be removed"))
        }
        try await write { try $0.operations.removeTrashing() }
        return (files.count, files.reduce(0) { $0 + $1.bytes })
    }
}

/// The folder in a library to which files are moved, by rename: one folder for each operation, with their paths below.
package struct TrashFolder: Sendable {
    let root: String

    static let path = FilePath("\(LibraryFolder.name)/trash")

    /// The path in the trash of a file, below the root.
    package static func path(of path: FilePath, operation: Int64) -> FilePath {
        Self.path.appending(FilePath("\(operation)")).appending(path)
    }

    /// The path that a file in the trash had.
    static func originalPath(of path: FilePath) -> FilePath {
        path.names.dropFirst(3).reduce("") { $0.appending($1) }
    }

    /// All files, by their paths below the root, with their sizes.
    func files() -> [(path: FilePath, bytes: Int)] {
        var found: [(path: FilePath, bytes: Int)] = []
        var folders = [Self.path]
        while let folder = folders.popLast() {
            for entry in (try? Folder.entries(in: "\(root)/\(folder.text)")) ?? [] {
                let path = folder.appending(FilePath(entry.name))
                switch entry.kind {
                case .folder: folders.append(path)
                case .file(let status): found.append((path, status.size))
                case .link, .other: found.append((path, 0))
                }
            }
        }
        return found.sorted { $0.path < $1.path }
    }

    /// Removes all files and folders.
    func empty() {
        for file in files() {
            Folder.remove("\(root)/\(file.path.text)")
            removeEmptyFolders(above: file.path)
        }
    }

    /// Removes the folders above a path that are empty, up to the trash itself.
    func removeEmptyFolders(above path: FilePath) {
        var folder = path.folder
        while folder.isIn(Self.path) {
            Folder.removeEmpty("\(root)/\(folder.text)")
            folder = folder.folder
        }
    }
}

internal import CatalogStorage
package import Files

/// The symbolic links of a library: which are followed, and why others are not.
///
/// A link to a file is a photo like others, also if its file is hidden in the library, as those of git-annex are. A link
/// to a file that the library has under its own name is not: it would have the photo twice.
package struct LinkedFiles: Sendable {
    let root: String
    /// Which files the library has.
    let scope: EntryScope

    package init(root: String, _ scope: EntryScope) { (self.root, self.scope) = (root, scope) }

    /// Whether a link to a file is indexed as that file.
    func isFollowed(_ path: String) -> Bool {
        guard let target = FilePath(ProcessEnvironment.absolutePath(path)).below(FilePath(root)) else {
            return true
        }
        return !scope.includes(target) && target.names.first?.text != LibraryFolder.name
    }

    /// Lists a folder of the library.
    package func listing(of folder: FilePath) throws(FileError) -> FolderListing {
        let folder = folder == "" ? root : "\(root)/\(folder.text)"
        return try FolderListing(folder, scope) { isFollowed("\(folder)/\($0)") }
    }
}

extension FolderListing.Link {
    package static let broken = "is a link to nothing that can be read"

    /// Why it is not followed.
    var reason: String {
        switch target {
        case .file: "is a link to a file that the library has under its own name"
        case .folder: "is a link to a folder, and was not followed"
        case .nothing: Self.broken
        }
    }
}

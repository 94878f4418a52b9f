package import Assets
internal import Containers
internal import Files

/// The order of the arguments of commands that take a library and sources: `cp` has the destination last.
package enum ArgumentOrder {
    /// Throws if a folder that is no library would be made one, and is rather a source.
    ///
    /// A folder that is new or empty may become a library, also with the photos of another one.
    ///
    /// - Parameters:
    ///   - root: the folder, which has no catalog.
    ///   - hasCatalog: whether a catalog elsewhere is named, so that nothing is written before it is made.
    static func check(_ root: String, _ sources: [String], hasCatalog: Bool) throws(LibraryError) {
        if !hasCatalog, !Folder.names(in: root).isEmpty { try check(root, sources) }
        if isCard(root) { throw LibraryError(.swapped(root: root, sources: sources, .rootIsCard)) }
    }

    /// Throws if the last source is a library.
    package static func check(_ root: String, _ sources: [String]) throws(LibraryError) {
        guard let last = sources.last, let place = try? PhotoLibrary.locate(last, nil),
            FileStatus(place.catalog) != nil
        else { return }
        throw LibraryError(.swapped(root: root, sources: sources, .sourceIsLibrary))
    }

    /// Whether a folder is the card of a camera, or in its folder of pictures.
    private static func isCard(_ root: String) -> Bool {
        let path = FilePath(ProcessEnvironment.absolutePath(root))
        return path.names.contains { FileType.pictureFolders.contains(FilePath($0.text.uppercased())) }
            || FileType.pictureFolders.contains {
                Folder.isFolder(path.appending($0).text, followingLinks: true)
            }
    }
}

internal import Files
package import PhotoCatalog
package import TileServing

/// The photo libraries among the folders that a server shows.
package struct ServedLibraries: ServerAddition {
    package let all: [PhotoLibrary]

    /// Opens those of the paths that are libraries.
    ///
    /// - Throws: `LibraryError` where one is there and cannot be opened.
    package init(_ paths: [String]) async throws(LibraryError) {
        var all: [PhotoLibrary] = []
        for path in paths where Self.isLibrary(path) { all.append(try await PhotoLibrary.open(path)) }
        self.all = all
    }

    private static func isLibrary(_ path: String) -> Bool {
        isCatalogd(ProcessEnvironment.absolutePath(path))
    }

    private static func isCatalogd(_ folder: String) -> Bool {
        FileStatus("\(folder)/\(LibraryFolder.name)/\(LibraryFolder.catalog)") != nil
    }

    /// Everything in a library is private: in those that are served and in those that lie in other folders.
    package func isPrivate(_ path: String) -> Bool {
        var folder = path[...]
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            if Self.isCatalogd(String(folder)) { return true }
        }
        return false
    }

    package var places: [IndexPlace] {
        all.map { library in
            let (name, address) = (ServedLibrary.name(of: library), ServedLibrary.address(of: library))
            return IndexPlace(
                root: library.root, title: name, address: address + "/", cover: "\(address)/cover/all")
        }
    }

    package func routes(_ services: ServerServices) -> [any Route] {
        let libraries = all.map { ServedLibrary($0, services) }
        return [
            LibraryRoute(
                libraries: Dictionary(libraries.map { ($0.name, $0) }) { $1 }, services: services)
        ]
    }
}

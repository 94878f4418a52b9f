#if Server && Library
internal import Basics
internal import AssetRendering
internal import Files
internal import HTTPTypes
public import PhotoCatalog
public import TileServing
package import ViewportGeometry
package import ViewerPages

extension TileServerExtension {
    /// Adds the pages of photo libraries to a tile server: groups, grids by date, live changes, thumbnails.
    ///
    /// Everything in the folder of a library is private: other websites cannot read it.
    ///
    /// - Parameter libraries: the libraries; their root folders have to be roots of the server, too.
    public static func photoLibraries(_ libraries: [PhotoLibrary]) -> TileServerExtension {
        TileServerExtension(ServedLibraries(all: libraries))
    }
}

/// The photo libraries of a server.
package struct ServedLibraries: ServerExtension {
    private let all: [PhotoLibrary]

    init(all: [PhotoLibrary]) {
        self.all = all
    }

    /// Opens the paths that are libraries.
    ///
    /// - Parameters:
    ///   - catalog: the catalog of the library that is the only path; nil if it is in the library's folder.
    ///   - sidecars: the folder of its sidecars; nil for the one that the catalog remembers.
    /// - Throws: `LibraryError` if one cannot be opened.
    package static func open(
        among paths: [String], catalog: String? = nil, sidecars: String? = nil
    ) async throws -> [PhotoLibrary] {
        if let path = paths.first, catalog != nil || sidecars != nil {
            return [try await PhotoLibrary.open(path, catalog: catalog, sidecars: sidecars)]
        }
        var all: [PhotoLibrary] = []
        for path in paths where isLibrary(ProcessEnvironment.absolutePath(path)) {
            all.append(try await PhotoLibrary.open(path))
        }
        return all
    }

    private static func isLibrary(_ folder: String) -> Bool {
        FileStatus("\(folder)/\(LibraryFolder.name)/\(LibraryFolder.catalog)") != nil
    }

    /// Whether a file is private, as everything in a library is, also if the library is below a served folder.
    package func isPrivate(_ path: String) -> Bool {
        var path = FilePath(path)
        // The catalog of a library may lie elsewhere.
        if all.contains(where: { path.isIn(FilePath($0.root)) && FileStatus($0.catalogPath) != nil }) {
            return true
        }
        while let folder = path.parent, folder != path {
            if Self.isLibrary(folder.text) { return true }
            path = folder
        }
        return false
    }

    /// Whether a file is in a library that has hidden files, too, and may be one of them.
    package func servesHidden(_ path: String) -> Bool {
        all.contains { library in
            guard let below = FilePath(path).below(FilePath(library.root)) else { return false }
            return (try? library.scope())?.includes(below) == true
        }
    }

    package func turn(of path: String) async -> Orientation? {
        let path = FilePath(path)
        for library in all {
            guard let below = path.below(FilePath(library.root)) else { continue }
            // A catalog that cannot be read now does not hide its photos.
            return (try? await library.turn(of: below.text)) ?? .up
        }
        return nil
    }

    package var indexEntries: [IndexEntry] {
        all.map { library in
            let (name, address) = (ServedLibrary.name(of: library), ServedLibrary.address(of: library))
            return IndexEntry(
                root: library.root, title: name, address: address + "/", cover: "\(address)/cover/all")
        }
    }

    package var assets: [String: ViewerPage.Asset] { ViewerPage.library }

    package func routes(_ services: ServerServices) -> [any Route] {
        let libraries = all.map { ServedLibrary($0, services) }
        return [
            LibraryRoute(
                libraries: Dictionary(libraries.map { (FilePath($0.name), $0) }) { $1 }, services: services),
            SharedRoute(libraries: libraries, services: services),
        ]
    }
}

/// A library with its address on the server.
struct ServedLibrary: Sendable {
    let library: PhotoLibrary
    /// The path component after `/library/`, not percent-encoded.
    let name: String
    let images: AssetImages
    let terms = KeptTerms()
    let points = KeptPoints()
    let chosen = ChosenAssets()
    /// The prefix of the identifiers of its files: empty, or a name and a slash.
    private let prefix: String
    private let roots: ImageRoots
    /// The threads that read its files.
    let threads: RootThreads

    init(_ library: PhotoLibrary, _ services: ServerServices) {
        self.library = library
        name = Self.name(of: library)
        roots = services.roots
        let root = services.roots.all.first { FilePath($0.path) == FilePath(library.root) }
        threads = root?.threads ?? RootThreads(library.root)
        images = AssetImages(of: library, on: threads.executor)
        prefix = root.map { $0.name.isEmpty ? "" : $0.name + "/" } ?? ""
    }

    /// The name of the folder.
    static func name(of library: PhotoLibrary) -> String {
        FilePath(library.root).names.last?.text ?? "library"
    }

    /// Returns the path of its pages, without a trailing slash.
    static func address(of library: PhotoLibrary) -> String {
        "library/" + PercentCoding.encode(name(of: library))
    }

    var address: String { Self.address(of: library) }

    /// Returns the identifier of an asset's file for `/iiif` and `/view`.
    func identifier(of asset: Asset) -> String { prefix + asset.path }

    /// Returns the path of an asset's file; nil if it is not there, or was replaced by a link out of the library.
    ///
    /// Blocks the calling thread, which is one of `threads`.
    func file(of asset: Asset) -> String? { roots.path(of: identifier(of: asset)) }

    /// Returns the path of an asset's file, with symbolic links resolved, which need not exist.
    func path(of asset: Asset) async throws -> String {
        try await threads.run { self.file(of: asset) } ?? library.path(of: asset)
    }

    /// Returns an asset by its number in a URL.
    ///
    /// - Throws: `RouteError` if there is none.
    func asset(_ text: some StringProtocol) async throws -> Asset {
        guard let id = Int64(strict: text), let asset = try await library.asset(id) else {
            throw RouteError(.notFound, "there is no such photo in this library; it may have been deleted")
        }
        return asset
    }

    /// Returns what is in the trash by its identifier in a URL.
    ///
    /// - Throws: `RouteError` if there is none.
    func trashed(_ text: Substring) async throws -> TrashedAsset {
        guard let id = TrashedAsset.ID(String(text)), let found = try await library.trashedAssets([id]).first
        else {
            throw RouteError(.notFound, "there is no such photo in the trash; it may have been restored")
        }
        return found
    }

    /// Returns a group by its name in a URL.
    ///
    /// - Throws: `RouteError` if there is none.
    func group(_ id: AssetGroup.ID) async throws -> AssetGroup {
        guard let group = try await library.group(id) else { throw RouteError.noGroup }
        return group
    }
}

extension RouteError {
    static let noGroup = RouteError(
        .notFound, "there is no such group in this library; it may have been deleted")
}
#endif

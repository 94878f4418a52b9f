#if Server && Library
internal import AssetRendering
internal import Files
internal import HTTPTypes
public import PhotoCatalog
public import TileServing

extension TileServerExtension {
    /// Adds the pages of photo libraries to a tile server: groups, grids by date, live changes, thumbnails.
    ///
    /// Everything in the folder of a library is private: only pages of this server may read it.
    ///
    /// - Parameter libraries: their root folders have to be roots of the server, too.
    public static func photoLibraries(_ libraries: [PhotoLibrary]) -> TileServerExtension {
        TileServerExtension(ServedLibraries(all: libraries))
    }
}

/// The photo libraries that a server shows.
package struct ServedLibraries: ServerExtension {
    private let all: [PhotoLibrary]

    init(all: [PhotoLibrary]) {
        self.all = all
    }

    /// Opens those of the paths that are libraries.
    ///
    /// - Throws: `LibraryError` where one cannot be opened.
    package static func open(among paths: [String]) async throws(LibraryError) -> [PhotoLibrary] {
        var all: [PhotoLibrary] = []
        for path in paths where isLibrary(ProcessEnvironment.absolutePath(path)) {
            all.append(try await PhotoLibrary.open(path))
        }
        return all
    }

    private static func isLibrary(_ folder: String) -> Bool {
        FileStatus("\(folder)/\(LibraryFolder.name)/\(LibraryFolder.catalog)") != nil
    }

    /// Everything in a library is private, also where the library lies in a folder that is served.
    package func isPrivate(_ path: String) -> Bool {
        var folder = path[...]
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            if Self.isLibrary(String(folder)) { return true }
        }
        return false
    }

    package var indexEntries: [IndexEntry] {
        all.map { library in
            let (name, address) = (ServedLibrary.name(of: library), ServedLibrary.address(of: library))
            return IndexEntry(
                root: library.root, title: name, address: address + "/", cover: "\(address)/cover/all")
        }
    }

    package func asset(named name: String) -> PageAsset? { LibraryPageAssets.asset(named: name) }

    package func routes(_ services: ServerServices) -> [any Route] {
        let libraries = all.map { ServedLibrary($0, services) }
        return [
            LibraryRoute(
                libraries: Dictionary(libraries.map { ($0.name, $0) }) { $1 }, services: services)
        ]
    }
}

/// A library as the server shows it.
struct ServedLibrary: Sendable {
    let library: PhotoLibrary
    /// The component behind `/library/` in the paths of its pages, not encoded.
    let name: String
    let images: AssetImages
    /// What the identifiers of its files begin with: empty, or a name and a slash.
    private let prefix: String

    init(_ library: PhotoLibrary, _ services: ServerServices) {
        self.library = library
        name = Self.name(of: library)
        images = AssetImages(of: library)
        let root = services.roots.all.first { $0.path == library.root }
        prefix = root.map { $0.name.isEmpty ? "" : $0.name + "/" } ?? ""
    }

    /// The name of the folder.
    static func name(of library: PhotoLibrary) -> String {
        library.root.split(separator: "/").last.map(String.init) ?? "library"
    }

    /// The path of its pages below the server's, without a slash at its end.
    static func address(of library: PhotoLibrary) -> String {
        "library/" + PercentCoding.encode(name(of: library))
    }

    var address: String { Self.address(of: library) }

    /// The identifier of an asset's file, as `/iiif` and `/view` know it.
    func identifier(of asset: Asset) -> String { prefix + asset.path }

    /// An asset by its number in an address.
    ///
    /// - Throws: `RouteError` where there is none.
    func asset(_ text: some StringProtocol) async throws -> Asset {
        guard let id = Int64(strict: text), let asset = try await library.asset(id) else {
            throw RouteError(.notFound, "there is no such photo in this library; it may have been deleted")
        }
        return asset
    }

    /// A group by its name in an address.
    ///
    /// - Throws: `RouteError` where there is none.
    func group(_ id: AssetGroup.ID) async throws -> AssetGroup {
        guard let group = try await library.group(id) else { throw RouteError.noGroup }
        return group
    }
}

extension RouteError {
    static let noGroup = RouteError(
        .notFound, "there is no such group in this library; it may have been deleted")
}

extension FixedWidthInteger {
    /// A number that consists of digits only.
    init?(strict text: some StringProtocol) {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        self.init(text)
    }
}
#endif

internal import AssetRendering
internal import Files
internal import HTTPTypes
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

/// A library as the server shows it.
struct ServedLibrary: Sendable {
    let library: PhotoLibrary
    /// What its pages' addresses begin with behind `/library/`, not encoded.
    let name: String
    let images: AssetImages
    /// What identifiers of its files begin with: empty, or a name and a slash.
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

    /// The address of its pages below the server's, without a slash at its end.
    static func address(of library: PhotoLibrary) -> String {
        "library/" + PercentCoding.encode(name(of: library))
    }

    var address: String { Self.address(of: library) }

    /// The identifier of an asset's file, as `/iiif` and `/view` know it.
    func identifier(of asset: Asset) -> String { prefix + asset.path }

    /// An asset by its number in an address.
    ///
    /// - Throws: `Failure` where there is none.
    func asset(_ text: some StringProtocol) async throws -> Asset {
        guard let id = Int64(strict: text), let asset = try await library.asset(id) else {
            throw Failure(.notFound, "there is no such photo in this library; it may have been deleted")
        }
        return asset
    }

    /// A group by its name in an address.
    ///
    /// - Throws: `Failure` where there is none.
    func group(_ id: AssetGroup.ID) async throws -> AssetGroup {
        guard let group = try await library.group(id) else { throw Failure.noGroup }
        return group
    }
}

extension Failure {
    static let noGroup = Failure(
        .notFound, "there is no such group in this library; it may have been deleted")
}

extension FixedWidthInteger {
    /// A number of digits alone, as addresses have them.
    init?(strict text: some StringProtocol) {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        self.init(text)
    }
}

#if Server
internal import Basics
internal import Files
internal import HTTPTypes
internal import NIOCore
internal import Presentation
internal import RemoteFiles
internal import Synchronization

/// The IIIF Presentation API 3.0 at `/presentation/FOLDER`: `manifest.json`, and `collection.json` of a folder with folders.
///
/// A folder with more images than a manifest has is a collection of `manifest-1.json` and so on.
struct PresentationRoute: Route {
    let roots: ImageRoots
    let access: AccessControl?
    let options: ManifestOptions
    /// The paths of roots with their own pages.
    let excluded: Set<FilePath>
    let isPrivate: @Sendable (_ path: String) -> Bool
    private let kept = KeptManifests()

    init(
        roots: ImageRoots, access: AccessControl?, options: ManifestOptions, excluded: Set<FilePath>,
        isPrivate: @escaping @Sendable (_ path: String) -> Bool
    ) {
        self.roots = roots
        self.access = access
        self.options = options
        self.excluded = excluded
        self.isPrivate = isPrivate
    }

    var prefix: String { "presentation" }
    var isOpen: Bool { true }

    /// The number of canvases of a manifest.
    static let length = 1000

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        guard let name = request.path.last, request.path.count > 1,
            let document = PresentationDocument(name)
        else { throw RouteError(.notFound, "manifests are at /presentation/FOLDER/manifest.json") }
        let folder = try IIIFPath.identifier(request.path.dropFirst().dropLast())
        try await access?.check(folder: folder, in: roots, for: request)
        let isPrivate = try await checkPrivacy(of: folder, request)
        guard
            let contents = try await roots.listing(of: folder, matching: "", by: .name, except: excluded)
        else { throw RouteError.folderNotFound }
        let address = FolderAddress(base: request.base, folder: folder)
        let isLarge = contents.images.count > Self.length
        var response: RouteResponse
        switch document {
        case .manifest where isLarge || contents.images.isEmpty:
            response = .seeOther(address.collection)
        case .manifest:
            response = try await manifest(contents.images, nil, address, request)
        case .part(let number):
            let start = (number - 1) * Self.length
            guard isLarge, start < contents.images.count else {
                throw RouteError(.notFound, "the folder has no such manifest")
            }
            response = try await manifest(contents.images, number, address, request)
        case .collection:
            response = try await collection(contents, address, request)
        }
        response.isPrivate = isPrivate
        return response
    }

    /// - Throws: `RouteError` if a page of another origin asks for a private folder.
    private func checkPrivacy(of folder: String, _ request: RouteRequest) async throws -> Bool {
        let (isPrivate, root) = (isPrivate, roots.root(ofFolder: folder))
        guard let root, !root.isRemote else { return false }
        let paths = try await roots.paths(ofFolder: folder)
        guard try await root.threads.run({ paths.contains(where: isPrivate) }) else { return false }
        if request.isCrossOrigin { throw RouteError.crossOrigin }
        return true
    }

    private func collection(
        _ contents: FolderContents, _ address: FolderAddress, _ request: RouteRequest
    ) async throws -> RouteResponse {
        var items: [PresentationCollection.Item] = []
        let count = (contents.images.count + Self.length - 1) / Self.length
        if count == 1 {
            items.append(.init(address.manifest, isCollection: false, label: ManifestText(name(address))))
        }
        for number in 1..<(count > 1 ? count + 1 : 1) {
            let last = min(number * Self.length, contents.images.count)
            items.append(
                .init(
                    address.part(number), isCollection: false,
                    label: ManifestText("\(name(address)), \((number - 1) * Self.length + 1) to \(last)")))
        }
        for folder in NaturalOrder.sorted(contents.folders) {
            let below = FolderAddress(base: request.base, folder: folder)
            let isCollection = try await isCollection(folder)
            items.append(
                .init(
                    isCollection ? below.collection : below.manifest, isCollection: isCollection,
                    label: ManifestText(name(below))))
        }
        let collection = PresentationCollection(
            id: address.collection, options(of: address).description(name: name(address)), items: items)
        let text = collection.text
        return Self.response(text, EntityTag(text), request)
    }

    private func isCollection(_ folder: String) async throws -> Bool {
        guard let root = roots.root(of: folder) else { return true }
        let (roots, excluded) = (roots, excluded)
        return try await root.threads.run {
            guard let contents = roots.contents(of: folder, except: excluded) else { return true }
            return contents.images.count > Self.length || !contents.folders.isEmpty
        }
    }

    /// The title is that of the first folder.
    private func options(of address: FolderAddress) -> ManifestOptions {
        var options = options
        if !address.folder.isEmpty { options.title = nil }
        return options
    }

    private func name(_ address: FolderAddress) -> String {
        let name = FilePath(address.folder).names.last ?? roots.all.first.map { FilePath($0.path).name }
        return PathText.shown(name?.text ?? "Images")
    }

    private func manifest(
        _ images: [String], _ part: Int?, _ address: FolderAddress, _ request: RouteRequest
    ) async throws -> RouteResponse {
        let (roots, kept, options) = (roots, kept, options(of: address))
        let id = part.map(address.part) ?? address.manifest
        let name = name(address)
        guard let threads = (roots.root(of: address.folder) ?? roots.root(of: images.first ?? ""))?.threads
        else {
            let manifest = options.manifest(id: id, name: name)
            return Self.response(manifest.text([]), EntityTag(manifest.text([])), request)
        }
        let (text, tag) = try await threads.run {
            let sorted = kept.sorted(images, of: address.folder)
            let start = ((part ?? 1) - 1) * Self.length
            let shown = sorted[start..<min(start + Self.length, sorted.count)]
            let files = shown.compactMap { identifier -> ManifestFile? in
                guard let path = roots.path(of: identifier), let status = FileStatus(path) else { return nil }
                return ManifestFile(identifier: identifier, path: path, status: status)
            }
            let state = files.map {
                "\($0.identifier)\n\($0.status.modified) \($0.status.size) \($0.status.inode)\n"
            }
            let tag = EntityTag("manifest", id, state.joined())
            if let text = kept.text(of: tag) { return (text, tag) }
            let facts = kept.facts(of: files)
            let canvases = zip(files, facts).compactMap { file, facts in
                facts.map {
                    options.canvas(
                        $0, identifier: file.identifier, base: address.base,
                        id: address.canvas(file.identifier))
                }
            }
            let text = options.manifest(id: id, name: name).text(canvases)
            kept.keep(text, of: tag)
            return (text, tag)
        }
        return Self.response(text, tag, request)
    }

    /// Source: Presentation API 3.0, section 6.
    private static func response(_ text: String, _ tag: EntityTag, _ request: RouteRequest) -> RouteResponse {
        let context = "http://iiif.io/api/presentation/3/context.json"
        let headers: HTTPFields = [.eTag: tag.text, .cacheControl: "no-cache"]
        if tag.matches(request) { return RouteResponse(.notModified, headers: headers) }
        var response = RouteResponse(text: text, "application/ld+json;profile=\"\(context)\"")
        for field in headers { response.headers.append(field) }
        return response
    }
}

/// The last component of an address below `/presentation`.
enum PresentationDocument: Equatable {
    case manifest, collection
    /// A part of a large folder, from 1.
    case part(Int)

    init?(_ name: some StringProtocol) {
        switch name {
        case "manifest.json": self = .manifest
        case "collection.json": self = .collection
        default:
            guard name.hasPrefix("manifest-"), name.hasSuffix(".json"),
                let number = Int(name.dropFirst(9).dropLast(5)), (1...1_000_000).contains(number),
                name == "manifest-\(number).json"
            else { return nil }
            self = .part(number)
        }
    }
}

/// The addresses of the documents of a folder.
private struct FolderAddress: Sendable {
    let base: String
    /// As in identifiers.
    let folder: String

    /// The folder as one component: in names, / is encoded.
    private var start: String {
        folder.isEmpty ? "\(base)/presentation" : "\(base)/presentation/\(PercentCoding.encode(folder))"
    }

    var manifest: String { "\(start)/manifest.json" }
    var collection: String { "\(start)/collection.json" }
    func part(_ number: Int) -> String { "\(start)/manifest-\(number).json" }
    func canvas(_ identifier: String) -> String { "\(start)/canvas/\(PercentCoding.encode(identifier))" }
}

/// An image of a manifest.
private struct ManifestFile: Sendable {
    let identifier: String
    let path: String
    let status: FileStatus
}

/// Manifests and facts of images that were read before.
private final class KeptManifests: Sendable {
    private struct Key: Hashable {
        let path: FilePath
        let status: FileStatus
    }

    private let facts = Mutex(LRUCache<Key, ImageFacts?>(capacity: 100_000))
    /// By bytes.
    private let texts = Mutex(LRUCache<EntityTag, String>(capacity: 32 << 20))
    /// By names.
    private let orders = Mutex(LRUCache<FilePath, (names: [String], sorted: [String])>(capacity: 200_000))

    /// Returns the images of a folder in natural order.
    func sorted(_ names: [String], of folder: String) -> [String] {
        let key = FilePath(folder)
        if let kept = orders.withLock({ $0.value(key) }), kept.names == names { return kept.sorted }
        let sorted = NaturalOrder.sorted(names)
        orders.withLock { $0.insert((names, sorted), for: key, cost: names.count + 1) }
        return sorted
    }

    func text(of tag: EntityTag) -> String? { texts.withLock { $0.value(tag) } }

    func keep(_ text: String, of tag: EntityTag) {
        texts.withLock { $0.insert(text, for: tag, cost: text.utf8.count) }
    }

    /// Returns the facts of files; nil for those that cannot be opened.
    func facts(of files: [ManifestFile]) -> [ImageFacts?] {
        let known = facts.withLock { facts in
            files.map { facts.value(Key(path: FilePath($0.path), status: $0.status)) }
        }
        return Processors.map(below: files.count) { index in
            if let facts = known[index] { return facts }
            let file = files[index]
            let read = try? ImageFacts(of: file.path)
            facts.withLock {
                $0.insert(read, for: Key(path: FilePath(file.path), status: file.status), cost: 1)
            }
            return read
        }
    }
}
#endif

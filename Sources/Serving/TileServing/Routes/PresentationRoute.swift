#if Server
internal import Basics
internal import Files
internal import HTTPTypes
internal import Presentation
internal import RemoteFiles

/// The IIIF Presentation API 3.0 at `/presentation/FOLDER`: `manifest.json`, and `collection.json` of a folder with folders.
///
/// A folder with more images than a manifest has is a collection of `manifest-1.json` and so on. The ids of canvases,
/// `canvas/IMAGE`, lead to the viewer with the manifest as a strip; `canvas/` to the first one.
struct PresentationRoute: Route {
    let roots: ImageRoots
    let access: AccessControl?
    let options: ManifestOptions
    /// The paths of roots with their own pages.
    let excluded: Set<FilePath>
    let isPrivate: @Sendable (_ path: String) -> Bool
    let kept: KeptManifests

    var prefix: String { "presentation" }
    var isOpen: Bool { true }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        guard let name = request.path.last, request.path.count > 1 else { throw Self.noDocument }
        let document = PresentationDocument(name)
        let isCanvas = document == nil && request.path.count > 2 && request.path.dropLast().last == "canvas"
        guard document != nil || isCanvas else { throw Self.noDocument }
        let folder = try IIIFPath.identifier(request.path.dropFirst().dropLast(isCanvas ? 2 : 1))
        try await access?.check(folder: folder, in: roots, for: request)
        let isPrivate = try await checkPrivacy(of: folder, request)
        guard
            let contents = try await roots.listing(of: folder, matching: "", by: .name, except: excluded)
        else { throw RouteError.folderNotFound }
        let address = FolderAddress(base: request.base, folder: folder)
        let count = contents.images.count
        var response: RouteResponse
        switch document {
        case .manifest? where count == 0 || PresentationDocument.isLarge(count):
            response = .seeOther(address.of(.collection))
        case .collection?:
            response = try await collection(contents, address, request)
        case let manifest?:
            guard manifest.exists(for: count) else {
                throw RouteError(.notFound, "the folder has no such manifest")
            }
            response = try await self.manifest(contents.images, manifest, address, request)
        case nil:
            response = try await viewer(of: IIIFPath.identifier([name]), in: contents.images, address)
        }
        response.isPrivate = isPrivate
        return response
    }

    private static let noDocument = RouteError(
        .notFound, "manifests are at /presentation/FOLDER/manifest.json")

    /// Leads to the viewer of an image, or of the first one, with its manifest as a strip.
    private func viewer(
        of identifier: String, in images: [String], _ address: FolderAddress
    ) async throws -> RouteResponse {
        let kept = kept
        guard let threads = (roots.root(of: address.folder) ?? roots.root(of: images.first ?? ""))?.threads
        else { throw RouteError.imageNotFound }
        return try await threads.run {
            let sorted = kept.sorted(images, of: address.folder)
            let wanted = PageIdentifier(identifier)
            let found = identifier.isEmpty ? 0 : sorted.firstIndex { FilePath($0) == FilePath(wanted.name) }
            guard let found, found < sorted.count else { throw RouteError.imageNotFound }
            let manifest = PresentationDocument(ofImage: found, of: sorted.count)
            return .seeOther(
                address.viewer(
                    of: sorted[found] + PageIdentifier.mark(ofPage: wanted.page), manifest.name))
        }
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
        let (count, name) = (contents.images.count, name(address))
        let description = options(of: address).description(name: name)
        var collection = PresentationCollection(
            of: count, description, name: name, address: address.of)
        for folder in NaturalOrder.sorted(contents.folders) {
            let below = FolderAddress(base: request.base, folder: folder)
            let isCollection = try await isCollection(folder)
            collection.items.append(
                .init(
                    below.of(isCollection ? .collection : .manifest), isCollection: isCollection,
                    label: ManifestText(self.name(below))))
        }
        if !contents.folders.isEmpty { collection.isOneWork = false }
        let text = collection.text
        return .manifest(text, EntityTag(text), request)
    }

    private func isCollection(_ folder: String) async throws -> Bool {
        guard let root = roots.root(of: folder) else { return true }
        let (roots, excluded) = (roots, excluded)
        return try await root.threads.run {
            guard let contents = roots.contents(of: folder, except: excluded) else { return true }
            return PresentationDocument.isLarge(contents.images.count) || !contents.folders.isEmpty
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
        _ images: [String], _ document: PresentationDocument, _ address: FolderAddress,
        _ request: RouteRequest
    ) async throws -> RouteResponse {
        let (roots, kept, options) = (roots, kept, options(of: address))
        let id = address.of(document)
        let name = name(address)
        guard let threads = (roots.root(of: address.folder) ?? roots.root(of: images.first ?? ""))?.threads
        else {
            let manifest = options.manifest(id: id, name: name)
            return .manifest(manifest.text([]), EntityTag(manifest.text([])), request)
        }
        let (text, tag) = try await threads.run {
            let sorted = kept.sorted(images, of: address.folder)
            let shown = sorted[document.positions(of: sorted.count)]
            let files = shown.compactMap { identifier -> ManifestFile? in
                guard let path = roots.path(of: identifier), let status = FileStatus(path) else { return nil }
                return ManifestFile(identifier: identifier, path: path, status: status)
            }
            let state = files.map {
                "\($0.identifier)\n\($0.status.modified) \($0.status.size) \($0.status.inode)\n"
            }
            let tag = EntityTag("manifest", id, options.words, state.joined())
            if let text = kept.text(of: tag) { return (text, tag) }
            let facts = kept.facts(of: files)
            let canvases = Processors.map(below: files.count) { index -> String? in
                let identifier = files[index].identifier
                return facts[index]?.ofPages.map {
                    options.canvas(
                        $0, identifier: identifier, base: address.base,
                        id: address.canvas(identifier + $0.pageMark)
                    ).text
                }.joined(separator: ",")
            }
            let text = options.manifest(id: id, name: name).text(ofCanvases: canvases.compactMap(\.self))
            kept.keep(text, of: tag)
            return (text, tag)
        }
        return .manifest(text, tag, request)
    }
}

/// The addresses of the documents of a folder.
private struct FolderAddress: Sendable {
    let base: String
    /// As in identifiers.
    let folder: String

    /// The folder as one component: in names, / is encoded.
    private var start: String { "\(base)/\(path)" }

    /// The same below the server.
    private var path: String {
        folder.isEmpty ? "presentation" : "presentation/\(PercentCoding.encode(folder))"
    }

    func of(_ document: PresentationDocument) -> String { "\(start)/\(document.name)" }
    func canvas(_ identifier: String) -> String { "\(start)/canvas/\(PercentCoding.encode(identifier))" }

    /// The page of an image with a manifest of the folder.
    func viewer(of identifier: String, _ manifest: String) -> String {
        "\(base)/view/\(PercentCoding.encode(identifier))?manifest=\(PercentCoding.encode("\(path)/\(manifest)"))"
    }
}

extension RouteResponse {
    /// Returns a manifest or a collection, or that the client has it.
    ///
    /// Source: Presentation API 3.0, section 6.
    package static func manifest(_ text: String, _ tag: EntityTag, _ request: RouteRequest) -> RouteResponse {
        let context = "http://iiif.io/api/presentation/3/context.json"
        let headers: HTTPFields = [.eTag: tag.text, .cacheControl: "no-cache"]
        if tag.matches(request) { return RouteResponse(.notModified, headers: headers) }
        var response = RouteResponse(text: text, "application/ld+json;profile=\"\(context)\"")
        for field in headers { response.headers.append(field) }
        return response
    }
}
#endif

#if Server && Library
internal import Basics
internal import Containers
internal import Files
internal import HTTPTypes
internal import ImageMetadata
internal import PhotoCatalog
internal import Presentation
internal import TileServing
internal import ViewportGeometry

/// The IIIF Presentation API 3.0 of a library.
///
/// `collection.json` has all groups. `group/GROUP/manifest.json` has the photos of a group, in the order and with the search
/// of its query, which is that of the grid; more photos than a manifest has are the collection `group/GROUP/collection.json`.
/// The ids of canvases, `group/GROUP/canvas/ASSET`, lead to the viewer.
struct ManifestResponses {
    private let served: ServedLibrary
    private let services: ServerServices
    private let request: RouteRequest

    init(_ served: ServedLibrary, _ services: ServerServices, _ request: RouteRequest) {
        (self.served, self.services, self.request) = (served, services, request)
    }

    /// - Parameter parts: the path below that of the library.
    func respond(to parts: [Substring]) async throws -> RouteResponse {
        if parts == ["collection.json"] { return try await groups() }
        if parts == ["manifest.json"] {
            let selection = try AssetRequest(request)
            return .seeOther(try await address(selection).of(.manifest))
        }
        guard let id = AssetGroup.ID(pathComponent: String(parts[1])) else { throw RouteError.noGroup }
        var selection = try AssetRequest(request)
        guard selection.group == .all || selection.group == id, selection.albumName == nil || id == .all
        else { throw RouteError(.badRequest, "the address has one group and the query another") }
        selection.group = id
        // Manifests have no films.
        selection.kinds.subtract(.video)
        guard !selection.kinds.isEmpty else { throw Self.noPhotos }
        let photos = try await Photos(served, selection)
        if parts.count == 4 {
            guard parts[2] == "canvas" else { throw RouteError.notFound }
            return try await viewer(of: parts[3], photos)
        }
        guard let document = PresentationDocument(parts[2]) else { throw RouteError.notFound }
        let address = try await address(selection)
        guard document.exists(for: photos.count) else {
            if document == .manifest { return .seeOther(address.of(.collection)) }
            throw RouteError(.notFound, "the group has no such manifest")
        }
        guard photos.count > 0 else { throw Self.noPhotos }
        guard document == .collection else { return try await manifest(document, photos, address) }
        let (options, name) = try await title(of: photos)
        let text = PresentationCollection(
            of: photos.count, options.description(name: name), name: name, address: address.of
        ).text
        return .manifest(text, EntityTag(text), request)
    }

    private static let noPhotos = RouteError(.notFound, "there are no photos here")

    private func address(_ selection: AssetRequest) async throws -> SelectionAddress {
        SelectionAddress(
            base: request.base, library: served.address, group: selection.group, query: request.query)
    }

    /// Leads to the viewer of a photo, or of the first one, with its manifest as a strip.
    private func viewer(of number: Substring, _ photos: Photos) async throws -> RouteResponse {
        let wanted = PageIdentifier(PercentCoding.decode(number) ?? "")
        var asset: Asset?
        var position = 0
        if number.isEmpty {
            asset = try await photos.collection.assets(0..<1).first
        } else if let found = try await photos.position(of: served.asset(wanted.name).id) {
            position = found
            asset = try await served.asset(wanted.name)
        }
        guard let asset else { throw RouteError.imageNotFound }
        let document = PresentationDocument(ofImage: position, of: photos.count)
        return .seeOther(
            try await address(photos.selection)
                .viewer(of: asset, PageIdentifier.mark(ofPage: wanted.page), in: served, document))
    }

    /// The groups that have photos.
    private func groups() async throws -> RouteResponse {
        let sequence = try await served.library.lastChange()
        let id = "\(request.base)/\(served.address)/collection.json"
        let tag = EntityTag("groups", id, services.manifests.words, "\(sequence)")
        if let text = services.keptManifests.text(of: tag) { return .manifest(text, tag, request) }
        var items: [PresentationCollection.Item] = []
        for group in try await served.library.groups() where group.count > 0 {
            let photos = try await Photos(served, of: group.id)
            guard photos.count > 0 else { continue }
            let isCollection = PresentationDocument.isLarge(photos.count)
            let address = SelectionAddress(
                base: request.base, library: served.address, group: group.id, query: "")
            items.append(
                .init(
                    address.of(isCollection ? .collection : .manifest), isCollection: isCollection,
                    label: ManifestText(PathText.shown(group.title))))
        }
        guard !items.isEmpty else { throw Self.noPhotos }
        let description = services.manifests.description(name: PathText.shown(served.name))
        let text = PresentationCollection(id: id, description, items: items).text
        services.keptManifests.keep(text, of: tag)
        return .manifest(text, tag, request)
    }

    /// The title that was given is that of the whole library.
    private func title(of photos: Photos) async throws -> (ManifestOptions, name: String) {
        var options = services.manifests
        let isWhole = photos.selection.group == .all && photos.selection.search == nil
        if !isWhole { options.title = nil }
        let group = try await served.group(photos.selection.group)
        let name = isWhole ? served.name : request.value("where") ?? group.title
        return (options, PathText.shown(name))
    }

    /// Returns what files and the catalog say of photos; nil for those that cannot be opened.
    static func facts(
        of assets: [Asset], in served: ServedLibrary, _ services: ServerServices
    ) async throws -> [ImageFacts?] {
        let kept = services.keptManifests
        return try await served.threads.run {
            let files = assets.map { asset in
                served.file(of: asset).flatMap { path in
                    FileStatus(path).map {
                        ManifestFile(identifier: served.identifier(of: asset), path: path, status: $0)
                    }
                }
            }
            let facts = kept.facts(of: files.compactMap(\.self))
            var next = facts.makeIterator()
            return zip(assets, files).map { asset, file -> ImageFacts? in
                guard file != nil, let facts = next.next() else { return nil }
                return facts?.described(by: asset)
            }
        }
    }

    private func manifest(
        _ document: PresentationDocument, _ photos: Photos, _ address: SelectionAddress
    ) async throws -> RouteResponse {
        let (options, name) = try await title(of: photos)
        let id = address.of(document)
        let tag = EntityTag("assets", id, options.words, name, "\(photos.sequence)")
        if let text = services.keptManifests.text(of: tag) { return .manifest(text, tag, request) }
        let positions = document.positions(of: photos.count)
        let assets = try await photos.collection.assets(positions)
        let (served, base) = (served, request.base)
        let described = try await Self.facts(of: assets, in: served, services)
        let canvases = try await served.threads.run {
            Processors.map(below: assets.count) { index -> String? in
                let asset = assets[index]
                return described[index]?.ofPages.map {
                    options.canvas(
                        $0, identifier: served.identifier(of: asset), base: base,
                        id: address.canvas(asset.id, $0.pageMark),
                        original: ManifestLink(
                            "\(base)/\(FileResponses.address(of: asset, in: served))",
                            label: ManifestText("Original", language: "en"),
                            format: asset.format.type.mediaType)
                    ).text
                }.joined(separator: ",")
            }
        }
        var manifest = options.manifest(id: id, name: name)
        let shown = zip(assets, described).map { asset, facts in
            facts?.ofPages.map { address.canvas(asset.id, $0.pageMark) } ?? []
        }
        manifest.ranges = photos.ranges(of: shown, from: positions.lowerBound, of: id)
        guard canvases.contains(where: { $0 != nil }) else { throw Self.noPhotos }
        let text = manifest.text(ofCanvases: canvases.compactMap(\.self))
        services.keptManifests.keep(text, of: tag)
        return .manifest(text, tag, request)
    }
}

/// The photos of a selection.
private struct Photos {
    let selection: AssetRequest
    let collection: AssetCollection
    let entries: [CollectionEntry]
    let count: Int
    /// The last change of the library before they were counted.
    let sequence: Int

    /// The photos of a group, in the order of its page.
    init(_ served: ServedLibrary, of group: AssetGroup.ID) async throws {
        var selection = AssetRequest.ofPages
        selection.group = group
        selection.kinds.subtract(.video)
        // Counted as a whole: the number of entries does not matter.
        selection.unit = .all
        try await self.init(served, selection)
    }

    init(_ served: ServedLibrary, _ selection: AssetRequest) async throws {
        self.selection = selection
        _ = try await served.group(selection.group)
        sequence = try await served.library.lastChange()
        collection = try await served.collection(for: selection)
        entries = try await collection.entries()
        count = entries.reduce(0) { $0 + $1.count }
    }

    /// Returns the position of an asset in the whole selection.
    func position(of asset: Asset.ID) async throws -> Int? {
        guard let path = try await collection.indexPath(of: asset), path.entry < entries.count else {
            return nil
        }
        return entries[..<path.entry].reduce(path.asset) { $0 + $1.count }
    }

    /// Returns the entries as ranges.
    ///
    /// - Parameters:
    ///   - canvases: the canvases of the photos from a position on; none for those that are left out.
    ///   - id: the id of the manifest.
    func ranges(of canvases: [[String]], from first: Int, of id: String) -> [ManifestRange] {
        guard selection.unit != .all else { return [] }
        var ranges: [ManifestRange] = []
        var start = -first
        for (number, entry) in entries.enumerated() {
            let positions = (start..<start + entry.count).clamped(to: canvases.indices)
            start += entry.count
            let shown = canvases[positions].flatMap(\.self)
            guard !shown.isEmpty else { continue }
            ranges.append(
                ManifestRange(
                    id: "\(id)#range-\(number)", label: ManifestText(entry.title(by: selection.unit)),
                    canvases: shown))
        }
        return ranges
    }
}

/// The addresses of the documents of a selection.
private struct SelectionAddress: Sendable {
    private let base: String
    private let path: String
    private let library: String
    private let group: AssetGroup.ID
    /// Those parameters of the query that select and arrange photos, without the group.
    private let query: String

    init(base: String, library: String, group: AssetGroup.ID, query: Substring) {
        (self.base, self.library, self.group) = (base, library, group)
        path = "\(library)/group/\(group.pathComponent)"
        let names = AssetRequest.Parameter.allCases.filter { ![.from, .group].contains($0) }.flatMap(\.names)
        self.query = query.split(separator: "&").filter { pair in
            names.contains { pair.hasPrefix("\($0)=") }
        }.joined(separator: "&")
    }

    private var queryPart: String { query.isEmpty ? "" : "?\(query)" }

    func of(_ document: PresentationDocument) -> String { "\(base)/\(path)/\(document.name)\(queryPart)" }

    /// - Parameter mark: that of the page.
    func canvas(_ asset: Asset.ID, _ mark: String) -> String {
        "\(base)/\(path)/canvas/\(asset)\(mark)\(queryPart)"
    }

    /// The page of a photo with a manifest of the selection.
    func viewer(
        of asset: Asset, _ mark: String, in served: ServedLibrary, _ manifest: PresentationDocument
    ) -> String {
        let values =
            ["library=\(PercentCoding.encode(served.name))", "group=\(group.pathComponent)"]
            + (query.isEmpty ? [] : [query]) + [
                "asset=\(asset.id)",
                "manifest=\(PercentCoding.encode("\(path)/\(manifest.name)\(queryPart)"))",
            ]
        return "\(base)/view/\(PercentCoding.encode(served.identifier(of: asset) + mark))?"
            + values.joined(separator: "&")
    }
}

extension ImageFacts {
    /// Returns the facts with what the catalog says, which has the words of sidecars and edits, too.
    fileprivate func described(by asset: Asset) -> ImageFacts {
        var facts = self
        if asset.turn.transposes { facts.transpose() }
        facts.title = asset.title
        facts.caption = asset.caption
        facts.keywords = asset.keywords
        facts.date = asset.date
        facts.location = asset.location
        facts.place = asset.place
        facts.camera = FileMetadata.camera(make: asset.make, model: asset.model)
        facts.lens = asset.lens
        return facts
    }
}
#endif

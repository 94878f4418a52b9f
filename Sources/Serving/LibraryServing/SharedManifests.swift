#if Server && Library
internal import Basics
internal import Containers
internal import Files
internal import HTTPTypes
internal import PhotoCatalog
internal import Presentation
internal import TileServing

/// The IIIF Presentation API 3.0 of a shared link.
///
/// Like the pages of the link, manifests say nothing of a photo but its name, and lead to nothing else of the library.
extension SharedResponses {
    func manifest(_ document: PresentationDocument) async throws -> RouteResponse {
        let sequence = try await served.library.lastChange()
        let photos = try await assets().filter { !$0.isVideo }
        guard !photos.isEmpty else { throw RouteError(.notFound, "there are no photos behind this link") }
        var options = services.manifests
        (options.title, options.metadata) = (nil, .none)
        let name = PathText.shown(share.title)
        guard document.exists(for: photos.count) else {
            if document == .manifest { return .seeOther(address(of: .collection)) }
            throw RouteError(.notFound, "the link has no such manifest")
        }
        guard document == .collection else {
            return try await manifest(document, photos, name, options, sequence)
        }
        let text = PresentationCollection(
            of: photos.count, options.description(name: name), name: name, address: address(of:)
        ).text
        return .manifest(text, EntityTag(text), request)
    }

    private func manifest(
        _ document: PresentationDocument, _ photos: [Asset], _ name: String, _ options: ManifestOptions,
        _ sequence: Int
    ) async throws -> RouteResponse {
        let (id, shown) = (address(of: document), Array(photos[document.positions(of: photos.count)]))
        // Which photos an application shows depends on the client.
        let tag = EntityTag(
            ["shared", id, name, options.words, "\(sequence)", "\(share.includesOriginals)"]
                + shown.map { "\($0.id)" })
        if let text = services.keptManifests.text(of: tag) { return .manifest(text, tag, request) }
        let facts = try await ManifestResponses.facts(of: shown, in: served, services)
        let canvases = zip(shown, facts).flatMap { asset, facts in
            (facts?.ofPages ?? []).map { facts in
                let identifier = "\(asset.id)\(facts.pageMark)"
                return options.canvas(
                    facts, name: asset.name, id: "\(address)/canvas/\(identifier)",
                    PresentationImage(base: address, identifier: identifier, size: facts.size),
                    links: links(of: asset)
                ).text
            }
        }
        guard !canvases.isEmpty else { throw RouteError(.notFound, "no photo of this link can be shown") }
        let text = options.manifest(id: id, name: name).text(ofCanvases: canvases)
        services.keptManifests.keep(text, of: tag)
        return .manifest(text, tag, request)
    }

    private func address(of document: PresentationDocument) -> String { "\(address)/\(document.name)" }

    /// The original, if the link has it.
    private func links(of asset: Asset) -> [ManifestLink] {
        guard share.includesOriginals else { return [] }
        return [
            ManifestLink(
                "\(address)/file/\(asset.id)/\(PercentCoding.encode(asset.name))",
                label: ManifestText("Original", language: "en"), format: asset.format.type.mediaType)
        ]
    }
}
#endif
